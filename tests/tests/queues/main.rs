//! All queues keep the same rules, and RabbitMQ survives what only a server goes through.

mod in_process {
    use std::sync::Arc;

    use loto_transport::queue::{InProcessQueue, Queue};

    async fn in_process() -> (Arc<dyn Queue>, ()) {
        (Arc::new(InProcessQueue::new()), ())
    }

    loto_tests::queue_conformance!(in_process());
}

mod rabbitmq {
    use std::sync::Arc;

    use loto_tests::servers::{self, BrokerTurn};
    use loto_transport::queue::{self, Queue};

    async fn in_rabbitmq() -> (Arc<dyn Queue>, BrokerTurn) {
        let turn = servers::broker_turn().await;
        (queue::connect(&turn.url).await.unwrap(), turn)
    }

    loto_tests::queue_conformance!(in_rabbitmq());
}

mod host {
    use std::sync::Arc;

    use loto_tests::host::RunningHost;
    use loto_transport::queue::{self, Queue};

    async fn in_host() -> (Arc<dyn Queue>, RunningHost) {
        let host = RunningHost::start(&[]);
        (queue::connect(&host.url).await.unwrap(), host)
    }

    loto_tests::queue_conformance!(in_host());
}

mod simulated {
    use std::sync::Arc;

    use loto_tests::simulation::faultless_queue;
    use loto_transport::queue::Queue;

    async fn simulated() -> (Arc<dyn Queue>, ()) {
        (faultless_queue(), ())
    }

    loto_tests::queue_conformance!(simulated());
}

mod in_process_end;
mod rabbitmq_dead_letters;
mod rabbitmq_restart;
