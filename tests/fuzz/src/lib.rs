//! What the fuzz targets share: a small table, a finished sweep, what every error must be.
//!
//! Run them with `make fuzz`; see `deploy/local/fuzz`.

pub mod reading;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use loto_engine::table::Table;
use loto_engine::table::encoding::{Column, Kind};
use loto_proto::job::{Job, MethodSpec};
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::{Categorical, TableSpec};
use loto_proto::trace::Trace;
use loto_transport::store::Store;
use tokio::runtime::{Builder, Runtime};

/// Longest error that is still a message and no repetition of the input, in bytes.
const LONGEST_ERROR: usize = 2000;

/// Three tasks of four rows; `hp_kind` can be categorical.
pub const TABLE: &str = "\
hp_rate,hp_kind,metric_error,metric_time,task,blackbox
0,0,0.5,1,one,Net
1,0,0.25,2,one,Net
2,1,0.75,3,one,Net
3,1,0.125,4,one,Net
0,0,5,1,two,Net
1,0,6,2,two,Net
2,1,7,3,two,Net
3,1,4,4,two,Net
0,0,-1,1,three,Net
1,0,-3,2,three,Net
2,1,-2,3,three,Net
3,1,-4,4,three,Net
";

/// Seeds of [`sweep`].
pub const SEEDS: u32 = 3;

/// Checks that an error says something, and not too much.
pub fn check_error(error: impl Display) {
    let text = error.to_string();
    assert!(!text.is_empty(), "an error without a text");
    assert!(
        text.len() <= LONGEST_ERROR,
        "an error of {} bytes: {text:.300}",
        text.len()
    );
}

/// Runs a future to its end.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(1)
            .build()
            .expect("a runtime")
    });
    RUNTIME.block_on(future)
}

/// A folder in memory that is gone with the process's files' names: one per process.
pub fn folder() -> PathBuf {
    static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() {
            tempfile::tempdir_in(memory).expect("a folder")
        } else {
            tempfile::tempdir().expect("a folder")
        }
    });
    FOLDER.path().to_owned()
}

/// How [`TABLE`] is read.
pub fn spec() -> TableSpec {
    TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(BTreeSet::new()),
        ..TableSpec::default()
    }
}

/// A sweep over [`TABLE`]: two methods on two tasks, [`SEEDS`] seeds.
pub fn sweep() -> Sweep {
    let method = |id: &str| MethodSpec {
        name: None,
        id: id.into(),
        version: 1,
        parameters: BTreeMap::new(),
        program: None,
    };
    Sweep {
        name: "fuzz".into(),
        blackboxes: vec![Blackbox {
            name: "B".into(),
            table: spec().fingerprint(TABLE.as_bytes()),
            table_file: None,
            targets: vec!["one".into(), "two".into()],
            iterations: 3,
            protocol: Default::default(),
            cost: None,
            methods: vec![method("rs"), method("gp")],
        }],
        seeds: SEEDS,
    }
}

/// A trace of a job of [`sweep`].
pub fn trace(job: &Job) -> Trace {
    let table = Table::read(TABLE.as_bytes(), &spec(), "table").expect("a table");
    let task = table.task(&job.series.task).expect("a task");
    let rows: Vec<u32> = (0..3).map(|index| (index + job.seed) % 4).collect();
    Trace {
        values: rows
            .iter()
            .map(|&row| task.objective[row as usize])
            .collect(),
        further_values: Vec::new(),
        microseconds: vec![1; rows.len()],
        preparation_microseconds: 1,
        linear_algebra: "none".into(),
        program: Default::default(),
        rows,
    }
}

/// Puts the table and the finished [`sweep`] into a store.
pub async fn fill(store: &dyn Store) {
    let sweep = sweep();
    let blob = spec().encode_with(TABLE.as_bytes());
    let name = format!("table:{}", sweep.blackboxes[0].table);
    store.put_blob(&name, &blob).await.expect("a blob");
    store.put_sweep(&sweep).await.expect("a sweep");
    for job in sweep.jobs() {
        store.put_trace(&job, &trace(&job)).await.expect("a trace");
    }
}

/// Checks what every table that is accepted has to be.
pub fn check_table(table: &Table) {
    assert!(!table.tasks.is_empty());
    let mut names = BTreeSet::new();
    for task in &table.tasks {
        assert!(names.insert(&task.name), "two tasks of one name");
        assert!(!task.name.is_empty());
        assert!(task.rows() > 0);
        assert_eq!(task.objectives().len(), table.objectives.len());
        for objective in task.objectives() {
            assert_eq!(objective.len(), task.rows());
            assert!(objective.iter().all(|value| value.is_finite()));
        }
        assert_eq!(task.columns.len(), table.space.hyperparameters.len());
        for (column, hyperparameter) in task.columns.iter().zip(&table.space.hyperparameters) {
            match (column, &hyperparameter.kind) {
                (Column::Numeric(values), Kind::Numeric { minimum, maximum }) => {
                    assert!(minimum <= maximum);
                    assert_eq!(values.len(), task.rows());
                    assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
                }
                (Column::Categorical(numbers), Kind::Categorical { levels }) => {
                    assert!(levels.is_sorted());
                    assert_eq!(numbers.len(), task.rows());
                    assert!(
                        numbers
                            .iter()
                            .all(|&number| usize::from(number) < levels.len())
                    );
                }
                (column, kind) => panic!("{column:?} of a hyperparameter {kind:?}"),
            }
        }
    }
}

/// The identifier at the end of an error like "its bytes hash to ...", which tells what would have
/// been accepted.
pub fn told_identifier<Identifier: std::str::FromStr>(error: &str) -> Option<Identifier> {
    let (_, told) = error.split_once("hash to ")?;
    told.get(..32)?.parse().ok()
}
