//! Tables on a terminal.

/// Lays rows out in columns; the first row is the heading. Columns that hold
/// only numbers below it are aligned to the right.
pub(super) fn lay_out(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            cells(column)
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let is_numeric: Vec<bool> = (0..columns)
        .map(|column| {
            cells(column)
                .skip(1)
                .all(|cell| cell.parse::<f64>().is_ok())
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            if is_numeric[column] {
                line.push_str(&format!("{cell:>width$}  "));
            } else {
                line.push_str(&format!("{cell:<width$}  "));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let row = |cells: &[&str]| {
            cells
                .iter()
                .map(|cell| (*cell).to_owned())
                .collect::<Vec<_>>()
        };
        let text = lay_out(&[
            row(&["method", "done"]),
            row(&["gcp-prior", "7"]),
            row(&["rs", "120"]),
        ]);
        assert_eq!(text, "method     done\ngcp-prior     7\nrs          120\n");
    }
}
