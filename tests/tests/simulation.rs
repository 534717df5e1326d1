//! Sweeps under faults on a simulated clock: what [`loto_tests::simulation`] checks holds for every seed.
//!
//! `LOTO_SIMULATIONS` says how many seeds are simulated, `LOTO_SIMULATION_FAULTS` with how many faults each, and
//! `LOTO_SIMULATION_SEED` which one alone, with its log.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use loto_tests::settings;
use loto_tests::simulation::{Outcome, Settings, simulate};

/// Seeds of the short form.
const FEW: u64 = 40;

/// Faults of each simulation.
const FAULTS: u64 = 1000;

/// Seeds whose logs are written at most.
const MOST_LOGS: usize = 10;

fn faults() -> u32 {
    settings::number("LOTO_SIMULATION_FAULTS", FAULTS) as u32
}

fn simulated(seed: u64, keeps_log: bool) -> Outcome {
    simulate(Settings {
        seed,
        faults: faults(),
        keeps_log,
    })
}

/// Simulates the seed again and writes its log.
fn write_log(seed: u64) -> String {
    let outcome = simulated(seed, true);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulation");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{seed}.log"));
    fs::write(&path, outcome.log).unwrap();
    path.display().to_string()
}

#[test]
fn the_promises_hold_whatever_fails() {
    if std::env::var_os("LOTO_SIMULATION_SEED").is_some() {
        let seed = settings::number("LOTO_SIMULATION_SEED", 0);
        let outcome = simulated(seed, true);
        println!("the log is {}", write_log(seed));
        println!("{:?} in {:?}", outcome.faults, outcome.simulated);
        assert!(outcome.violations.is_empty(), "{:#?}", outcome.violations);
        return;
    }
    let seeds = settings::number("LOTO_SIMULATIONS", FEW);
    let next = AtomicU64::new(0);
    let total = Mutex::new((BTreeMap::<&str, u64>::new(), Duration::ZERO));
    let broken = Mutex::new(BTreeMap::new());
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    let outcome = simulated(seed, false);
                    let mut total = total.lock().unwrap();
                    for (kind, count) in outcome.faults {
                        *total.0.entry(kind).or_default() += u64::from(count);
                    }
                    total.1 += outcome.simulated;
                    if !outcome.violations.is_empty() {
                        broken.lock().unwrap().insert(seed, outcome.violations);
                    }
                }
            });
        }
    });
    let (kinds, simulated) = total.into_inner().unwrap();
    let count: u64 = kinds.values().sum();
    for (kind, count) in kinds {
        println!("{count:9} {kind}");
    }
    println!(
        "{seeds} simulations with {count} faults: {:.1} h simulated in {:.1} s",
        simulated.as_secs_f64() / 3600.0,
        begun.elapsed().as_secs_f64()
    );
    let broken = broken.into_inner().unwrap();
    for (seed, violations) in &broken {
        println!("LOTO_SIMULATION_SEED={seed}: {}", violations[0]);
    }
    let logs: Vec<String> = broken
        .keys()
        .take(MOST_LOGS)
        .map(|seed| write_log(*seed))
        .collect();
    assert!(
        broken.is_empty(),
        "{} of {seeds} seeds break a promise; logs: {logs:#?}",
        broken.len()
    );
}

#[test]
fn a_seed_gives_the_same_log_each_time() {
    for seed in [3, 1 << 40] {
        let [first, second] = [simulated(seed, true), simulated(seed, true)];
        if let Some((one, other)) = first
            .log
            .lines()
            .zip(second.log.lines())
            .find(|(a, b)| a != b)
        {
            panic!("the logs differ:\n{one}\n{other}");
        }
        assert_eq!(first.log_hash, second.log_hash);
        assert_ne!(first.log_hash, simulated(seed + 1, true).log_hash);
    }
}
