//! What a method is: a description, and a way to start a search.

use std::fmt;

use super::parameters::{ParameterDescription, Parameters};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::table::Table;
use crate::table::encoding::Kind;

/// A method: what a user may know of it, and how it starts.
pub struct Method {
    /// Id in sweep files.
    pub id: &'static str,
    /// Raised whenever the traces change.
    pub version: u32,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The spaces it can search.
    pub spaces: Spaces,
    /// Parameters a sweep file may set.
    pub parameters: &'static [ParameterDescription],
    /// Starts a search.
    pub(super) start: Start,
}

/// The search spaces a method is made for. Displayed, it completes "it searches ...".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spaces {
    /// Any.
    All,
    /// Those whose hyperparameters are all categorical.
    Categorical,
    /// Any, of a table that describes its tasks by features.
    WithFeatures,
    /// Any, of a table with two objectives.
    OfTwoObjectives,
}

impl fmt::Display for Spaces {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::All => "any space",
            Self::Categorical => "only spaces whose hyperparameters are all categorical",
            Self::OfTwoObjectives => "any space whose sweep file declares two objectives",
            Self::WithFeatures => "any space whose sweep file declares features of the tasks",
        })
    }
}

pub(super) type Start =
    for<'a> fn(&Setting<'a>, &Parameters) -> Result<Box<dyn Search + 'a>, EngineError>;

impl Method {
    /// Checks that the method can search the space of a table.
    ///
    /// # Errors
    /// [`EngineError::UnsuitableSpace`], naming a hyperparameter that is in the way; [`EngineError::NoFeatures`] if
    /// the method needs to know how alike tasks are, and nothing describes them; [`EngineError::OtherObjectives`] if it
    /// is made for two objectives and the table has another number.
    pub fn check_table(&self, table: &Table) -> Result<(), EngineError> {
        let numeric = table
            .space
            .hyperparameters
            .iter()
            .find(|hyperparameter| matches!(hyperparameter.kind, Kind::Numeric { .. }));
        match (self.spaces, numeric) {
            (Spaces::Categorical, Some(numeric)) => Err(EngineError::UnsuitableSpace {
                method: self.id.to_owned(),
                hyperparameter: numeric.name.clone(),
            }),
            (Spaces::OfTwoObjectives, _) if table.objectives.len() != 2 => {
                Err(EngineError::OtherObjectives {
                    method: self.id.to_owned(),
                    found: table.objectives.len(),
                })
            }
            (Spaces::WithFeatures, _) if !table.has_features() => Err(EngineError::NoFeatures {
                method: self.id.to_owned(),
            }),
            _ => Ok(()),
        }
    }
}
