//! What is done to the values in Redis, as long as no more than half of the sweep is done: it may end at any time
//! then, and nothing makes good what is done to the store after that.

use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use redis::{AsyncCommands, Script};

use crate::servers::connect_redis;

/// Deletes everything, unless more than half of so many jobs are done.
const WIPE: &str = "
local done = 0
for _, key in ipairs(redis.call('KEYS', 'loto:traces:*')) do
    done = done + redis.call('HLEN', key)
end
if 2 * done > tonumber(ARGV[1]) then
    return false
end
redis.call('FLUSHALL')
return done";

/// Deletes all values; returns how many traces that were, or `None` if the sweep is too far.
pub(super) async fn wipe(store: &str, jobs: usize) -> anyhow::Result<Option<u64>> {
    let mut redis = connect_redis(store).await;
    let wipe = Script::new(WIPE);
    Ok(wipe.arg(jobs).invoke_async(&mut redis).await?)
}

/// Flips one bit of the trace of one of these jobs and returns the job, or `None` if none is done or too many
/// are.
pub(super) async fn flip_bit_of_trace(
    store: &str,
    jobs: &[Job],
    random: &mut ChaCha8Rng,
) -> anyhow::Result<Option<Job>> {
    let mut redis = connect_redis(store).await;
    let mut keys: Vec<String> = redis.keys("loto:traces:*").await?;
    keys.sort_unstable();
    let mut done = 0;
    for key in &keys {
        let traces: usize = redis.hlen(key).await?;
        done += traces;
    }
    if 2 * done > jobs.len() {
        return Ok(None);
    }
    let Some(key) = keys.choose(random) else {
        return Ok(None);
    };
    let mut seeds: Vec<u32> = redis.hkeys(key).await?;
    seeds.sort_unstable();
    let Some(&seed) = seeds.choose(random) else {
        return Ok(None);
    };
    let series: SeriesId = key.trim_start_matches("loto:traces:").parse()?;
    let is_this = |job: &&Job| job.seed == seed && job.series.id() == series;
    let trace: Option<Vec<u8>> = redis.hget(key, seed).await?;
    let (Some(job), Some(mut trace)) = (jobs.iter().find(is_this), trace) else {
        return Ok(None);
    };
    let place = random.random_range(0..trace.len());
    trace[place] ^= 1 << random.random_range(0..8);
    let _: u32 = redis.hset(key, seed, trace).await?;
    Ok(Some(job.clone()))
}
