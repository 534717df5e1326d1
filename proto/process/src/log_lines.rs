//! Makes log lines harmless for terminals: names and errors in them are texts of others.

use std::fmt;

use loto_proto::untrusted_text::{escape, escape_json};
use tracing::{Event, Subscriber};
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer, debug_fn};
use tracing_subscriber::registry::LookupSpan;

/// Fields of a line of text, `name=value`, each escaped; the message stands without a name.
pub(crate) fn escaped_fields() -> impl for<'writer> FormatFields<'writer> + Send + Sync + 'static {
    let field = debug_fn(|writer, field, value| {
        let text = format!("{value:?}");
        match field.name() {
            "message" => writer.write_str(&escape(&text)),
            name => write!(writer, "{name}={}", escape(&text)),
        }
    });
    field.delimited(" ")
}

/// Lines of JSON, as another formatter makes them, with all that does harm as escapes of JSON.
pub(crate) struct EscapedJson<Inner>(pub(crate) Inner);

impl<Events, Fields, Inner> FormatEvent<Events, Fields> for EscapedJson<Inner>
where
    Events: Subscriber + for<'span> LookupSpan<'span>,
    Fields: for<'writer> FormatFields<'writer> + 'static,
    Inner: FormatEvent<Events, Fields>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, Events, Fields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        writer.write_str(&escape_json(&line))
    }
}
