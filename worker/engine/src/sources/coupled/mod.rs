//! One Gaussian process on the rows of several tasks, whose kernel says how alike tasks are by their features, as a prior on
//! the target's rows.
//!
//! - [`points`]: the sources' rows that the process is on;
//! - `lengthscales`: its hyperparameters, fitted once;
//! - [`prior`]: what it says of the target's rows.

mod lengthscales;
pub(crate) mod points;
pub(crate) mod prior;
