//! Random bits of a store are flipped, one at a time: what is read is what was stored, or the damage is
//! noticed.
//!
//! `LOTO_BIT_FLIPS` says how often, `LOTO_FAULT_SEED` where. Heartbeats, the stream of events, the note of
//! what is published and the list of stopped series in Redis are left out: they steer who computes what
//! when, and tell nobody what came of it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::identity::{Fingerprint, SeriesId, SweepId};
use loto_proto::seal::{Key, check_bytes, seal_bytes};
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::TableSpec;
use loto_proto::trace::Trace;
use loto_tests::small_sweep::{job, table_blob};
use loto_tests::{samples, servers, settings};
use loto_transport::TransportError;
use loto_transport::store::{self, Conflict, Store};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, Pipeline};

/// Flips of the short form.
const FEW: u64 = 2000;

const SEEDS: u32 = 8;

const FIT: &str = "prior:0123";

fn sweep(table: Fingerprint) -> Sweep {
    let series = job(table, 0).series;
    Sweep {
        name: "flips".into(),
        blackboxes: vec![Blackbox {
            name: "box".into(),
            table,
            table_file: None,
            targets: vec![series.task],
            iterations: series.iterations,
            protocol: Default::default(),
            cost: None,
            methods: vec![series.method],
        }],
        seeds: SEEDS,
    }
}

/// Fills a store with something of everything.
async fn fill(store: &dyn Store) {
    let (table, blob) = table_blob();
    store.put_blob(&table.blob_name(), &blob).await.unwrap();
    let fit: Vec<u8> = (0..2000u32).flat_map(u32::to_le_bytes).collect();
    let fit = seal_bytes(Key::Fit(FIT), fit);
    store.put_blob(FIT, &fit).await.unwrap();
    let sweep = sweep(table);
    let id = store.put_sweep(&sweep).await.unwrap();
    for seed in 0..SEEDS - 2 {
        let trace = Trace {
            rows: (0..6).map(|row| (row + seed) % 6).collect(),
            values: vec![0.5; 6],
            further_values: Vec::new(),
            microseconds: vec![1000 * seed; 6],
            preparation_microseconds: 7,
            linear_algebra: "OpenBLAS 0.3.21, core Haswell, 1 thread".into(),
            program: Default::default(),
        };
        store.put_trace(&job(table, seed), &trace).await.unwrap();
    }
    for seed in SEEDS - 2..SEEDS {
        let attempt = Attempt {
            count: 3,
            failures: 3,
            state: AttemptState::Poisoned,
            error: "it broke".into(),
            ..Attempt::default()
        };
        let absent = AttemptVersion::default();
        let job = job(table, seed);
        let put = store.put_attempt(&job, &absent, &attempt).await;
        assert!(put.unwrap().is_some());
    }
    let job = job(table, 1);
    let conflict = store.put_conflict(&job, "iteration 3 differs").await;
    conflict.unwrap();
    let cancelled = samples::sweep("cancelled", 1);
    store.put_sweep(&cancelled).await.unwrap();
    let series: Vec<SeriesId> = cancelled.series().map(|series| series.id()).collect();
    store.cancel_sweep(cancelled.id(), &series).await.unwrap();
    store.mark_published(id, SEEDS).await.unwrap();
}

/// What the commands tell of a store.
#[derive(Debug, PartialEq)]
struct Content {
    sweeps: Vec<(SweepId, Sweep, bool)>,
    done: Vec<Vec<u32>>,
    traces: Vec<(u32, Trace)>,
    attempts: Vec<Vec<(u32, Attempt)>>,
    conflicts: Vec<Conflict>,
    table: (TableSpec, Vec<u8>),
    fit: Vec<u8>,
}

async fn read(store: &dyn Store) -> Result<Content, Box<dyn std::error::Error>> {
    let (table, _) = table_blob();
    let series = [job(table, 0).series.id()];
    let mut sweeps = Vec::new();
    for id in store.sweeps().await? {
        let cancelled = store.sweep_state(id).await?.cancelled;
        // The commands say so, too.
        let sweep = store.sweep(id).await?.ok_or("a listed sweep is gone")?;
        sweeps.push((id, sweep, cancelled));
    }
    let done = store.seeds_done(&series).await?;
    let content = Content {
        traces: store.traces_of(series[0], &done[0]).await?,
        done,
        sweeps,
        attempts: store.attempts(&series).await?,
        conflicts: store.conflicts().await?,
        table: TableSpec::decode(&blob(store, &table.blob_name()).await?, table)?,
        fit: check_bytes(Key::Fit(FIT), &blob(store, FIT).await?)?.to_vec(),
    };
    match store.passed_over().first() {
        None => Ok(content),
        Some(entry) => Err(entry.problem.clone().into()),
    }
}

async fn blob(store: &dyn Store, name: &str) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    Ok(store.blob(name).await?.ok_or("the blob is gone")?)
}

/// Where the bits are that are flipped.
fn random() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(settings::number("LOTO_FAULT_SEED", 1))
}

fn flip(bytes: &mut [u8], random: &mut ChaCha8Rng) -> usize {
    let bit = random.random_range(0..8 * bytes.len());
    bytes[bit / 8] ^= 1 << (bit % 8);
    bit
}

#[tokio::test]
async fn no_bit_of_an_embedded_store_can_change_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.loto");
    let open = async |path: &Path| -> Result<Arc<dyn Store>, TransportError> {
        store::open_existing(path.display().to_string().as_str()).await
    };
    let store = store::open(path.display().to_string().as_str())
        .await
        .unwrap();
    fill(store.as_ref()).await;
    drop(store);
    let store = open(&path).await.unwrap();
    let expected = read(store.as_ref()).await.unwrap();
    drop(store);
    let whole = fs::read(&path).unwrap();

    // One file again and again, so that a flip costs what it takes to open and read a store.
    let flipped = folder.path().join("flipped.loto");
    let (flips, mut random) = (settings::number("LOTO_BIT_FLIPS", FEW), random());
    let (mut noticed, mut without_effect) = (0, 0);
    for _ in 0..flips {
        let mut bytes = whole.clone();
        let bit = flip(&mut bytes, &mut random);
        fs::write(&flipped, bytes).unwrap();
        let found = match open(&flipped).await {
            Ok(store) => read(store.as_ref()).await,
            Err(error) => Err(error.into()),
        };
        match found {
            Err(_) => noticed += 1,
            Ok(found) => {
                assert_eq!(found, expected, "bit {bit} of {}", whole.len() * 8);
                without_effect += 1;
            }
        }
        for end in ["", "-wal", "-shm"] {
            let _absent = fs::remove_file(folder.path().join(format!("flipped.loto{end}")));
        }
    }
    println!("{flips} bits: {noticed} noticed, {without_effect} without effect, none silent");
    // About half of the file is in use.
    assert!(noticed > flips / 10 && without_effect < flips);
}

/// A value in Redis: its key, and where it is under it.
enum Place {
    Whole(String),
    Field(String, Vec<u8>),
    Entry(String, isize),
}

impl Place {
    async fn value(&self, redis: &mut MultiplexedConnection) -> Vec<u8> {
        let value = match self {
            Self::Whole(key) => redis.get(key).await,
            Self::Field(key, field) => redis.hget(key, field).await,
            Self::Entry(key, entry) => redis.lindex(key, *entry).await,
        };
        value.unwrap()
    }

    /// Adds the command that puts a value here.
    fn put(&self, value: &[u8], commands: &mut Pipeline) {
        match self {
            Self::Whole(key) => commands.set(key, value),
            Self::Field(key, field) => commands.hset(key, field, value),
            Self::Entry(key, entry) => commands.lset(key, *entry, value),
        };
    }
}

/// Every value that tells of sweeps and results.
async fn places(redis: &mut MultiplexedConnection) -> Vec<Place> {
    let mut places = Vec::new();
    let keys: Vec<String> = redis.keys("loto:*").await.unwrap();
    for key in keys {
        let kind = redis::cmd("TYPE").arg(&key).clone();
        let kind: String = kind.query_async(redis).await.unwrap();
        match kind.as_str() {
            "string" => places.push(Place::Whole(key)),
            "list" => {
                let length: isize = redis.llen(&key).await.unwrap();
                places.extend((0..length).map(|entry| Place::Entry(key.clone(), entry)));
            }
            "hash" => {
                let fields: Vec<Vec<u8>> = redis.hkeys(&key).await.unwrap();
                let told = fields.into_iter().filter(|field| field != b"published");
                places.extend(told.map(|field| Place::Field(key.clone(), field)));
            }
            _ => {}
        }
    }
    places
}

#[tokio::test]
async fn no_bit_of_a_value_in_redis_can_change_unnoticed() {
    let url = servers::empty_store().await;
    let store = store::open(url.as_str()).await.unwrap();
    fill(store.as_ref()).await;
    let expected = read(store.as_ref()).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let mut whole = Vec::new();
    for place in places(&mut redis).await {
        let value = place.value(&mut redis).await;
        whole.push((place, value));
    }
    // Six traces, two attempts, a conflict, two sweeps in a list, one of them cancelled, two blobs.
    assert_eq!(whole.len(), 6 + 2 + 1 + 2 + 2 + 1 + 2);

    let (flips, mut random) = (settings::number("LOTO_BIT_FLIPS", FEW), random());
    let (mut noticed, mut without_effect) = (0, 0);
    // What puts the value before back, in one round trip with the next damage.
    let mut commands = Pipeline::new();
    for _ in 0..flips {
        let (place, value) = &whole[random.random_range(0..whole.len())];
        let mut bytes = value.clone();
        let bit = flip(&mut bytes, &mut random);
        place.put(&bytes, &mut commands);
        commands.exec_async(&mut redis).await.unwrap();
        match read(store.as_ref()).await {
            Err(_) => noticed += 1,
            Ok(found) => {
                assert_eq!(found, expected, "bit {bit}");
                without_effect += 1;
            }
        }
        commands.clear();
        place.put(value, &mut commands);
    }
    commands.exec_async(&mut redis).await.unwrap();
    assert_eq!(read(store.as_ref()).await.unwrap(), expected);
    println!("{flips} bits: {noticed} noticed, {without_effect} without effect, none silent");
    assert!(noticed > flips / 2);
}
