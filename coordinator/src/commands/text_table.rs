//! Tables on a terminal.

use std::fmt::{self, Display};

use loto_proto::untrusted_text::escape;

/// Rows in aligned columns below a heading. Columns that hold only numbers are aligned to the right.
pub(super) struct TextTable {
    /// The heading and the rows, all of one length.
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(super) fn new(heading: &[&str]) -> Self {
        let heading = heading.iter().map(ToString::to_string).collect();
        Self {
            rows: vec![heading],
        }
    }

    /// Adds a row, which has as many cells as the heading. Each is one line, whatever it holds.
    pub(super) fn push(&mut self, cells: &[&dyn Display]) {
        let shown = |cell: &&dyn Display| escape(&cell.to_string()).into_owned();
        self.rows.push(cells.iter().map(shown).collect());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }
}

impl Display for TextTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = |column: usize| {
            let cells = self.rows.iter().map(move |row| &row[column]);
            let width = cells.clone().map(|cell| cell.chars().count()).max();
            let is_numeric = cells.skip(1).all(|cell| cell.parse::<f64>().is_ok());
            (width.unwrap_or(0), is_numeric)
        };
        let layouts: Vec<_> = (0..self.rows[0].len()).map(layout).collect();
        for row in &self.rows {
            let aligned = |(cell, (width, is_numeric)): (&String, &(usize, bool))| {
                if *is_numeric {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            };
            let cells: Vec<String> = row.iter().zip(&layouts).map(aligned).collect();
            writeln!(formatter, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = TextTable::new(&["method", "done"]);
        assert!(table.is_empty());
        table.push(&[&"gcp-prior", &7]);
        table.push(&[&"rs", &120]);
        let text = "method     done\ngcp-prior     7\nrs          120\n";
        assert_eq!(table.to_string(), text);
    }

    #[test]
    fn a_cell_stays_in_its_line() {
        let mut table = TextTable::new(&["task"]);
        table.push(&[&"a\n100 of 100 done\x1b[2J"]);
        assert_eq!(table.to_string(), "task\na\\n100 of 100 done\\x1b[2J\n");
    }
}
