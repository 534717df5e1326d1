//! The scripts Redis runs: what has to happen all at once or not at all.
//!
//! A script is not rolled back when a command in it fails. Each therefore makes
//! its reads first and the write that counts last: a key of the wrong type
//! stops it before anything is lost.

use redis::Script;

/// The store's scripts, hashed once.
pub(super) struct Scripts {
    /// Keys: sweep, list of sweeps. Arguments: id, bytes.
    pub(super) put_sweep: Script,
    /// Keys: traces, attempts, events. Arguments: seed, trace, series, most events, mark.
    /// Returns the trace that was there already, or nothing.
    pub(super) put_trace: Script,
    /// Keys: traces, attempts. Arguments: seed, attempt, the attempt that it replaces
    /// (empty: none). Returns 1 if it did.
    pub(super) put_attempt: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Self {
            put_sweep: Script::new(PUT_SWEEP),
            put_trace: Script::new(PUT_TRACE),
            put_attempt: Script::new(PUT_ATTEMPT),
        }
    }
}

const PUT_SWEEP: &str = "
if redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call('RPUSH', KEYS[2], ARGV[1])
    redis.call('SET', KEYS[1], ARGV[2])
end";

// Events are numbered without gaps, so that a reader sees when it missed some. Their marks are
// random, so that it sees when the server lost some and gave their numbers to others.
const PUT_TRACE: &str = "
local stored = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
if stored then
    return stored
end
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
local number = last and tonumber(string.match(last[1], '^(%d+)')) or 0
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[4], string.format('%.0f-0', number + 1),
    'series', ARGV[3], 'seed', ARGV[1], 'mark', ARGV[5])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return false";

const PUT_ATTEMPT: &str = "
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
    return 0
end
if (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[3] then
    return 0
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1";
