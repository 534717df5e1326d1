//! What Redis tells of its memory and its disk, and for how long it may lose what it took.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use redis::Pipeline;

use super::store::RedisStore;
use crate::error::TransportError;
use crate::store::health::{ChangeMark, Health};

/// Percent of the memory that Redis may use from which it counts as full: what was refused leaves a little room.
const FULL_PERCENT: u64 = 99;

/// Redis (`appendfsync everysec`) flushes its file every second, and while a flush takes long, keeps what is new in memory for up
/// to two more.
const LONGEST_LOSS: Duration = Duration::from_secs(4);

#[async_trait]
impl Health for RedisStore {
    fn longest_loss(&self) -> Duration {
        LONGEST_LOSS
    }

    async fn alarms(&self) -> Result<Vec<String>, TransportError> {
        let told: String = self.ask("INFO", &redis::cmd("INFO")).await?;
        let place = self.name();
        let alarms = alarms_in(&told).into_iter();
        Ok(alarms
            .map(|alarm| format!("store {place}: {alarm}"))
            .collect())
    }

    async fn change_mark(&self) -> Result<Option<ChangeMark>, TransportError> {
        let mut questions = Pipeline::with_capacity(2);
        questions.cmd("INFO").arg("server");
        questions.cmd("INFO").arg("persistence");
        let told: (String, String) = self.ask_all("INFO", &questions).await?;
        Ok(mark_in(&told.0, &told.1))
    }
}

/// Redis counts its changes from one saving to the next, in one process; none of these numbers says it alone. A server that does
/// not count its savings (before 7.0) may save twice within the second that the time of the last one has: it has no mark.
fn mark_in(server: &str, persistence: &str) -> Option<ChangeMark> {
    let field = |told: &str, name: &str| {
        let mut lines = told
            .lines()
            .filter_map(|line| line.trim_end().split_once(':'));
        lines
            .find(|(field, _)| *field == name)
            .map(|(_, value)| value.to_owned())
    };
    let parts = [
        field(server, "run_id")?,
        field(persistence, "rdb_saves")?,
        field(persistence, "rdb_last_save_time")?,
        field(persistence, "rdb_changes_since_last_save")?,
    ];
    Some(ChangeMark(parts.join(" ")))
}

/// The alarms in the answer to INFO: lines of a name, a colon and a value (<https://redis.io/commands/info>).
fn alarms_in(told: &str) -> Vec<String> {
    let fields: HashMap<&str, &str> = told
        .lines()
        .filter_map(|line| line.trim_end().split_once(':'))
        .collect();
    let is = |field: &str, value: &str| fields.get(field) == Some(&value);
    let number = |field: &str| -> u64 {
        let value = fields.get(field).and_then(|value| value.parse().ok());
        value.unwrap_or(0)
    };
    let mut alarms = Vec::new();
    let (used, allowed) = (number("used_memory"), number("maxmemory"));
    if allowed > 0 && used >= allowed / 100 * FULL_PERCENT {
        alarms.push(format!(
            "its memory is full, {} of {} MiB, so that it takes no traces: give it more (maxmemory), or delete sweeps",
            used >> 20,
            allowed >> 20
        ));
    }
    let evicted = number("evicted_keys");
    if evicted > 0 {
        alarms.push(format!(
            "it threw away {evicted} keys to have memory: set maxmemory-policy to noeviction, and submit the sweeps again"
        ));
    }
    if is("rdb_last_bgsave_status", "err") || is("aof_last_write_status", "err") {
        alarms.push(
            "it cannot write to its disk, and may refuse traces: see its log, and whether the disk is full".into(),
        );
    }
    if is("role", "slave") && !is("slave_read_only", "0") {
        alarms.push("it is a replica, which takes no traces: name the primary server".into());
    }
    alarms
}

#[cfg(test)]
mod tests {
    use super::*;

    const WELL: &str = "# Memory\r\nused_memory:1048576\r\nmaxmemory:0\r\n# Persistence\r\n\
                        rdb_last_bgsave_status:ok\r\naof_last_write_status:ok\r\nevicted_keys:0\r\nrole:master\r\n";

    #[test]
    fn a_store_that_is_well_has_no_alarm() {
        assert!(alarms_in(WELL).is_empty());
        assert!(alarms_in("").is_empty());
        let roomy = WELL.replace("maxmemory:0", "maxmemory:10485760");
        assert!(alarms_in(&roomy).is_empty());
    }

    #[test]
    fn only_a_server_that_counts_its_savings_has_a_mark() {
        let server = "# Server\r\nrun_id:abc\r\n";
        let persistence =
            "rdb_changes_since_last_save:5\r\nrdb_saves:2\r\nrdb_last_save_time:17\r\n";
        let mark = mark_in(server, persistence).unwrap();
        assert_eq!(mark, ChangeMark("abc 2 17 5".into()));
        let later = persistence.replace("save:5", "save:6");
        assert_ne!(mark_in(server, &later), Some(mark));
        let old = persistence.replace("rdb_saves:2\r\n", "");
        assert_eq!(mark_in(server, &old), None);
        assert_eq!(mark_in("", persistence), None);
    }

    #[test]
    fn each_trouble_is_an_alarm() {
        let cases = [
            (
                "maxmemory:0",
                "maxmemory:1048000",
                "memory is full, 1 of 0 MiB",
            ),
            ("evicted_keys:0", "evicted_keys:7", "7 keys"),
            ("bgsave_status:ok", "bgsave_status:err", "disk"),
            (
                "aof_last_write_status:ok",
                "aof_last_write_status:err",
                "disk",
            ),
            ("role:master", "role:slave\r\nslave_read_only:1", "replica"),
        ];
        for (before, after, expected) in cases {
            let alarms = alarms_in(&WELL.replace(before, after));
            assert!(
                alarms.len() == 1 && alarms[0].contains(expected),
                "{after}: {alarms:?}"
            );
        }
        // One that was told to take writes does.
        let writable = WELL.replace("role:master", "role:slave\r\nslave_read_only:0");
        assert!(alarms_in(&writable).is_empty());
    }
}
