//! The scripts Redis runs: what has to happen all at once or not at all.
//!
//! A script is not rolled back when a command in it fails. Each therefore makes
//! its reads first and the write that counts last: a key of the wrong type
//! stops it before anything is lost.

use redis::Script;

/// The store's scripts, hashed once.
pub(super) struct Scripts {
    /// Keys: sweep, list of sweeps. Arguments: id, bytes. Returns the sweep that was there already, or
    /// nothing.
    pub(super) put_sweep: Script,
    /// Keys: traces, attempts, events. Arguments: seed, trace, series, most events, mark.
    /// Returns the trace that was there already, or nothing; and why no event was added, or nothing.
    pub(super) put_trace: Script,
    /// Keys: traces, attempts. Arguments: seed, attempt, the attempt that it replaces
    /// (empty: none). Returns 1 if it did, or had done so before.
    pub(super) put_attempt: Script,
    /// Keys: state of a sweep, stopped series. Arguments: the field of cancelled sweeps, series. Returns how
    /// many were stopped, unless the sweep is cancelled.
    pub(super) release_series: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Self {
            put_sweep: Script::new(PUT_SWEEP),
            put_trace: Script::new(PUT_TRACE),
            put_attempt: Script::new(PUT_ATTEMPT),
            release_series: Script::new(RELEASE_SERIES),
        }
    }
}

const PUT_SWEEP: &str = "
local stored = redis.call('GET', KEYS[1])
if stored then
    return stored
end
local is_listed = false
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    is_listed = is_listed or id == ARGV[1]
end
if not is_listed then
    redis.call('RPUSH', KEYS[2], ARGV[1])
end
redis.call('SET', KEYS[1], ARGV[2])
return false";

// Events are numbered without gaps, so that a reader sees when it missed some. Their marks are
// random, so that it sees when the server lost some and gave their numbers to others.
//
// A stream that was trimmed to nothing refuses the numbers that it has given before, and does not tell
// them: it then gives one itself, a time in milliseconds that is above them, from which the numbers go
// on. If its clock was set back, that is not a whole number, and the next whole one takes its place.
//
// The events only save readers time: a trace is stored whatever becomes of its event.
const PUT_TRACE: &str = "
local stored = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
if stored then
    return {stored, false}
end
local function add(accuracy, most, id)
    return redis.pcall('XADD', KEYS[3], 'MAXLEN', accuracy, most, id,
        'series', ARGV[3], 'seed', ARGV[1], 'mark', ARGV[5])
end
local function problem_of(reply)
    return type(reply) == 'table' and reply.err or false
end
local newest = redis.pcall('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
local problem = problem_of(newest)
if not problem then
    local last = newest[1]
    local number = last and tonumber(string.match(last[1], '^(%d+)')) or 0
    local added = add('~', ARGV[4], string.format('%.0f-0', number + 1))
    if problem_of(added) and not last then
        added = add('~', ARGV[4], '*')
        local whole, part = string.match(tostring(added), '^(%d+)%-(%d+)$')
        if part and part ~= '0' then
            added = add('=', 1, string.format('%.0f-0', tonumber(whole) + 1))
        end
    end
    problem = problem_of(added)
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return {false, problem}";

const PUT_ATTEMPT: &str = "
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
    return 0
end
local stored = redis.call('HGET', KEYS[2], ARGV[1]) or ''
if stored == ARGV[2] then
    return 1
end
if stored ~= ARGV[3] then
    return 0
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1";

const RELEASE_SERIES: &str = "
if (redis.call('HGET', KEYS[1], ARGV[1]) or '0') ~= '0' then
    return 0
end
return redis.call('SREM', KEYS[2], unpack(ARGV, 2))";
