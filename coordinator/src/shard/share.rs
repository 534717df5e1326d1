//! Which jobs a shard has.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use loto_proto::identity::Fingerprint;
use loto_proto::job::Series;

use super::name::Shard;
use crate::cost::CostModel;
use crate::plan::Plan;

/// Costs are added as whole numbers, so that their sums do not depend on the order: so many make a second.
const UNITS_PER_SECOND: f64 = 1e9;

/// The jobs of one shard.
///
/// What is handed out as a whole are all jobs on one target with one seed: methods share fits that depend on these, which are
/// then computed by one shard. Longest processing time first: the costliest of what is left goes to the shard that
/// has least (Graham, *Bounds on multiprocessing timing anomalies*, 1969), so that no shard has more than 4/3 of the
/// cost in the best partition. The costs are those of the plan before anything is measured; every shard finds the same
/// partition from the sweep file and the tables alone.
#[derive(Debug, Clone)]
pub(crate) struct Share {
    /// By table and target, whether the seeds are the shard's.
    seeds: HashMap<(Fingerprint, String), Vec<bool>>,
}

impl Share {
    /// The jobs of this shard of a planned sweep.
    pub(crate) fn of(shard: Shard, plan: &Plan) -> Self {
        let series: Vec<Series> = plan.sweep.series().collect();
        let costs = CostModel::new(&series, |series| plan.rows(series));
        let mut targets: Vec<(Fingerprint, String)> = Vec::new();
        let mut cost_of: HashMap<(Fingerprint, String), u128> = HashMap::new();
        for (series, seconds) in series.iter().zip(costs.seconds()) {
            let target = (series.table, series.task.clone());
            let cost = cost_of.entry(target.clone()).or_insert_with(|| {
                targets.push(target);
                0
            });
            *cost += (seconds * UNITS_PER_SECOND).round() as u128;
        }
        // The costliest first; those of equal cost in the order of the sweep.
        targets.sort_by_key(|target| Reverse(cost_of[target]));
        let seeds = plan.sweep.seeds;
        let of = u64::from(shard.of).min(targets.len() as u64 * u64::from(seeds));
        // Those beyond have nothing.
        let mut loads: BinaryHeap<Reverse<(u128, u64)>> =
            (1..=of).map(|number| Reverse((0, number))).collect();
        let mut share = HashMap::new();
        for target in targets {
            let cost = cost_of[&target];
            let mut next = || {
                let mut least = loads.peek_mut()?;
                least.0.0 += cost;
                Some(least.0.1)
            };
            let ours = Some(u64::from(shard.number));
            let is_ours: Vec<bool> = (0..seeds).map(|_| next() == ours).collect();
            share.insert(target, is_ours);
        }
        Self { seeds: share }
    }

    /// Whether the shard has the job of a series with each seed.
    pub(crate) fn seeds(&self, series: &Series) -> Vec<bool> {
        let target = (series.table, series.task.clone());
        self.seeds.get(&target).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;

    use loto_proto::identity::JobId;

    use super::*;
    use crate::plan::SweepSource;

    /// A sweep of two black boxes; the targets of the second have ten times the rows of those of the first.
    fn plan(folder: &std::path::Path) -> Plan {
        let mut sweep =
            String::from("name = \"s\"\nmethods = [\"rs\", \"gp\"]\nseeds = 5\niterations = 4\n");
        for (name, rows) in [("small", 100), ("large", 1000)] {
            let mut table = String::from("hp_a,metric_error,task\n");
            for task in ["one", "two", "three"] {
                for row in 0..rows {
                    table.push_str(&format!("{row},{},{task}\n", (row * 7) % rows));
                }
            }
            fs::write(folder.join(format!("{name}.csv")), table).unwrap();
            sweep.push_str(&format!(
                "[[blackbox]]\nname = \"{name}\"\ntable = \"{name}.csv\"\nobjective = \"metric_error\"\n"
            ));
        }
        let file = folder.join("sweep.toml");
        fs::write(&file, sweep).unwrap();
        Plan::read(&SweepSource::File(file), None).unwrap()
    }

    fn jobs(plan: &Plan, number: u32, of: u32) -> Vec<(Series, u32)> {
        let share = Share::of(Shard { number, of }, plan);
        let jobs = plan.sweep.series().flat_map(|series| {
            let seeds = share.seeds(&series);
            let ours = (0..).zip(seeds).filter(|(_, ours)| *ours);
            ours.map(|(seed, _)| (series.clone(), seed))
                .collect::<Vec<_>>()
        });
        jobs.collect()
    }

    #[test]
    fn every_job_is_in_one_shard_beside_those_that_share_its_fits() {
        let folder = tempfile::tempdir().unwrap();
        let plan = plan(folder.path());
        for of in [1, 2, 7, 30, 1000] {
            let mut seen = BTreeSet::new();
            let mut shard_of: BTreeMap<(String, String, u32), u32> = BTreeMap::new();
            for number in 1..=of {
                for (series, seed) in jobs(&plan, number, of) {
                    assert!(seen.insert(JobId::new(series.id(), seed)), "twice");
                    let unit = (series.table.to_string(), series.task, seed);
                    assert_eq!(*shard_of.entry(unit).or_insert(number), number);
                }
            }
            assert_eq!(seen.len() as u64, plan.sweep.job_count());
            assert_eq!(shard_of.len(), 30, "targets by seeds");
            let at_work: BTreeSet<u32> = shard_of.into_values().collect();
            assert_eq!(at_work.len(), 30.min(of as usize));
        }
    }

    #[test]
    fn shards_are_balanced_as_far_as_the_bound_says() {
        let folder = tempfile::tempdir().unwrap();
        let plan = plan(folder.path());
        let series: Vec<Series> = plan.sweep.series().collect();
        let costs = CostModel::new(&series, |series| plan.rows(series));
        let cost_of: HashMap<_, f64> = series
            .iter()
            .map(Series::id)
            .zip(costs.seconds().iter().copied())
            .collect();
        for of in [2, 3, 4, 7] {
            let load = |number| -> f64 {
                let jobs = jobs(&plan, number, of);
                jobs.iter().map(|(series, _)| cost_of[&series.id()]).sum()
            };
            let loads: Vec<f64> = (1..=of).map(load).collect();
            let total: f64 = loads.iter().sum();
            let most = loads.iter().copied().fold(0.0, f64::max);
            // The best partition has no less than the mean, and no less than the costliest unit.
            let unit = 2.0 * costs.seconds().iter().copied().fold(0.0, f64::max);
            let least = unit.max(total / f64::from(of));
            assert!(most <= least * (4.0 / 3.0), "{of}: {loads:?}");
        }
    }
}
