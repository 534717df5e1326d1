//! URLs of brokers and stores. Around the password, anything goes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_fuzz::{block_on, check_error};
use loto_transport::connection::address::without_password;
use loto_transport::store;

const PASSWORD: &str = "v3ry-s3cr3t";

fuzz_target!(|parts: (&str, &str)| {
    let (before, after) = parts;
    let with_user = format!("{before}:{PASSWORD}@{after}");
    let in_query = format!("{before}?password={PASSWORD}{after}");
    for url in [with_user, in_query] {
        // A user who repeats the password elsewhere, or puts it where no URL has one.
        let shown = without_password(&url);
        let is_elsewhere = before.contains(PASSWORD) || after.contains(PASSWORD);
        let is_user = after.contains('@') && url.contains("?password");
        assert!(
            is_elsewhere || is_user || !shown.contains(PASSWORD),
            "{url}: {shown}"
        );
        if !url.starts_with("redis://")
            && let Err(error) = block_on(store::open_existing(&url))
        {
            assert!(!error.to_string().is_empty());
        }
    }
    if !before.starts_with("redis://")
        && before.len() < 200
        && let Err(error) = block_on(store::open_existing(before))
    {
        check_error(error);
    }
});
