//! How the processor time of a trace of `gp` grows with the candidates and with the evaluations, as a table and a plot.
//!
//!     cargo bench -p loto-engine --bench growth -- growth.svg
//!
//! A trace of 2000 evaluations takes twenty minutes to most of an hour; a second argument bounds the evaluations.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::process::exit;
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use loto_engine::blas;
use loto_engine::blobs::{BlobError, Blobs};
use loto_engine::runner::TraceRunner;
use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, MethodSpec, Series};
use loto_proto::table_spec::{Categorical, TableSpec};

/// Levels of the hyperparameters of a grid with the rows of [`CANDIDATES`].
const GRIDS: [[usize; 6]; 4] = [
    [5, 5, 5, 4, 2, 2],
    [10, 5, 5, 5, 4, 4],
    [10, 10, 10, 10, 5, 4],
    [10, 10, 10, 10, 10, 20],
];

const CANDIDATES: [usize; 4] = [2_000, 20_000, 200_000, 2_000_000];

const EVALUATIONS: [u32; 6] = [50, 100, 200, 500, 1_000, 2_000];

/// Evaluations of the traces over more and more candidates, and candidates of those of more and more evaluations.
const USUAL: (u32, usize) = (100, 20_000);

/// What the candidates are.
#[derive(Clone, Copy, PartialEq)]
enum Pool {
    /// All combinations of categorical levels.
    Grid,
    /// Random points of a cube of six coordinates.
    Random,
}

impl Pool {
    fn name(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Random => "random rows",
        }
    }

    /// A table with a task of that many rows, and what is declared of it.
    fn table(self, rows: usize) -> (Vec<u8>, TableSpec) {
        let grid = GRIDS
            .iter()
            .find(|levels| levels.iter().product::<usize>() == rows);
        let mut text = "hp_a,hp_b,hp_c,hp_d,hp_e,hp_f,metric_error,task\n".to_owned();
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1_u64 << 31) as f64
        };
        for row in 0..rows {
            let mut objective = 0.01 * random();
            let mut rest = row;
            for number in 0..6 {
                let coordinate = match (self, grid) {
                    (Self::Grid, Some(levels)) => {
                        let level = rest % levels[number];
                        rest /= levels[number];
                        write!(text, "{level},").expect("a text takes what is written");
                        level as f64 / levels[number] as f64
                    }
                    _ => {
                        let coordinate = random();
                        write!(text, "{coordinate:.3},").expect("a text takes what is written");
                        coordinate
                    }
                };
                objective += (coordinate - 0.15 * (number + 1) as f64).powi(2);
                objective += 0.1 * (9.0 * coordinate + number as f64).sin();
            }
            writeln!(text, "{objective:.5},target").expect("a text takes what is written");
        }
        let columns = match self {
            Self::Grid => ('a'..='f').map(|letter| format!("hp_{letter}")).collect(),
            Self::Random => BTreeSet::new(),
        };
        let spec = TableSpec {
            objective: "metric_error".into(),
            categorical: Categorical::Columns(columns),
            ..TableSpec::default()
        };
        // Tables have a limit of bytes.
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        let packing = packed.write_all(text.as_bytes());
        packing.expect("memory takes what is written");
        (packed.finish().expect("memory takes what is written"), spec)
    }
}

/// Keeps a table.
struct OneTable(Mutex<HashMap<String, Vec<u8>>>);

impl Blobs for OneTable {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        Ok(self
            .0
            .lock()
            .expect("no thread panics with it")
            .get(name)
            .cloned())
    }

    fn put(&self, _: &str, _: &[u8]) -> Result<(), BlobError> {
        Ok(())
    }
}

/// Seconds of processor time that traces of `gp` of so many evaluations take each, reading the table left out.
fn seconds(pool: Pool, candidates: usize, evaluations: &[u32]) -> Vec<f64> {
    let (text, spec) = pool.table(candidates);
    let fingerprint: Fingerprint = spec.fingerprint(&text);
    let blob = (fingerprint.blob_name(), spec.encode_with(&text));
    drop(text);
    let runner = TraceRunner::new(Arc::new(OneTable(Mutex::new(HashMap::from([blob])))));
    let gp = loto_engine::methods::registry()
        .iter()
        .find(|method| method.id == "gp");
    let run = |iterations: u32| {
        let series = Series {
            method: MethodSpec {
                name: None,
                id: "gp".into(),
                version: gp.expect("there is a method gp").version,
                parameters: BTreeMap::new(),
                program: None,
            },
            table: fingerprint,
            task: "target".into(),
            iterations,
        };
        let trace = runner
            .run(&Job { series, seed: 0 })
            .expect("the trace is possible");
        let steps: f64 = trace.microseconds.iter().map(|&part| part as f64).sum();
        1e-6 * (steps + trace.preparation_microseconds as f64)
    };
    // The first one reads the table.
    run(1);
    evaluations
        .iter()
        .map(|&iterations| run(iterations))
        .collect()
}

/// A panel of the plot: a curve per pool, both axes logarithmic.
fn panel(left: f64, axis: &str, places: &[f64], curves: &[(Pool, Vec<f64>)]) -> String {
    let all = || curves.iter().flat_map(|(_, seconds)| seconds);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| {
            (least.min(value), most.max(value))
        })
    };
    let (from, to) = range(&mut places.iter().copied());
    let (least, most) = range(&mut all().copied());
    let (least, most) = (
        10_f64.powf(least.log10().floor()),
        10_f64.powf(most.log10().ceil()),
    );
    let x = |value: f64| left + 50.0 + 230.0 * (value / from).ln() / (to / from).ln();
    let y = |value: f64| 220.0 - 190.0 * (value / least).ln() / (most / least).ln();
    let mut svg = String::new();
    let text = |x: f64, y: f64, anchor: &str, content: &str| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>\n")
    };
    for &place in places {
        svg += &text(x(place), 236.0, "middle", &format!("{place}"));
        svg += &format!("<path d=\"M{0:.1} 220V30\" stroke=\"#ddd\"/>\n", x(place));
    }
    let mut power = least;
    while power <= most * 1.01 {
        svg += &text(left + 46.0, y(power) + 4.0, "end", &format!("{power}"));
        svg += &format!(
            "<path d=\"M{:.1} {:.1}h230\" stroke=\"#ddd\"/>\n",
            left + 50.0,
            y(power)
        );
        power *= 10.0;
    }
    svg += &text(left + 165.0, 254.0, "middle", axis);
    svg += &text(left + 50.0, 20.0, "start", "seconds of a trace");
    for (pool, seconds) in curves {
        let colour = if *pool == Pool::Grid {
            "#0072b2"
        } else {
            "#d55e00"
        };
        let points = places.iter().zip(seconds);
        let points: Vec<String> = points
            .map(|(&place, &seconds)| format!("{:.1},{:.1}", x(place), y(seconds)))
            .collect();
        svg += &format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
            points.join(" ")
        );
        let last = seconds.last().expect("a curve has points");
        svg += &format!(
            "<g fill=\"{colour}\">{}</g>\n",
            text(x(to) - 4.0, y(*last) - 6.0, "end", pool.name())
        );
    }
    svg
}

/// Ends the program, whose arguments are of no use.
fn refuse(message: &str) -> ! {
    eprintln!("{message}");
    exit(2)
}

fn main() {
    // As the programs have it.
    blas::pin_kernels().expect("the program can start itself");
    // Cargo adds an option of its own.
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"));
    let path = arguments.next();
    let most = arguments.next().map_or(2_000, |most| {
        let parsed = most.parse();
        parsed.unwrap_or_else(|error| refuse(&format!("evaluations, {most}: {error}")))
    });
    // The measurements would be lost if the file could not be written after them.
    let file = path.map(|path| {
        File::create(&path).unwrap_or_else(|error| refuse(&format!("{path}: {error}")))
    });
    blas::single_threaded();
    let pools = [Pool::Grid, Pool::Random];
    let (usual_evaluations, usual_candidates) = USUAL;

    println!("| candidates | grid | random rows |\n|---|---|---|");
    let by_candidates = pools.map(|pool| {
        let one = |&candidates: &usize| seconds(pool, candidates, &[usual_evaluations])[0];
        (pool, CANDIDATES.iter().map(one).collect::<Vec<f64>>())
    });
    for (number, candidates) in CANDIDATES.iter().enumerate() {
        let [(_, grid), (_, random)] = &by_candidates;
        println!(
            "| {candidates} | {:.3} | {:.3} |",
            grid[number], random[number]
        );
    }
    println!("\n| evaluations | grid | random rows |\n|---|---|---|");
    let evaluations: Vec<u32> = EVALUATIONS
        .into_iter()
        .filter(|&count| count <= most)
        .collect();
    let by_evaluations = pools.map(|pool| (pool, seconds(pool, usual_candidates, &evaluations)));
    for (number, evaluations) in evaluations.iter().enumerate() {
        let [(_, grid), (_, random)] = &by_evaluations;
        println!(
            "| {evaluations} | {:.3} | {:.3} |",
            grid[number], random[number]
        );
    }
    if let Some(mut file) = file {
        let candidates = CANDIDATES.map(|candidates| candidates as f64);
        let evaluations: Vec<f64> = evaluations.into_iter().map(f64::from).collect();
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 264\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"620\" height=\"264\" fill=\"white\"/>\n{}{}</svg>\n",
            panel(
                0.0,
                "candidates, 100 evaluations",
                &candidates,
                &by_candidates
            ),
            panel(
                310.0,
                "evaluations, 20,000 candidates",
                &evaluations,
                &by_evaluations
            ),
        );
        file.write_all(svg.as_bytes())
            .expect("the plot can be written");
    }
}
