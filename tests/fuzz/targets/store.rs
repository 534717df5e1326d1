//! A store in a file whose values are anything, as the coordinator, the aggregator and a worker read it.

#![no_main]

use std::sync::{Arc, LazyLock, Mutex};

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use loto_fuzz::reading::{cut, read_everything};
use loto_fuzz::{block_on, fill, folder, sweep};
use loto_proto::job::Job;
use loto_transport::store::{EmbeddedStore, Store};
use rusqlite::{Connection, params};

/// What is written over a sound value.
#[derive(Arbitrary, Debug)]
enum Damage {
    Trace { job: u8, bytes: Vec<u8> },
    CutTrace { job: u8, length: u8, flip: u8 },
    TraceText { job: u8, text: String },
    Seed { job: u8, seed: i64 },
    Series { job: u8, bytes: Vec<u8> },
    Attempt { job: u8, text: String },
    AttemptBytes { job: u8, bytes: Vec<u8> },
    Unfinished { job: u8 },
    Blob { bytes: Vec<u8> },
    CutBlob { length: u16, flip: u8 },
    Plan { bytes: Vec<u8> },
    PlanId { bytes: Vec<u8> },
    OtherPlan { id: [u8; 16], bytes: Vec<u8> },
}

struct Place {
    store: Arc<dyn Store>,
    damage: Mutex<Connection>,
    jobs: Vec<Job>,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let path = folder().join("fuzz.loto");
    let store = block_on(async {
        let store = EmbeddedStore::open(&path).await.unwrap();
        fill(&store).await;
        store
    });
    let damage = Connection::open(&path).unwrap();
    let tables = ["sweeps", "traces", "attempts", "blobs"];
    for table in tables {
        let keep = format!("CREATE TEMP TABLE sound_{table} AS SELECT * FROM main.{table}");
        damage.execute(&keep, []).unwrap();
    }
    damage.pragma_update(None, "synchronous", "OFF").unwrap();
    Place {
        store: Arc::new(store),
        damage: Mutex::new(damage),
        jobs: sweep().jobs().collect(),
    }
});

impl Place {
    fn job(&self, number: u8) -> (Vec<u8>, u32) {
        let job = &self.jobs[usize::from(number) % self.jobs.len()];
        (job.series.id().0.to_vec(), job.seed)
    }

    fn write(&self, damages: &[Damage]) {
        let connection = self.damage.lock().unwrap();
        let mut sql = String::from("BEGIN IMMEDIATE;");
        for table in ["sweeps", "traces", "attempts", "blobs"] {
            sql += &format!(
                "DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM sound_{table};"
            );
        }
        connection.execute_batch(&sql).unwrap();
        for damage in damages {
            // A damage that breaks the file's own rules cannot happen: it is left out.
            let _refused = self.write_one(&connection, damage);
        }
        connection.execute_batch("COMMIT").unwrap();
    }

    fn write_one(&self, connection: &Connection, damage: &Damage) -> rusqlite::Result<usize> {
        const ONE: &str = "WHERE series = ?2 AND seed = ?3";
        match damage {
            Damage::Trace { job, bytes } => {
                let (series, seed) = self.job(*job);
                let sql = format!("UPDATE main.traces SET trace = ?1 {ONE}");
                connection.execute(&sql, params![bytes, series, seed])
            }
            Damage::CutTrace { job, length, flip } => {
                let (series, seed) = self.job(*job);
                let sql = "SELECT trace FROM main.traces WHERE series = ?1 AND seed = ?2";
                let sound = connection.query_row(sql, params![series, seed], |row| row.get(0));
                let bytes = cut(sound?, (*length).into(), *flip);
                let sql = format!("UPDATE main.traces SET trace = ?1 {ONE}");
                connection.execute(&sql, params![bytes, series, seed])
            }
            Damage::TraceText { job, text } => {
                let (series, seed) = self.job(*job);
                let sql = format!("UPDATE main.traces SET trace = ?1 {ONE}");
                connection.execute(&sql, params![text, series, seed])
            }
            Damage::Seed { job, seed } => {
                let (series, old) = self.job(*job);
                let sql = format!("UPDATE main.traces SET seed = ?1 {ONE}");
                connection.execute(&sql, params![seed, series, old])
            }
            Damage::Series { job, bytes } => {
                let (series, seed) = self.job(*job);
                let sql = format!("UPDATE main.traces SET series = ?1 {ONE}");
                connection.execute(&sql, params![bytes, series, seed])
            }
            Damage::Attempt { job, text } => {
                let (series, seed) = self.job(*job);
                let sql = "INSERT OR REPLACE INTO main.attempts VALUES (?1, ?2, ?3)";
                connection.execute(sql, params![series, seed, text])
            }
            Damage::AttemptBytes { job, bytes } => {
                let (series, seed) = self.job(*job);
                let sql = "INSERT OR REPLACE INTO main.attempts VALUES (?1, ?2, ?3)";
                connection.execute(sql, params![series, seed, bytes])
            }
            Damage::Unfinished { job } => {
                let (series, seed) = self.job(*job);
                let sql = "DELETE FROM main.traces WHERE series = ?1 AND seed = ?2";
                connection.execute(sql, params![series, seed])
            }
            Damage::Blob { bytes } => {
                connection.execute("UPDATE main.blobs SET bytes = ?1", [bytes])
            }
            Damage::CutBlob { length, flip } => {
                let sql = "SELECT bytes FROM sound_blobs";
                let sound = connection.query_row(sql, [], |row| row.get(0));
                let bytes = cut(sound?, (*length).into(), *flip);
                connection.execute("UPDATE main.blobs SET bytes = ?1", [bytes])
            }
            Damage::Plan { bytes } => {
                connection.execute("UPDATE main.sweeps SET sweep = ?1", [bytes])
            }
            Damage::PlanId { bytes } => {
                connection.execute("UPDATE main.sweeps SET id = ?1", [bytes])
            }
            Damage::OtherPlan { id, bytes } => {
                let sql = "INSERT INTO main.sweeps (id, sweep) VALUES (?1, ?2)";
                connection.execute(sql, params![id, bytes])
            }
        }
    }
}

fuzz_target!(|damages: Vec<Damage>| {
    PLACE.write(&damages);
    block_on(read_everything(&PLACE.store));
});
