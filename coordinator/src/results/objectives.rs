//! The objective values of tables in the store, read once and shared.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use loto_engine::EngineError;
use loto_engine::table::Table;
use loto_proto::identity::Fingerprint;
use loto_proto::job::Series;
use loto_proto::protocol::{ALL_TASKS, Protocol};
use loto_proto::table_spec::TableSpec;
use loto_statistics::hypervolume::TaskHypervolume;
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

/// A table, and the column of what an evaluation costs if there is one.
type TableWithCost = (Fingerprint, Option<String>);

/// Reads tables from the store. A table that several sweeps look at is read
/// once, and forgotten when the last of them is.
#[derive(Debug, Default)]
pub struct ObjectiveCache {
    tables: Mutex<HashMap<TableWithCost, Weak<TableObjectives>>>,
}

impl ObjectiveCache {
    /// The objective values of a table, and what its evaluations cost if a column says so.
    ///
    /// # Errors
    /// [`loto_transport::TransportError::MissingTable`] if the store does not have it, another
    /// [`loto_transport::TransportError`] if it is unavailable or its value damaged,
    /// [`CoordinatorError::Engine`] if it is not a table, [`CoordinatorError::ManyObjectives`] if it has more than two.
    pub async fn table(
        &self,
        store: &dyn Store,
        fingerprint: Fingerprint,
        cost: Option<&str>,
    ) -> Result<Arc<TableObjectives>, CoordinatorError> {
        let key = (fingerprint, cost.map(str::to_owned));
        // Held while reading: whoever asks for the same table at the same time waits for it.
        let mut tables = self.tables.lock().await;
        if let Some(table) = tables.get(&key).and_then(Weak::upgrade) {
            return Ok(table);
        }
        let blob = table_blob(store, fingerprint).await?;
        let objectives = if blob.len() <= SMALL_BLOB {
            read(&blob, fingerprint, cost)?
        } else {
            let cost = key.1.clone();
            let read = move || read(&blob, fingerprint, cost.as_deref());
            let reading = tokio::task::spawn_blocking(read);
            let task = "reading a table";
            let died = |source| CoordinatorError::ThreadDied { task, source };
            reading.await.map_err(died)??
        };
        let table = Arc::new(objectives);
        tables.retain(|_, table| table.strong_count() > 0);
        tables.insert(key, Arc::downgrade(&table));
        Ok(table)
    }
}

fn read(
    blob: &[u8],
    fingerprint: Fingerprint,
    cost: Option<&str>,
) -> Result<TableObjectives, CoordinatorError> {
    let (spec, file) = TableSpec::decode(blob, fingerprint)?;
    let name = format!("{fingerprint} in the store");
    let table = Table::read(&file, &spec, &name).map_err(EngineError::from)?;
    if spec.further_objectives.len() > 1 {
        return Err(CoordinatorError::ManyObjectives {
            table: fingerprint,
            objectives: 1 + spec.further_objectives.len(),
        });
    }
    let costs = cost.map(|column| Table::read_costs(&file, &spec, column, &name));
    let costs = costs.transpose().map_err(EngineError::from)?;
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
    let objectives = table.tasks.into_iter().enumerate().map(|(number, task)| {
        let hypervolume = task.further_objectives.first().map(|second| {
            let pairs = task.objective.iter().zip(second);
            let pairs = pairs.map(|(&first, &second)| [first, second]);
            Arc::new(TaskHypervolume::new(pairs.collect()))
        });
        let mut ascending = task.objective.clone();
        ascending.sort_unstable_by(f64::total_cmp);
        let objective = TaskObjective {
            by_row: task.objective.into(),
            further_by_row: task.further_objectives.into(),
            ascending: ascending.into(),
            direction: table.direction,
            hypervolume,
            costs: costs.as_ref().map(|costs| costs[number].clone().into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] = b"hp_a,metric_error,metric_time,metric_size,task\n\
        0.0,1.0,30.0,5.0,one\n0.5,2.0,15.0,1.0,one\n1.0,5.0,10.0,1.0,one\n\
        0.0,3.0,1.0,2.0,two\n0.5,2.0,2.0,2.0,two\n";

    fn read_with(
        further: &[&str],
        cost: Option<&str>,
    ) -> Result<TableObjectives, CoordinatorError> {
        let spec = TableSpec {
            objective: "metric_error".into(),
            further_objectives: further.iter().map(|&name| name.into()).collect(),
            ..TableSpec::default()
        };
        read(&spec.encode_with(TABLE), spec.fingerprint(TABLE), cost)
    }

    #[test]
    fn both_objectives_and_the_costs_are_those_of_the_rows() {
        let table = read_with(&["metric_time"], Some("metric_size")).unwrap();
        let task = &table.tasks[0];
        let hypervolume = task.hypervolume.as_ref().unwrap();
        let front = hypervolume.front().points();
        assert_eq!(front, [[1.0, 30.0], [2.0, 15.0], [5.0, 10.0]]);
        assert_eq!(task.costs.as_deref(), Some([5.0, 1.0, 1.0].as_slice()));
        assert_eq!(task.mean_cost(), Some(7.0 / 3.0));
        assert_eq!(table.tasks[1].mean_cost(), Some(2.0));
        let plain = read_with(&[], None).unwrap();
        assert!(plain.tasks[0].hypervolume.is_none() && plain.tasks[0].costs.is_none());
    }

    #[test]
    fn three_objectives_have_no_statistics() {
        let error = read_with(&["metric_time", "metric_size"], None).unwrap_err();
        assert!(error.to_string().contains("has 3 objectives"), "{error}");
    }
}
