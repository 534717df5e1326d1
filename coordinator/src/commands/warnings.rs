//! Tells what a sweep file probably does not mean, before its jobs are run.

use crate::plan::Plan;

/// Logs each warning of a plan, in one line.
pub(super) fn warn_of(plan: &Plan) {
    for warning in &plan.warnings {
        tracing::warn!("{warning}");
    }
}
