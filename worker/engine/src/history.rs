//! What a search has seen of its target.

/// The rows evaluated so far, with their values.
pub struct History {
    /// In order of evaluation.
    pub rows: Vec<u32>,
    /// Objective values of those rows.
    pub values: Vec<f64>,
    /// Whether each row of the target is evaluated.
    pub evaluated: Vec<bool>,
}

impl History {
    /// Nothing is evaluated yet, of a target with `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self {
            rows: Vec::new(),
            values: Vec::new(),
            evaluated: vec![false; rows],
        }
    }

    /// Records an evaluation.
    pub fn record(&mut self, row: u32, value: f64) {
        self.rows.push(row);
        self.values.push(value);
        self.evaluated[row as usize] = true;
    }
}
