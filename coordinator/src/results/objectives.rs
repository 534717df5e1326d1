//! The objective values of tables in the store, read once and shared.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use loto_engine::EngineError;
use loto_engine::table::Table;
use loto_proto::identity::Fingerprint;
use loto_proto::job::Series;
use loto_proto::protocol::{ALL_TASKS, Protocol};
use loto_proto::table_spec::TableSpec;
use loto_transport::store::{Store, table_blob};
use tokio::sync::Mutex;

use super::series_objective::{SeriesObjective, TaskObjective};
use crate::CoordinatorError;

/// Bytes of a table that is read at once: handing it to another thread would take about as long.
const SMALL_BLOB: usize = 4096;

/// What a table holds apart from its values.
#[derive(Debug)]
pub struct TableContent {
    /// How it was declared.
    pub spec: TableSpec,
    /// What it calls the black box itself, if it does.
    pub blackbox: Option<String>,
    /// The columns of its hyperparameters, in their order.
    pub columns: Vec<String>,
    /// Number of its tasks.
    pub tasks: usize,
    /// Number of its rows.
    pub rows: usize,
}

/// The objective values of every task of a table.
#[derive(Debug)]
pub struct TableObjectives {
    pub(super) content: Arc<TableContent>,
    fingerprint: Fingerprint,
    /// In the order of the table.
    tasks: Vec<Arc<TaskObjective>>,
    positions: HashMap<String, usize>,
}

impl TableObjectives {
    /// The objective values that the traces of a series hold, if the table has its task.
    pub(super) fn of_series(&self, series: &Series) -> Option<SeriesObjective> {
        match self.content.spec.protocol {
            Protocol::LeaveOneOut => {
                let position = *self.positions.get(&series.task)?;
                Some(SeriesObjective::Task(Arc::clone(&self.tasks[position])))
            }
            Protocol::Stream if series.task == ALL_TASKS => Some(SeriesObjective::Stream {
                table: self.fingerprint,
                tasks: self.tasks.clone().into(),
            }),
            Protocol::Stream => None,
        }
    }

    /// Where the task of that name is in the table.
    pub(super) fn position(&self, task: &str) -> Option<usize> {
        self.positions.get(task).copied()
    }
}

/// Reads tables from the store. A table that several sweeps look at is read
/// once, and forgotten when the last of them is.
#[derive(Debug, Default)]
pub struct ObjectiveCache {
    tables: Mutex<HashMap<Fingerprint, Weak<TableObjectives>>>,
}

impl ObjectiveCache {
    /// The objective values of a table.
    ///
    /// # Errors
    /// [`loto_transport::TransportError::MissingTable`] if the store does not have it, another
    /// [`loto_transport::TransportError`] if it is unavailable or its value damaged,
    /// [`CoordinatorError::Engine`] if it is not a table.
    pub async fn table(
        &self,
        store: &dyn Store,
        fingerprint: Fingerprint,
    ) -> Result<Arc<TableObjectives>, CoordinatorError> {
        // Held while reading: whoever asks for the same table at the same time waits for it.
        let mut tables = self.tables.lock().await;
        if let Some(table) = tables.get(&fingerprint).and_then(Weak::upgrade) {
            return Ok(table);
        }
        let blob = table_blob(store, fingerprint).await?;
        let objectives = if blob.len() <= SMALL_BLOB {
            read(&blob, fingerprint)?
        } else {
            let reading = tokio::task::spawn_blocking(move || read(&blob, fingerprint));
            let task = "reading a table";
            let died = |source| CoordinatorError::ThreadDied { task, source };
            reading.await.map_err(died)??
        };
        let table = Arc::new(objectives);
        tables.retain(|_, table| table.strong_count() > 0);
        tables.insert(fingerprint, Arc::downgrade(&table));
        Ok(table)
    }
}

fn read(blob: &[u8], fingerprint: Fingerprint) -> Result<TableObjectives, CoordinatorError> {
    let (spec, file) = TableSpec::decode(blob, fingerprint)?;
    let table = Table::read(&file, &spec, &format!("{fingerprint} in the store"))
        .map_err(EngineError::from)?;
    let columns = table.space.hyperparameters.into_iter();
    let content = TableContent {
        spec,
        blackbox: table.blackbox,
        columns: columns.map(|hyperparameter| hyperparameter.name).collect(),
        tasks: table.tasks.len(),
        rows: table.tasks.iter().map(|task| task.rows()).sum(),
    };
    let names = table.tasks.iter().map(|task| task.name.clone());
    let positions = names.zip(0..).collect();
    let objectives = table.tasks.into_iter().map(|task| {
        let mut ascending = task.objective.clone();
        ascending.sort_unstable_by(f64::total_cmp);
        let objective = TaskObjective {
            by_row: task.objective.into(),
            further_by_row: task.further_objectives.into(),
            ascending: ascending.into(),
            direction: table.direction,
        };
        Arc::new(objective)
    });
    Ok(TableObjectives {
        content: Arc::new(content),
        fingerprint,
        tasks: objectives.collect(),
        positions,
    })
}
