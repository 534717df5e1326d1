//! The columns that are measured: one objective or several, and what an evaluation costs.

use serde::{Deserialize, Deserializer};

use super::checks::{check_distinct, check_name};
use super::error::SweepFileProblem;
use super::features::FeaturesEntry;
use crate::excerpt::excerpt;
use crate::limits::MAX_OBJECTIVES;
use crate::table_spec::Direction;

/// Reads `objective`. The message that refuses a list names `objectives`.
pub(super) fn deserialize_one<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "expected the name of one column; several are listed in `objectives`"
    )]
    enum One {
        Column(String),
    }
    let One::Column(column) = One::deserialize(deserializer)?;
    Ok(Some(column))
}

/// Checks `objective`, or `objectives` and that there is no `direction` beside them.
pub(super) fn check(
    objective: Option<&String>,
    objectives: Option<&Vec<String>>,
    direction: Option<Direction>,
) -> Result<(), SweepFileProblem> {
    let objectives = match (objective, objectives) {
        (None, None) => return Err(SweepFileProblem::NoObjective),
        (Some(_), Some(_)) => return Err(SweepFileProblem::ObjectiveTwice),
        (Some(objective), None) => return check_one(objective),
        (None, Some(objectives)) => objectives,
    };
    check_distinct("objectives", objectives, MAX_OBJECTIVES)?;
    if objectives.len() < 2 {
        return Err(SweepFileProblem::FewObjectives);
    }
    if let Some(column) = objectives.iter().find(|column| column.starts_with("hp_")) {
        return Err(taken("objectives", column, "a hyperparameter"));
    }
    match direction {
        Some(_) => Err(SweepFileProblem::DirectionOfObjectives),
        None => Ok(()),
    }
}

fn check_one(objective: &str) -> Result<(), SweepFileProblem> {
    check_name("objective", objective)?;
    if objective.starts_with("hp_") {
        let objective = excerpt(objective);
        return Err(SweepFileProblem::HyperparameterObjective(objective));
    }
    Ok(())
}

/// Checks `cost`. It may be an objective, too: a time that is minimised and that curves are drawn over.
pub(super) fn check_cost(
    cost: &String,
    features: &FeaturesEntry,
    source_rows: Option<&String>,
) -> Result<(), SweepFileProblem> {
    check_name("cost", cost)?;
    let holds = match cost {
        cost if cost.starts_with("hp_") => "a hyperparameter",
        cost if features.columns().contains(cost) => "among features",
        cost if source_rows == Some(cost) => "source_rows",
        _ => return Ok(()),
    };
    Err(taken("cost", cost, holds))
}

fn taken(key: &'static str, column: &str, holds: &'static str) -> SweepFileProblem {
    let column = excerpt(column);
    SweepFileProblem::TakenColumn { key, column, holds }
}
