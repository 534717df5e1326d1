//! Compresses pages for browsers that can read that: tables and charts shrink to a fifth.

use std::io::Write;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::task::spawn_blocking;

/// Less is sent as it is.
const LEAST_BYTES: usize = 2000;

/// Most of the ratio at half of the time.
const LEVEL: Compression = Compression::new(5);

/// Compresses the text of an answer, if the browser says that it reads gzip. Streams of events are left alone: they have to be
/// sent piece by piece.
pub(super) async fn add(request: Request, next: Next) -> Response {
    let is_read = reads_gzip(request.headers());
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = ["text/html", "text/css", "text/javascript"]
        .iter()
        .any(|text| kind.starts_with(text));
    if !is_read || !is_text {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // Pages are whole before they are sent: to collect them costs nothing and does not fail.
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return Response::from_parts(head, Body::empty());
    };
    let vary = HeaderValue::from_static("accept-encoding");
    head.headers.insert(header::VARY, vary);
    if body.len() < LEAST_BYTES {
        return Response::from_parts(head, body.into());
    }
    let text = body.clone();
    match spawn_blocking(move || compressed(&text)).await {
        Ok(Ok(compressed)) => {
            let gzip = HeaderValue::from_static("gzip");
            head.headers.insert(header::CONTENT_ENCODING, gzip);
            head.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(head, compressed.into())
        }
        _ => Response::from_parts(head, body.into()),
    }
}

fn compressed(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), LEVEL);
    encoder.write_all(text)?;
    encoder.finish()
}

fn reads_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut codings = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    codings.any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name == "gzip");
        is_gzip && !parts.any(|part| part == "q=0")
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn only_who_reads_gzip_gets_it() {
        let reads = |text: &'static str| {
            let value = HeaderValue::from_static(text);
            reads_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, value)]))
        };
        assert!(reads("gzip") && reads("br, gzip;q=0.5") && reads("deflate,gzip"));
        assert!(!reads("br") && !reads("gzip;q=0") && !reads_gzip(&HeaderMap::new()));
    }

    #[test]
    fn what_is_compressed_is_small_and_whole() {
        let text = "<td class=\"done\">5/5</td>".repeat(1000);
        let packed = compressed(text.as_bytes()).unwrap();
        assert!(packed.len() < text.len() / 20, "{}", packed.len());
        let mut unpacked = String::new();
        GzDecoder::new(packed.as_slice())
            .read_to_string(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, text);
    }
}
