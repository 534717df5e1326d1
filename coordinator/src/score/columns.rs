//! Finds the columns of a file of traces.

use csv::StringRecord;
use loto_proto::excerpt::{excerpt, list};

use super::error::TracesProblem;

/// What the columns of a file are looked up for: a black box with the names of its hyperparameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnsOfBlackbox<'a> {
    pub(super) name: &'a str,
    pub(super) hyperparameters: &'a [String],
}

/// Where the columns are.
#[derive(Debug)]
pub(super) struct Columns {
    /// Absent if the sweep has one black box.
    pub(super) blackbox: Option<usize>,
    pub(super) task: usize,
    pub(super) optimizer: usize,
    pub(super) seed: usize,
    pub(super) iteration: usize,
    pub(super) value: usize,
    pub(super) row: Option<usize>,
    pub(super) seconds: Option<usize>,
    /// By black box, the columns of its hyperparameters in the order of its table; none if the file
    /// has none of them.
    pub(super) hyperparameters: Vec<Vec<usize>>,
}

impl Columns {
    /// Finds the columns in the header.
    ///
    /// # Errors
    /// [`TracesProblem::MissingColumn`], [`TracesProblem::DoubleColumn`], [`TracesProblem::OptimizerTwice`],
    /// [`TracesProblem::MissingHyperparameter`].
    pub(super) fn find(
        header: &StringRecord,
        blackboxes: &[ColumnsOfBlackbox<'_>],
    ) -> Result<Self, TracesProblem> {
        let header = Header(header);
        let blackbox = header.position("blackbox")?;
        if blackbox.is_none() && blackboxes.len() != 1 {
            return Err(header.missing("blackbox"));
        }
        let optimizer = match (header.position("optimizer")?, header.position("method")?) {
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return Err(header.missing("optimizer")),
            (Some(_), Some(_)) => return Err(TracesProblem::OptimizerTwice),
        };
        let of_blackboxes = blackboxes.iter();
        let hyperparameters = of_blackboxes.map(|blackbox| header.hyperparameters(blackbox));
        Ok(Self {
            blackbox,
            task: header.needed("task")?,
            optimizer,
            seed: header.needed("seed")?,
            iteration: header.needed("iteration")?,
            value: header.needed("value")?,
            row: header.position("row")?,
            seconds: header.position("seconds")?,
            hyperparameters: hyperparameters.collect::<Result<_, _>>()?,
        })
    }
}

struct Header<'a>(&'a StringRecord);

impl Header<'_> {
    fn needed(&self, column: &'static str) -> Result<usize, TracesProblem> {
        let position = self.position(column)?;
        position.ok_or_else(|| self.missing(column))
    }

    fn missing(&self, column: &'static str) -> TracesProblem {
        TracesProblem::MissingColumn {
            column,
            known: list(self.0.iter().map(str::trim)),
        }
    }

    fn position(&self, column: &str) -> Result<Option<usize>, TracesProblem> {
        let names = self.0.iter().enumerate();
        let mut found = names.filter(|(_, name)| name.trim() == column);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(TracesProblem::DoubleColumn(excerpt(column))),
            (found, _) => Ok(found.map(|(position, _)| position)),
        }
    }

    /// The columns of a black box's hyperparameters: all of them or none.
    fn hyperparameters(
        &self,
        blackbox: &ColumnsOfBlackbox<'_>,
    ) -> Result<Vec<usize>, TracesProblem> {
        let names = blackbox.hyperparameters.iter();
        let positions: Vec<_> = names
            .map(|name| self.position(name))
            .collect::<Result<_, _>>()?;
        if positions.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let numbered = positions.iter().zip(blackbox.hyperparameters);
        let mut missing = numbered.filter(|(position, _)| position.is_none());
        match missing.next() {
            None => Ok(positions.into_iter().flatten().collect()),
            Some((_, column)) => Err(TracesProblem::MissingHyperparameter {
                column: excerpt(column),
                blackbox: blackbox.name.to_owned(),
            }),
        }
    }
}
