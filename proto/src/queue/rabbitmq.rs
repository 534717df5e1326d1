//! The networked queue: RabbitMQ.
