//! `statistics.json`: all statistics for other programs.

use std::io::{self, Write};

use loto_proto::untrusted_text::escape_json;
use loto_statistics::analysis::SweepAnalysis;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::about::About;
use crate::report::Report;

/// The structure of the file: the statistics, and then what they are of.
#[derive(Serialize)]
struct Statistics<'a> {
    #[serde(flatten)]
    analysis: &'a SweepAnalysis,
    about: &'a About,
}

/// Writes the statistics.
pub(crate) fn write(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let statistics = Statistics {
        analysis: report.analysis,
        about: report.about,
    };
    write_escaped(&statistics, output)
}

/// Writes a value as JSON. Whoever prints the file to a terminal is not commanded by a name in it.
pub(crate) fn write_escaped(value: &impl Serialize, output: &mut impl Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *output, EscapedTexts);
    value.serialize(&mut serializer)?;
    output.write_all(b"\n")
}

/// JSON without blanks, its texts escaped.
struct EscapedTexts;

impl Formatter for EscapedTexts {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        writer.write_all(escape_json(fragment).as_bytes())
    }
}
