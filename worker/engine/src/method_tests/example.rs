//! Two small tables, and a run of a method choice by choice.
//!
//! The tables are made with exact or correctly rounded operations only, so that they are
//! the same bytes on every host.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loto_proto::job::MethodSpec;
use loto_proto::table_spec::{Categorical, Features, TableSpec};

use crate::blobs::{Blobs, MemoryBlobs};
use crate::fits::SharedFits;
use crate::methods::{self, Method, Spaces};
use crate::search::Observations;
use crate::setting::Setting;
use crate::table::Table;

/// Position of the target among the tasks.
pub(crate) const TARGET: usize = 2;

pub(crate) const SEED: u32 = 3;

/// A table's declarations and text.
pub(crate) struct Example {
    pub spec: TableSpec,
    pub text: String,
}

impl Example {
    pub(crate) fn table(&self) -> Table {
        Table::read(self.text.as_bytes(), &self.spec, "example").unwrap()
    }

    /// The bytes under which a worker finds the table in the store.
    pub(crate) fn blob(&self) -> (String, Vec<u8>) {
        let bytes = self.text.as_bytes();
        let name = self.spec.fingerprint(bytes).blob_name();
        (name, self.spec.encode_with(bytes))
    }

    /// The example that a method can search: mixed kinds of hyperparameters if it can.
    pub(crate) fn of(method: &Method) -> Self {
        match method.spaces {
            Spaces::All => mixed(),
            Spaces::Categorical => grid(),
            Spaces::WithFeatures => described(),
            Spaces::OfTwoObjectives => of_two_objectives(),
        }
    }
}

/// Numbers that look random (Steele, Lea and Flood 2014: SplitMix64).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Five tasks of 90 rows on two numeric and two categorical hyperparameters. Each task has
/// configurations, a minimum and a unit of its own; some of its values are equal.
pub(crate) fn mixed() -> Example {
    let mut random = SplitMix(1);
    let mut text = String::from("hp_rate,hp_kind,hp_depth,hp_pool,metric_error,task\n");
    for (number, unit) in [1.0, 50.0, 0.3, 0.02, 7.0].into_iter().enumerate() {
        let mut seen = BTreeSet::new();
        while seen.len() < 90 {
            let configuration = [101, 3, 41, 2].map(|bound| random.below(bound));
            if !seen.insert(configuration) {
                continue;
            }
            let [rate, _, depth, pool] = configuration.map(|level| level as f64);
            let shift = 0.17 * number as f64;
            let (x, y) = (rate / 100.0, depth / 40.0);
            let (dx, dy) = (x - 0.15 - shift, y - 0.85 + shift);
            let noise = random.below(1000) as f64 / 1000.0;
            let error = 1.0
                + dx * dx
                + 0.7 * dy * dy
                + 0.5 * dx * dy
                + [0.0, 0.12, 0.05][(configuration[1] as usize + number) % 3]
                + 0.1 * pool * (x - 0.4)
                + 0.02 * noise;
            let rounded = (error * 250.0).round() / 250.0;
            let kind = ["relu", "tanh", "elu"][configuration[1] as usize];
            let pooling = ["max", "mean"][configuration[3] as usize];
            let value = unit * rounded;
            text += &format!("{rate},{kind},{depth},{pooling},{value},t{number}\n");
        }
    }
    let columns = ["hp_kind", "hp_pool"].map(String::from);
    Example {
        spec: TableSpec {
            objective: "metric_error".into(),
            categorical: Categorical::Columns(columns.into()),
            ..TableSpec::default()
        },
        text,
    }
}

/// The tasks of [`mixed`] with a second objective, which falls where the first one rises.
pub(crate) fn of_two_objectives() -> Example {
    let Example { mut spec, text } = mixed();
    spec.further_objectives = vec!["metric_time".into()];
    let mut random = SplitMix(3);
    let mut wider = String::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let time = match (fields[0].parse::<f64>(), fields[2].parse::<f64>()) {
            (Ok(rate), Ok(depth)) => {
                let noise = random.below(100) as f64 / 100.0;
                (40.0 * (1.0 + depth) / (0.1 + rate.abs()) + noise).to_string()
            }
            _ => "metric_time".to_owned(),
        };
        wider += &format!("{line},{time}\n");
    }
    Example { spec, text: wider }
}

/// The tasks of [`mixed`] with two features each, which tell their order and nothing.
pub(crate) fn described() -> Example {
    let Example { mut spec, text } = mixed();
    spec.features = Features::All;
    let mut described = String::new();
    for line in text.lines() {
        let (_, task) = line.rsplit_once(",").unwrap_or_default();
        let features = match task.strip_prefix('t').map(str::parse::<u32>) {
            Some(Ok(number)) => format!("{number},{}", number * 7 % 3),
            _ => "dataset_a,dataset_b".to_owned(),
        };
        described += &format!("{line},{features}\n");
    }
    Example {
        spec,
        text: described,
    }
}

/// Three tasks on a grid of 3 x 4 x 2 x 5 levels that lacks about a fifth of its rows.
pub(crate) fn grid() -> Example {
    let mut random = SplitMix(2);
    let mut text = String::from("hp_a,hp_b,hp_c,hp_d,metric_error,task\n");
    let levels = [3, 4, 2, 5];
    for task in 0..3 {
        let effects = levels.map(|count| {
            let effect = |_| random.below(100) as f64 / 100.0;
            (0..count).map(effect).collect::<Vec<f64>>()
        });
        for place in 0..120 {
            let [a, b, c, d] = [place / 40, place / 10 % 4, place / 5 % 2, place % 5];
            let noise = random.below(20) as f64 / 100.0;
            if random.below(5) == 0 {
                continue;
            }
            let error = effects[0][a] + effects[1][b] + effects[2][c] + effects[3][d] + noise;
            text += &format!("{a},{b},{c},{d},{error},t{task}\n");
        }
    }
    Example {
        spec: TableSpec {
            objective: "metric_error".into(),
            categorical: Categorical::All,
            ..TableSpec::default()
        },
        text,
    }
}

/// A method with its parameters, those not given being at their defaults.
pub(crate) fn method_spec(id: &str, parameters: &[(&str, &str)]) -> MethodSpec {
    let pairs = parameters.iter();
    MethodSpec {
        name: None,
        id: id.into(),
        version: methods::find(id).unwrap().version,
        parameters: pairs
            .map(|&(name, value)| (name.into(), value.into()))
            .collect::<BTreeMap<_, _>>(),
        program: None,
    }
}

/// Fits that are shared through a store of their own.
pub(crate) fn new_fits() -> SharedFits {
    fits_in(Arc::new(MemoryBlobs::default()))
}

/// Fits that are shared through that store.
pub(crate) fn fits_in(blobs: Arc<dyn Blobs>) -> SharedFits {
    SharedFits::new(blobs)
}

/// The choices of a method on the target with these `values`. `watch` is shown each choice with the
/// observations that it was made from.
pub(crate) fn choices(
    setting: &Setting,
    method: &MethodSpec,
    values: &[f64],
    watch: impl FnMut(&Observations, u32),
) -> Vec<u32> {
    choices_by(setting, method, &[values], watch)
}

/// As [`choices`], with values of each objective.
pub(crate) fn choices_by(
    setting: &Setting,
    method: &MethodSpec,
    objectives: &[&[f64]],
    mut watch: impl FnMut(&Observations, u32),
) -> Vec<u32> {
    let mut search = methods::start(method, setting).unwrap();
    let mut observations = Observations::of_objectives(setting.rows(), objectives.len());
    for _ in 0..setting.iterations {
        let row = search.choose(&observations).unwrap();
        watch(&observations, row);
        let values = objectives.iter().map(|objective| objective[row as usize]);
        observations.record_objectives(row, &values.collect::<Vec<_>>());
    }
    observations.rows
}
