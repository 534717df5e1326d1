//! Aligned tables for a terminal.

use std::io::{self, Write};

/// Writes a table, the first column flush left and the others flush right; `|` separates the headings.
pub(crate) fn write_table(
    header: &str,
    rows: impl Iterator<Item = Vec<String>>,
    output: &mut impl Write,
) -> io::Result<()> {
    let headings: Vec<String> = header.split('|').map(String::from).collect();
    let rows: Vec<Vec<String>> = std::iter::once(headings).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..rows[0].len()).filter_map(width).collect();
    for row in &rows {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            match column {
                0 => write!(output, "  {cell:<width$}")?,
                _ => write!(output, "  {cell:>width$}")?,
            }
        }
        writeln!(output)?;
    }
    Ok(())
}
