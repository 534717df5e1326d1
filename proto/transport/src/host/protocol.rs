//! What both sides agree on.

use loto_proto::limits::MAX_BLOB_BYTES;

/// Longest message in either direction: a blob, or a few dozen of the longest traces.
pub(crate) const MAX_HOST_MESSAGE_BYTES: usize = MAX_BLOB_BYTES + (1 << 20);

/// The port that is meant if a URL has none.
pub const DEFAULT_PORT: u16 = 50052;

/// Whether the URL is that of a host: `loto://`, or `lotos://` over TLS.
pub fn is_host_url(url: &str) -> bool {
    url.starts_with("loto://") || url.starts_with("lotos://")
}

/// Messages, client and server, generated from `proto/loto/v1/host.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub(crate) mod wire {
    tonic::include_proto!("loto.v1");
}
