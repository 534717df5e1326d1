//! One table with booktabs.

/// A table under construction; every cell is LaTeX already.
pub(super) struct Table {
    caption: String,
    label: String,
    /// What stands above neighbouring columns, and of how many; empty if nothing does.
    groups: Vec<(String, usize)>,
    header: Vec<String>,
    /// How many of the first columns hold texts, which are flush left; the others are flush right.
    texts: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(super) fn new(caption: String, label: String, texts: usize, header: &[&str]) -> Self {
        Self {
            caption,
            label,
            groups: Vec::new(),
            header: header.iter().map(|&cell| cell.to_owned()).collect(),
            texts,
            rows: Vec::new(),
        }
    }

    /// The table with a line above its header: each text over as many columns, after those that hold texts.
    pub(super) fn grouped(mut self, groups: Vec<(String, usize)>) -> Self {
        self.groups = groups;
        self
    }

    /// Adds a row of as many cells as the header has.
    pub(super) fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.header.len(), "a cell per column");
        self.rows.push(row);
    }

    /// Whether there is no row.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as a float.
    pub(super) fn float(&self) -> String {
        let alignment = "l".repeat(self.texts) + &"r".repeat(self.header.len() - self.texts);
        let mut text = format!(
            "\\begin{{table}}\n  \\centering\n  \\footnotesize\n  \\caption{{{}}}\n  \\label{{{}}}\n  \\smallskip\n  \
             \\begin{{tabular}}{{@{{}}{alignment}@{{}}}}\n    \\toprule\n",
            self.caption, self.label
        );
        let line = |cells: &[String]| format!("    {} \\\\\n", cells.join(" & "));
        if !self.groups.is_empty() {
            let mut cells = vec![String::new(); self.texts];
            let mut rules = String::new();
            let mut first = self.texts + 1;
            for (group, columns) in &self.groups {
                cells.push(format!("\\multicolumn{{{columns}}}{{c}}{{{group}}}"));
                rules += &format!("\\cmidrule(lr){{{first}-{}}}", first + columns - 1);
                first += columns;
            }
            text += &format!("{}    {rules}\n", line(&cells));
        }
        text.push_str(&line(&self.header));
        text.push_str("    \\midrule\n");
        for row in &self.rows {
            text.push_str(&line(row));
        }
        text.push_str("    \\bottomrule\n  \\end{tabular}\n\\end{table}\n");
        text
    }
}
