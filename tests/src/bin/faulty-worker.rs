//! The worker, with jobs that misbehave, for tests of how that is contained.
//!
//! `LOTO_TEST_MISBEHAVE` says which: `SEED=HOW` pairs, separated by commas; HOW is
//! one of the words of [`misbehave`].

use std::process::ExitCode;
use std::time::Duration;

use loto_engine::{EngineError, ImpossibleJob};
use loto_proto::job::Job;
use loto_worker::isolation::child;
use loto_worker::program;

fn main() -> ExitCode {
    program::main(|blobs| {
        let plan = std::env::var("LOTO_TEST_MISBEHAVE").unwrap_or_default();
        let mut run = child::methods(blobs);
        Box::new(move |job| {
            if let Some(how) = how(&plan, job) {
                misbehave(how)?;
            }
            run(job)
        })
    })
}

/// How this job is to misbehave, if it is.
fn how<'a>(plan: &'a str, job: &Job) -> Option<&'a str> {
    let pairs = plan.split(',').filter_map(|pair| pair.split_once('='));
    let seed = job.seed.to_string();
    pairs
        .into_iter()
        .find(|(wanted, _)| *wanted == seed)
        .map(|(_, how)| how)
}

#[allow(clippy::infinite_loop, reason = "that is the point")]
fn misbehave(how: &str) -> Result<(), EngineError> {
    match how {
        "fail" => Err(ImpossibleJob::NoRow("it never works").into()),
        "panic" => panic!("index 7 of 5"),
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        "spin" => loop {
            std::hint::spin_loop();
        },
        "allocate" => {
            let mut hoard = Vec::new();
            loop {
                hoard.push(vec![1_u8; 16 << 20]);
            }
        }
        "abort" => std::process::abort(),
        "exit" => std::process::exit(3),
        "overflow" => {
            endless(0);
            Ok(())
        }
        "print" => {
            println!("methods may print what they like");
            Ok(())
        }
        other => panic!("LOTO_TEST_MISBEHAVE: `{other}` is no way to misbehave"),
    }
}

/// Runs out of stack.
#[allow(unconditional_recursion, reason = "that is the point")]
fn endless(depth: u64) -> u64 {
    std::hint::black_box(endless(std::hint::black_box(depth + 1))) + 1
}
