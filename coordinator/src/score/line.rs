//! Reads one line of a file of traces and checks it against the table.

use csv::StringRecord;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_ITERATIONS, MAX_MAGNITUDE};
use loto_report::csv_text::text_of_cell;

use super::columns::Columns;
use super::error::LineProblem;
use super::evaluation::Evaluation;
use super::foreign::{OnForeign, is_recorded_as};
use super::targets::{TargetBlackbox, Targets};

/// A line of the file.
pub(super) struct Line<'a> {
    pub(super) record: &'a StringRecord,
    pub(super) number: u64,
    pub(super) columns: &'a Columns,
}

impl<'a> Line<'a> {
    /// The name of the optimizer.
    pub(super) fn optimizer(&self) -> &'a str {
        text_of_cell(self.field(self.columns.optimizer))
    }

    /// The positions of the black box and of its task.
    pub(super) fn target(&self, targets: &Targets<'_>) -> Result<(usize, usize), LineProblem> {
        let blackbox = match self.columns.blackbox {
            Some(column) => targets.find_blackbox(self.field(column))?,
            None => 0,
        };
        let task = targets.blackboxes[blackbox].find_task(self.field(self.columns.task))?;
        Ok((blackbox, task))
    }

    /// The seed, which may be any number.
    pub(super) fn seed(&self) -> Result<u32, LineProblem> {
        self.whole("seed", self.columns.seed, u32::MAX)
    }

    /// What was evaluated. Where foreign values are refused, its row must have its value.
    pub(super) fn evaluation(
        &self,
        blackbox: &TargetBlackbox,
        task: usize,
        on_foreign: OnForeign,
        hyperparameters: &[usize],
    ) -> Result<Evaluation, LineProblem> {
        let text = self.field(self.columns.value);
        let number = text.parse().ok();
        let number = number.filter(|number: &f64| number.abs() <= MAX_MAGNITUDE);
        let value = number.ok_or_else(|| LineProblem::NoValue(excerpt(text)))?;
        let mut row = self.row()?;
        if on_foreign == OnForeign::Refuse {
            let found = self.configuration(blackbox, task, hyperparameters)?;
            if let (Some(said), Some(found)) = (row, found)
                && said != found
            {
                return Err(LineProblem::OtherRow { said, found });
            }
            row = row.or(found);
            if let Some(row) = row {
                check_value(row, value, blackbox, task)?;
            }
        }
        Ok(Evaluation {
            iteration: self.whole("iteration", self.columns.iteration, MAX_ITERATIONS)?,
            value,
            row,
            seconds: self.seconds()?,
            line: self.number,
        })
    }

    fn field(&self, column: usize) -> &'a str {
        self.record.get(column).unwrap_or_default()
    }

    fn whole(&self, column: &'static str, position: usize, most: u32) -> Result<u32, LineProblem> {
        let text = self.field(position);
        let number = text.parse().ok().filter(|number| *number <= most);
        number.ok_or_else(|| LineProblem::NoWholeNumber {
            column,
            text: excerpt(text),
            most,
        })
    }

    fn row(&self) -> Result<Option<u32>, LineProblem> {
        match self.columns.row {
            Some(column) if !self.field(column).is_empty() => {
                self.whole("row", column, u32::MAX).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn seconds(&self) -> Result<Option<f64>, LineProblem> {
        let text = self.columns.seconds.map(|column| self.field(column));
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let seconds = text.parse().ok();
        let seconds = seconds.filter(|seconds| (0.0..=MAX_MAGNITUDE).contains(seconds));
        let wrong = || LineProblem::NoSeconds(excerpt(text));
        seconds.map(Some).ok_or_else(wrong)
    }

    /// The row with the configuration of the line, if the file has configurations.
    fn configuration(
        &self,
        blackbox: &TargetBlackbox,
        task: usize,
        hyperparameters: &[usize],
    ) -> Result<Option<u32>, LineProblem> {
        let Some(configurations) = &blackbox.configurations else {
            return Ok(None);
        };
        let name = &blackbox.tasks[task].name;
        let fields = hyperparameters.iter().map(|&column| self.field(column));
        let row = configurations.row(name, fields.map(str::as_bytes));
        row.map(Some).map_err(|_| {
            let columns = blackbox.hyperparameters.iter().zip(hyperparameters);
            let values = columns.map(|(name, &column)| format!("{name} = {}", self.field(column)));
            LineProblem::UnknownConfiguration {
                task: name.clone(),
                configuration: excerpt(&values.collect::<Vec<_>>().join(", ")),
            }
        })
    }
}

/// Checks that the table has the value in this row.
fn check_value(
    row: u32,
    value: f64,
    blackbox: &TargetBlackbox,
    task: usize,
) -> Result<(), LineProblem> {
    let task = &blackbox.tasks[task];
    let known = task.by_row.get(row as usize);
    let known = *known.ok_or_else(|| LineProblem::UnknownRow {
        row,
        task: task.name.clone(),
        rows: task.by_row.len(),
    })?;
    match is_recorded_as(known, blackbox.direction.turn(value)) {
        true => Ok(()),
        false => Err(LineProblem::OtherValue {
            value,
            row,
            task: task.name.clone(),
            known: blackbox.direction.turn(known),
        }),
    }
}
