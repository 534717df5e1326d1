//! The sweeps of a simulation, over a table of two tasks with six rows each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use loto_coordinator::plan::{Plan, SweepSource};

use crate::small_sweep::Folder;

/// The values of the rows, the same for both tasks.
pub(crate) const VALUES: [f64; 6] = [0.5, 0.25, 0.75, 0.2, 0.9, 0.1];

const SWEEP: &str = r#"
name = "simulated"
methods = ["rs", "gp", "gcp"]
seeds = 9
iterations = 6
[[blackbox]]
name = "box"
table = "simulated.csv"
objective = "metric_error"
"#;

/// The method that only workers of the newer release know.
pub(crate) const NEW_METHOD: &str = "gcp";

/// The plan of a sweep of the first so many methods and seeds, which shares jobs with every other one.
pub(crate) fn plan(methods: usize, seeds: u32) -> Arc<Plan> {
    static PLANS: Mutex<BTreeMap<(usize, u32), Arc<Plan>>> = Mutex::new(BTreeMap::new());
    let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    let plan = plans.entry((methods, seeds));
    Arc::clone(plan.or_insert_with(|| Arc::new(read(methods, seeds))))
}

fn read(methods: usize, seeds: u32) -> Plan {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = Folder::with_sweep(SWEEP);
        let mut table = String::from("hp_a,metric_error,task\n");
        for task in ["one", "two"] {
            for (row, value) in VALUES.iter().enumerate() {
                table.push_str(&format!("{row},{value},{task}\n"));
            }
        }
        folder.write("simulated.csv", table);
        folder
    });
    let source = SweepSource::File(folder.sweep());
    let mut plan = Plan::read(&source, None).expect("the sweep file of the simulation is right");
    plan.sweep.seeds = seeds;
    plan.sweep.blackboxes[0].methods.truncate(methods);
    plan
}
