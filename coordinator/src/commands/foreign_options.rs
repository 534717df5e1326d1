//! What is done with recorded values that are in no table.

use clap::Args;

use crate::score::{ForeignRuleError, ForeignValues};

/// What is done with foreign values; without an option they are refused.
#[derive(Debug, Args)]
pub(super) struct ForeignOptions {
    /// Score foreign values as they were recorded, on all black boxes or on those named.
    #[arg(
        long,
        env = "LOTO_ALLOW_FOREIGN_VALUES",
        value_name = "BLACKBOX,...",
        num_args = 0..,
        require_equals = true,
        value_delimiter = ','
    )]
    allow_foreign_values: Option<Vec<String>>,

    /// Count an iteration with a foreign value as spent without a result, on all black
    /// boxes or on those named.
    #[arg(
        long,
        env = "LOTO_DROP_FOREIGN_VALUES",
        value_name = "BLACKBOX,...",
        num_args = 0..,
        require_equals = true,
        value_delimiter = ','
    )]
    drop_foreign_values: Option<Vec<String>>,
}

impl ForeignOptions {
    /// The rules that the options say.
    ///
    /// # Errors
    /// [`ForeignRuleError`] if they contradict each other.
    pub(super) fn rules(&self) -> Result<ForeignValues, ForeignRuleError> {
        ForeignValues::new(
            self.allow_foreign_values.as_deref(),
            self.drop_foreign_values.as_deref(),
        )
    }
}
