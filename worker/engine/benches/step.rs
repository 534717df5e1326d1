//! One step at 100 observations of 6 coordinates: a fit from scratch and the choice among 2000 candidates.
//!
//!     cargo bench -p loto-engine --bench step -- step.csv
//!
//! Prints the median of its processor time in milliseconds and writes the step, a line per candidate with the targets of
//! the observed ones, so that `step_of_others.py` can time the same step of other packages.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::process::exit;

use loto_engine::acquisition::expected_improvement::LogExpectedImprovement;
use loto_engine::blas;
use loto_engine::random::{RandomStream, StreamName};
use loto_engine::surrogate::candidates::CandidatePool;
use loto_engine::surrogate::gaussian_process::GaussianProcess;
use loto_engine::surrogate::hyperparameters::Hyperprior;
use loto_engine::table::encoding::{Column, Hyperparameter, Kind, Space};
use loto_proto::identity::Fingerprint;
use rustix::time::{ClockId, clock_gettime};

const OBSERVED: usize = 100;
const CANDIDATES: usize = 2_000;
const REPEATS: usize = 101;

fn milliseconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 * 1e-6
}

fn main() {
    // As the programs have it.
    blas::pin_kernels().expect("the program can start itself");
    blas::single_threaded();
    let path = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let file = path.map(|path| {
        File::create(&path).unwrap_or_else(|error| {
            eprintln!("{path}: {error}");
            exit(2)
        })
    });
    let hyperparameter = |_| Hyperparameter {
        name: "hp".into(),
        kind: Kind::Numeric {
            minimum: 0.0,
            maximum: 1.0,
        },
    };
    let space = Space {
        hyperparameters: (0..6).map(hyperparameter).collect(),
    };
    let stream = StreamName::new("benchmark", "step");
    let mut random = RandomStream::new(stream, Fingerprint([0; 16]), "benchmark", 0);
    let mut column = |_| -> Vec<f64> { (0..CANDIDATES).map(|_| random.uniform()).collect() };
    let coordinates: Vec<Vec<f64>> = (0..6).map(&mut column).collect();
    let mut point = vec![0.0; 6];
    let columns: Vec<Column> = coordinates.iter().cloned().map(Column::Numeric).collect();
    let target = |row: usize, noise: f64| {
        let at = |coordinate: usize| coordinates[coordinate][row];
        (5.0 * at(0)).sin() + at(1) + (at(2) - 0.4).powi(2) + 0.1 * noise
    };
    let targets: Vec<f64> = (0..OBSERVED)
        .map(|row| target(row, random.normal()))
        .collect();
    let incumbent = targets.iter().copied().fold(f64::INFINITY, f64::min);
    let mut pool = CandidatePool::new(&space, &columns, (0..CANDIDATES as u32).collect());
    let evaluated: Vec<bool> = (0..CANDIDATES).map(|row| row < OBSERVED).collect();
    let priority: Vec<u32> = (0..CANDIDATES as u32).collect();
    let mut chosen = None;
    let mut step = |_| {
        let mut process = GaussianProcess::new(&space, OBSERVED, Hyperprior::Gamma);
        for row in 0..OBSERVED {
            space.encode(&columns, row, &mut point);
            process.observe(&point);
        }
        let start = milliseconds();
        process
            .fit(&targets)
            .expect("the kernel matrix has a factor");
        let largest = process.posterior().signal.sqrt();
        let improvement = LogExpectedImprovement::new(incumbent, largest);
        chosen = pool.best_row(&process, &improvement, &evaluated, &priority);
        milliseconds() - start
    };
    let mut times: Vec<f64> = (0..REPEATS).map(&mut step).collect();
    times.sort_by(f64::total_cmp);
    let row = chosen.expect("candidates remain");
    println!(
        "loto: {:.2} ms, chooses candidate {row}",
        times[REPEATS / 2]
    );

    if let Some(mut file) = file {
        let mut text = "a,b,c,d,e,f,target\n".to_owned();
        for row in 0..CANDIDATES {
            for coordinates in &coordinates {
                write!(text, "{},", coordinates[row]).expect("a text takes what is written");
            }
            let target = targets.get(row).map(f64::to_string).unwrap_or_default();
            writeln!(text, "{target}").expect("a text takes what is written");
        }
        file.write_all(text.as_bytes())
            .expect("the step can be written");
    }
}
