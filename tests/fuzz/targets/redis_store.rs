//! A store in Redis whose values are anything, as the coordinator, the aggregator and a worker read it.
//!
//! Needs a Redis in `LOTO_TEST_STORE`, of which it empties the last database.

#![no_main]

use std::sync::{Arc, LazyLock, Mutex};

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use loto_fuzz::reading::{cut, read_everything};
use loto_fuzz::{TABLE, block_on, fill, spec, sweep, trace};
use loto_proto::job::Job;
use loto_transport::store::{RedisStore, Store};
use redis::{Cmd, Commands, Connection, Pipeline};

/// The last database of `deploy/local/start-servers`.
const DATABASE: u32 = 255;

/// What is written over sound values.
#[derive(Arbitrary, Debug)]
enum Damage {
    Trace {
        job: u8,
        bytes: Vec<u8>,
    },
    CutTrace {
        job: u8,
        place: u8,
        flip: u8,
    },
    Seed {
        job: u8,
        field: Vec<u8>,
        bytes: Vec<u8>,
    },
    Attempt {
        job: u8,
        field: Vec<u8>,
        bytes: Vec<u8>,
    },
    SeedAttempt {
        job: u8,
        text: String,
    },
    Unfinished {
        job: u8,
    },
    Blob {
        bytes: Vec<u8>,
    },
    CutBlob {
        place: u16,
        flip: u8,
    },
    Plan {
        bytes: Vec<u8>,
    },
    PlanId {
        bytes: Vec<u8>,
    },
    Event {
        number: u32,
        part: u8,
        series: Vec<u8>,
        seed: Vec<u8>,
    },
    EventField {
        name: Vec<u8>,
        value: Vec<u8>,
    },
    State {
        field: bool,
        bytes: Vec<u8>,
    },
    Worker {
        name: Vec<u8>,
        bytes: Vec<u8>,
    },
    Conflict {
        field: Vec<u8>,
        bytes: Vec<u8>,
    },
    WrongType {
        key: u8,
        kind: u8,
    },
    Gone {
        key: u8,
    },
}

struct Place {
    store: Arc<dyn Store>,
    redis: Mutex<Connection>,
    jobs: Vec<Job>,
    /// Every key that is sound, with its dump.
    sound: Vec<(String, Vec<u8>)>,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let server = std::env::var("LOTO_TEST_STORE").expect("a Redis in LOTO_TEST_STORE");
    let url = format!("{server}/{DATABASE}");
    let mut redis = redis::Client::open(url.as_str())
        .unwrap()
        .get_connection()
        .unwrap();
    let _: () = redis::cmd("FLUSHDB").query(&mut redis).unwrap();
    let store: Arc<dyn Store> = block_on(async {
        let store = RedisStore::connect(&url).await.unwrap();
        fill(&store).await;
        Arc::new(store)
    });
    let mut keys: Vec<String> = redis.keys("*").unwrap();
    keys.sort_unstable();
    let dump = |key: String| {
        let dump = redis::cmd("DUMP").arg(&key).query(&mut redis).unwrap();
        (key, dump)
    };
    let sound = keys.into_iter().map(dump).collect();
    Place {
        store,
        redis: Mutex::new(redis),
        jobs: sweep().jobs().collect(),
        sound,
    }
});

impl Place {
    fn write(&self, damages: &[Damage]) {
        let mut pipeline = redis::pipe();
        pipeline.cmd("FLUSHDB");
        for (key, dump) in &self.sound {
            pipeline.cmd("RESTORE").arg(key).arg(0).arg(dump);
        }
        for damage in damages {
            self.write_one(&mut pipeline, damage);
        }
        // A damage that Redis refuses cannot happen: it is left out.
        let connection = &mut *self.redis.lock().unwrap();
        let _answers: redis::Value = pipeline.ignore_errors().query(connection).unwrap();
    }

    fn write_one(&self, pipeline: &mut Pipeline, damage: &Damage) {
        let job = |number: &u8| &self.jobs[usize::from(*number) % self.jobs.len()];
        let traces = |number: &u8| format!("loto:traces:{}", job(number).series.id());
        let attempts = |number: &u8| format!("loto:attempts:{}", job(number).series.id());
        let key = |number: &u8| &self.sound[usize::from(*number) % self.sound.len()].0;
        let sweep = sweep();
        let table = format!("loto:blob:table:{}", sweep.blackboxes[0].table);
        let command = match damage {
            Damage::Trace { job: number, bytes } => {
                Cmd::hset(traces(number), job(number).seed, bytes)
            }
            Damage::CutTrace {
                job: number,
                place,
                flip,
            } => {
                let job = job(number);
                let bytes = cut(trace(job).encode(), (*place).into(), *flip);
                Cmd::hset(traces(number), job.seed, bytes)
            }
            Damage::Seed { job, field, bytes } => Cmd::hset(traces(job), field, bytes),
            Damage::Attempt { job, field, bytes } => Cmd::hset(attempts(job), field, bytes),
            Damage::SeedAttempt { job: number, text } => {
                pipeline.hdel(traces(number), job(number).seed);
                Cmd::hset(attempts(number), job(number).seed, text)
            }
            Damage::Unfinished { job: number } => Cmd::hdel(traces(number), job(number).seed),
            Damage::Blob { bytes } => Cmd::set(table, bytes),
            Damage::CutBlob { place, flip } => {
                let sound = spec().encode_with(TABLE.as_bytes());
                Cmd::set(table, cut(sound, (*place).into(), *flip))
            }
            Damage::Plan { bytes } => Cmd::set(format!("loto:sweep:{}", sweep.id()), bytes),
            Damage::PlanId { bytes } => Cmd::rpush("loto:sweeps", bytes),
            Damage::Event {
                number,
                part,
                series,
                seed,
            } => {
                let fields = [("series", series), ("seed", seed)];
                Cmd::xadd("loto:events", format!("{number}-{part}"), &fields)
            }
            Damage::EventField { name, value } => Cmd::xadd("loto:events", "*", &[(name, value)]),
            Damage::State { field, bytes } => {
                let field = if *field { "published" } else { "cancelled" };
                Cmd::hset(format!("loto:sweep-state:{}", sweep.id()), field, bytes)
            }
            Damage::Worker { name, bytes } => Cmd::hset("loto:workers", name, bytes),
            Damage::Conflict { field, bytes } => Cmd::hset("loto:conflicts", field, bytes),
            Damage::WrongType { key: number, kind } => {
                pipeline.del(key(number));
                match kind % 3 {
                    0 => Cmd::set(key(number), "text"),
                    1 => Cmd::rpush(key(number), "item"),
                    _ => Cmd::hset(key(number), "field", "value"),
                }
            }
            Damage::Gone { key: number } => Cmd::del(key(number)),
        };
        pipeline.add_command(command);
    }
}

fuzz_target!(|damages: Vec<Damage>| {
    PLACE.write(&damages);
    block_on(read_everything(&PLACE.store));
});
