//! Each method's choices, computed anew from the papers' equations with plain dense code.
//!
//! Nothing here is shared with the product but what a test cannot know otherwise: the random streams,
//! which are replayed, and the numbers that an optimiser fitted. Whether those are an
//! optimum is checked too. The product has to choose the row that is best by the equations.
//!
//! - `linear_algebra`, `normal`, `transform`, `gaussian_process`, `network`: the equations;
//! - `comparison`: a method's run beside them;
//! - the others are named by the methods that they hold.
//!
//! `ablr` and `ablr-copula` are held beside their search, since the test needs its weights.
//!
//! ICML 2020 is Salinas, Shen and Perrone 2020, A quantile-based approach for hyperparameter transfer
//! learning.

pub(crate) mod comparison;
mod ensembles;
mod evolution;
mod gaussian_process;
mod gaussian_process_methods;
mod kernel_density_methods;
mod learned_starts;
pub(crate) mod linear_algebra;
pub(crate) mod network;
pub(crate) mod normal;
mod policy_gradient;
mod portfolio;
mod prior_methods;
mod stack;
mod transfer_acquisition;
pub(crate) mod transform;
