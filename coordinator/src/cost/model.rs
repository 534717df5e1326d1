//! Processor seconds of a job by series.

use std::collections::HashMap;

use loto_proto::identity::Fingerprint;
use loto_proto::job::{MethodSpec, Series};
use loto_proto::trace::Trace;

/// Traces looked at per series: seeds differ little in cost.
const SAMPLES: usize = 3;

/// What an iteration costs however few rows there are (a surrogate's fit), in rows: the
/// measured cost of `gp` on FCNET then predicts those on the other public tables within half.
const ROWS_WORTH_OF_AN_ITERATION: f64 = 1500.0;

/// Seconds per row and iteration before anything is measured. Only ratios matter
/// then: no time left is told.
const UNMEASURED: f64 = 1e-6;

/// Mean processor seconds of the jobs of each series of a sweep.
///
/// A series none of whose traces was measured is estimated by the first of these for
/// which there is a measurement:
/// 1. the mean of the same method on other tasks of the table, for as many iterations;
/// 2. the same method on other tables, in proportion to the work;
/// 3. the mean of all methods on the table, for as many iterations;
/// 4. everything measured, in proportion to the work;
/// 5. the work alone.
///
/// The work is the number of iterations times that of rows, each of which may be chosen, and
/// a constant.
/// What methods share, such as a fitted prior, counts for the job that computed it.
/// The model keeps a few numbers per series, however many traces there are.
#[derive(Debug, Clone)]
pub(crate) struct CostModel {
    series: Vec<MeasuredSeries>,
    seconds: Vec<f64>,
    /// Whether the seconds of a series follow from traces of its method.
    timed: Vec<bool>,
}

/// What is known of one series.
#[derive(Debug, Clone)]
struct MeasuredSeries {
    method: MethodSpec,
    table: Fingerprint,
    iterations: u32,
    /// Iterations times rows, those that an iteration is worth included.
    work: f64,
    /// Whether the number of rows is known: without it, tables cannot be compared by their work.
    rows_are_known: bool,
    /// Seeds looked at.
    seeds: Vec<u32>,
    measured: Mean,
}

/// A mean that grows.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, sum: f64, weight: f64) {
        self.sum += sum;
        self.weight += weight;
    }

    fn value(self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

impl CostModel {
    /// A model of these series that has measured nothing; `rows` gives the number of
    /// rows of a series' task, where it is known.
    pub(crate) fn new<'a>(
        series: impl IntoIterator<Item = &'a Series>,
        rows: impl Fn(&Series) -> Option<usize>,
    ) -> Self {
        let series = series.into_iter().map(|series| {
            let rows = rows(series);
            MeasuredSeries {
                method: series.method.clone(),
                table: series.table,
                iterations: series.iterations,
                work: f64::from(series.iterations)
                    * (rows.unwrap_or(0) as f64 + ROWS_WORTH_OF_AN_ITERATION),
                rows_are_known: rows.is_some(),
                seeds: Vec::new(),
                measured: Mean::default(),
            }
        });
        let mut model = Self {
            series: series.collect(),
            seconds: Vec::new(),
            timed: Vec::new(),
        };
        model.estimate();
        model
    }

    /// Processor seconds that a job of each series is expected to take, in the order
    /// in which the series were given.
    pub(crate) fn seconds(&self) -> &[f64] {
        &self.seconds
    }

    /// Whether what a job of a series is expected to take follows from traces of its method: on its table, or on
    /// others if their rows are known.
    pub(crate) fn is_timed(&self, series: usize) -> bool {
        self.timed[series]
    }

    /// How many more traces of a series are worth looking at.
    pub(crate) fn samples_wanted(&self, series: usize) -> usize {
        SAMPLES - self.series[series].seeds.len().min(SAMPLES)
    }

    /// Whether a seed of a series was looked at.
    pub(crate) fn has_seen(&self, series: usize, seed: u32) -> bool {
        self.series[series].seeds.contains(&seed)
    }

    /// Takes in a trace; `None` for one that cannot be read, so that it is not asked
    /// for again. [`Self::estimate`] makes it count.
    pub(crate) fn measure(&mut self, series: usize, seed: u32, trace: Option<&Trace>) {
        let series = &mut self.series[series];
        series.seeds.push(seed);
        if let Some(trace) = trace {
            series.measured.add(trace.cpu_time().as_secs_f64(), 1.0);
        }
    }

    /// Brings [`Self::seconds`] up to date with what was measured.
    pub(crate) fn estimate(&mut self) {
        let mut by_method_on_table: HashMap<_, Mean> = HashMap::new();
        let mut by_method: HashMap<_, Mean> = HashMap::new();
        let mut by_table: HashMap<_, Mean> = HashMap::new();
        let mut overall = Mean::default();
        for series in &self.series {
            let Mean { sum, weight } = series.measured;
            let on_table = (series.table, series.iterations);
            let everywhere = weight * series.work;
            let mean = by_method_on_table.entry((&series.method, on_table));
            mean.or_default().add(sum, weight);
            let mean = by_method.entry(&series.method);
            mean.or_default().add(sum, everywhere);
            by_table.entry(on_table).or_default().add(sum, weight);
            overall.add(sum, everywhere);
        }
        let estimate = |series: &MeasuredSeries| {
            let on_table = (series.table, series.iterations);
            let in_proportion = |per_work: f64| per_work * series.work;
            let value = |mean: Option<&Mean>| mean.copied().and_then(Mean::value);
            value(Some(&series.measured))
                .or_else(|| value(by_method_on_table.get(&(&series.method, on_table))))
                .or_else(|| value(by_method.get(&series.method)).map(in_proportion))
                .or_else(|| value(by_table.get(&on_table)))
                .or_else(|| overall.value().map(in_proportion))
                .unwrap_or_else(|| in_proportion(UNMEASURED))
        };
        let is_timed = |series: &MeasuredSeries| {
            let on_table = (series.table, series.iterations);
            let has_value = |mean: Option<&Mean>| mean.is_some_and(|mean| mean.weight > 0.0);
            has_value(by_method_on_table.get(&(&series.method, on_table)))
                || (series.rows_are_known && has_value(by_method.get(&series.method)))
        };
        self.seconds = self.series.iter().map(estimate).collect();
        self.timed = self.series.iter().map(is_timed).collect();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A series of method, table and task; tables 1 and 2 have 10 and 100 rows per task.
    fn series(method: &str, table: u8, task: &str) -> Series {
        Series {
            method: MethodSpec {
                name: None,
                id: method.into(),
                version: 1,
                parameters: BTreeMap::new(),
                program: None,
            },
            table: Fingerprint([table; 16]),
            task: task.into(),
            iterations: 2,
        }
    }

    fn rows(series: &Series) -> Option<usize> {
        Some(10usize.pow(u32::from(series.table.0[0])))
    }

    fn trace(seconds: u32) -> Trace {
        Trace {
            rows: vec![0, 1],
            values: vec![0.5, 0.25],
            further_values: Vec::new(),
            microseconds: vec![seconds * 500_000, seconds * 250_000],
            preparation_microseconds: u64::from(seconds) * 250_000,
            linear_algebra: String::new(),
            program: Default::default(),
        }
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn nothing_measured_costs_in_proportion_to_the_work() {
        let all = [series("rs", 1, "a"), series("rs", 2, "a")];
        let model = CostModel::new(&all, rows);
        // Two iterations of 1500 and 10 or 100 rows.
        assert_close(model.seconds(), &[3.02e-3, 3.2e-3]);
    }

    #[test]
    fn what_is_not_measured_is_estimated_by_what_is_nearest() {
        let all = [
            series("gp", 1, "a"),
            series("gp", 1, "b"),
            series("gp", 2, "a"),
            series("ts", 1, "a"),
            series("ts", 2, "a"),
        ];
        let mut model = CostModel::new(&all, rows);
        model.measure(0, 0, Some(&trace(2)));
        model.measure(0, 1, Some(&trace(4)));
        assert!(
            model.seconds()[0] < 1.0,
            "nothing counts before it is asked to"
        );
        model.estimate();
        let timed = |model: &CostModel| (0..5).map(|s| model.is_timed(s)).collect::<Vec<_>>();
        assert_eq!(timed(&model), [true, true, true, false, false]);
        let mut without_rows = CostModel::new(&all, |_| None);
        without_rows.measure(0, 0, Some(&trace(2)));
        without_rows.estimate();
        assert_eq!(timed(&without_rows), [true, true, false, false, false]);
        // Measured; the same method on the same table; the same method at 3 / 3020
        // seconds per unit of work, 3200 units; the table's mean; all that is measured.
        let scaled = 3.0 / 3020.0 * 3200.0;
        assert_close(model.seconds(), &[3.0, 3.0, scaled, 3.0, scaled]);
        model.measure(2, 0, Some(&trace(8)));
        model.estimate();
        // `ts` on table 2: the table's mean, now that there is one.
        assert_close(model.seconds(), &[3.0, 3.0, 8.0, 3.0, 8.0]);
        model.measure(3, 0, Some(&trace(1)));
        model.estimate();
        // `ts` on table 2: `ts` at 1 / 3020 seconds per unit of work.
        let scaled = 1.0 / 3020.0 * 3200.0;
        assert_close(model.seconds(), &[3.0, 3.0, 8.0, 1.0, scaled]);
    }

    #[test]
    fn a_few_traces_are_enough_and_damaged_ones_are_not_asked_for_again() {
        let all = [series("gp", 1, "a")];
        let mut model = CostModel::new(&all, |_| None);
        assert_eq!(model.samples_wanted(0), 3);
        model.measure(0, 5, None);
        model.measure(0, 6, Some(&trace(2)));
        model.estimate();
        assert_close(model.seconds(), &[2.0]);
        assert!(model.has_seen(0, 5) && !model.has_seen(0, 7));
        model.measure(0, 7, Some(&trace(2)));
        assert_eq!(model.samples_wanted(0), 0);
    }

    #[test]
    fn other_parameters_are_another_method() {
        let mut plain = series("gp", 1, "a");
        plain
            .method
            .parameters
            .insert("hyperprior".into(), "none".into());
        let all = [series("gp", 1, "a"), plain, series("rs", 1, "a")];
        let mut model = CostModel::new(&all, rows);
        model.measure(0, 0, Some(&trace(3)));
        model.measure(2, 0, Some(&trace(1)));
        model.estimate();
        // The second is not the first: it is estimated by the table's mean.
        assert_close(model.seconds(), &[3.0, 2.0, 1.0]);
    }
}
