//! What an acquisition function is.

/// An acquisition function over the rows of a target, to be maximised.
///
/// `mean` and `std_dev` are the surrogate's prediction for the row. What bounds on them say of the value, only
/// [`Self::may_reach`] can tell: a weight by precision, for one, falls as the standard deviation grows.
pub trait Acquisition {
    /// The value of a row.
    fn value(&self, row: usize, mean: f64, std_dev: f64) -> f64;

    /// False only if the value is below `best` at this and every smaller standard deviation and greater mean;
    /// cheaper than the value itself.
    fn may_reach(&self, row: usize, mean: f64, std_dev: f64, best: f64) -> bool;

    /// Sets to false, of the `open` flags of these `rows`, some whose values are below `best` in the sense of [`Self::may_reach`]: those
    /// that a test finds which takes all rows at once.
    fn rule_out(
        &self,
        _rows: &[u32],
        _means: &[f64],
        _std_devs: &[f64],
        _best: f64,
        _open: &mut [bool],
    ) {
    }
}
