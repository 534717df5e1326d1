//! What a process tells about itself while it runs.
//!
//! - [`metrics`]: the names of all metrics, and the collection that holds their values;
//! - [`readiness`]: whether the process has what it needs to be of use;
//! - [`endpoint`]: both over HTTP, for Prometheus and for Kubernetes' probes;
//! - [`logs`]: the form of log lines.

pub mod endpoint;
pub mod logs;
pub mod metrics;
pub mod readiness;

use std::net::SocketAddr;

use clap::Args;

use self::endpoint::EndpointError;
use self::readiness::Readiness;
use loto_transport::metrics::Metric;

/// Where a process tells about itself, as an option of a command line.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct EndpointOption {
    /// Address for metrics (/metrics, for Prometheus) and probes (/livez, /readyz) over
    /// HTTP; port 0 is any free port.
    #[arg(long, env = "LOTO_METRICS", value_name = "ADDR")]
    metrics: Option<SocketAddr>,
}

impl EndpointOption {
    /// Starts the endpoint if there is to be one; see [`endpoint::start`].
    ///
    /// # Errors
    /// Those of [`endpoint::start`].
    pub async fn start(
        self,
        described: &[&[Metric]],
        readiness: &Readiness,
    ) -> Result<(), EndpointError> {
        match self.metrics {
            Some(address) => endpoint::start(address, described, readiness.clone()).await,
            None => Ok(()),
        }
    }
}
