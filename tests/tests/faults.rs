//! A sweep over RabbitMQ and Redis, or over a host, comes to its right end by itself, whatever fails on the way.
//!
//! `LOTO_FAULTS` says how many faults there are to be, `LOTO_FAULT_SEED` which: the same
//! seed gives the same schedule. `make faults` is the long form.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use loto_tests::faults::installation::Carrier;
use loto_tests::faults::round;
use loto_tests::faults::schedule::{self, Kind, Schedule};
use loto_tests::faults::verdict::Undisturbed;
use loto_tests::{samples, settings, skipped};

const METHODS: [&str; 3] = ["gp", "gcp", "gcp-prior"];
const TARGETS: [&str; 3] = ["digits-3-vs-8", "wine-noisy", "diabetes-median"];

/// Enough for jobs of about a tenth of a second, so that the faults hit running ones.
const ITERATIONS: usize = 110;

/// Faults of the short form.
const FEW: u64 = 15;

/// Most faults of one sweep.
const FAULTS_PER_ROUND: u64 = 40;

/// Seeds of the short and of the long form, so that a sweep lasts about as long as its faults.
const SEEDS: (usize, usize) = (17, 130);

/// Rounds of all tests follow each other, so that the processes of none are too busy.
static TURN: Mutex<()> = Mutex::new(());

/// The sweep of all tests, which is run undisturbed once.
static UNDISTURBED: OnceLock<Undisturbed> = OnceLock::new();

#[test]
fn a_sweep_outlives_its_faults() {
    let schedules = [Schedule::short, Schedule::long];
    outlives("faults", Carrier::Servers, schedules);
}

#[test]
fn a_sweep_outlives_partitions_alarms_and_a_lost_history() {
    let schedules = [Schedule::short_campaign, Schedule::campaign];
    outlives("campaign", Carrier::Servers, schedules);
}

#[test]
fn a_sweep_over_a_host_outlives_its_faults() {
    let schedules = [Schedule::short_of_host, Schedule::long_of_host];
    outlives("host", Carrier::Host, schedules);
}

/// An empty folder of that name for what is looked at if a test fails.
fn clean_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run left.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs rounds under the short or the long form of a schedule.
fn outlives(name: &str, carrier: Carrier, [short, long]: [fn(u64) -> Schedule; 2]) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let faults = settings::number("LOTO_FAULTS", FEW);
    let first_seed = settings::number("LOTO_FAULT_SEED", 1);
    let is_short = faults <= FEW;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = clean_folder(&format!("{name}-{first_seed}"));

    let begin = Instant::now();
    let seeds = if is_short { SEEDS.0 } else { SEEDS.1 };
    let sweep = UNDISTURBED.get_or_init(|| {
        let folder = clean_folder("undisturbed");
        let sweep = samples::built_in_sweep("faults", &METHODS, &TARGETS, seeds, ITERATIONS);
        runtime.block_on(Undisturbed::run(&sweep, &folder))
    });
    println!(
        "{} jobs; undisturbed after {:.0} s",
        sweep.jobs().len(),
        begin.elapsed().as_secs_f64()
    );
    let mut total: BTreeMap<Kind, (u64, u64)> = BTreeMap::new();
    let mut complaints = Vec::new();
    let mut left = faults;
    for seed in first_seed.. {
        let most = left.min(FAULTS_PER_ROUND);
        println!("LOTO_FAULT_SEED={seed} LOTO_FAULTS={most}");
        let logs = folder.join(seed.to_string());
        fs::create_dir(&logs).unwrap();
        let schedule = if is_short { short(seed) } else { long(seed) };
        let poison = schedule::poison(seed, seeds as u32, !is_short);
        println!("misbehaving jobs, by seed: {poison:?}");
        let round = round::run(sweep, &poison, (carrier, schedule), most, &logs);
        let report = runtime.block_on(round);
        for (kind, (injected, skipped)) in report.faults {
            left = left.saturating_sub(injected + skipped);
            let sum = total.entry(kind).or_default();
            *sum = (sum.0 + injected, sum.1 + skipped);
        }
        for complaint in report.complaints {
            println!("wrong: {complaint}");
            complaints.push(format!("seed {seed}: {complaint}"));
        }
        if left == 0 {
            break;
        }
    }
    println!();
    for (kind, (injected, skipped)) in total {
        println!("{:20} {injected:4} injected", format!("{kind:?}"));
        if skipped > 0 {
            skipped::note(&format!("fault {kind:?}"), "no small disk can be mounted");
        }
    }
    println!("after {:.0} s", begin.elapsed().as_secs_f64());
    assert!(
        complaints.is_empty(),
        "logs are in {}\n{}",
        folder.display(),
        complaints.join("\n")
    );
    fs::remove_dir_all(&folder).unwrap();
}
