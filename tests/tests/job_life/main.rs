//! Every way in which the life of a job can go, explored to the end.
//!
//! The model has one job, two workers, a broker, a store that may lose what it was last
//! told, and a coordinator. What workers record and what the coordinator takes for lost is
//! decided by the very functions that run in production, [`loto_proto::lifecycle`] and
//! [`loto_coordinator::dispatch::LostJobs`]. Every order of the steps of all parts is
//! explored, with faults between any two of them.
//!
//! What is checked in every state that can be reached:
//! - the trace is never stored a second time while it is there;
//! - once the coordinator has said that the job is done, the trace stays;
//! - the job is poisoned only after as many failures, or attempts without news, as it takes;
//! - without further faults everything comes to rest, whatever the order of steps,
//!   and then the job is done, poisoned or stopped, no message is left and no worker is busy.

mod explorer;
mod model;
mod worker;

use explorer::explore;
use model::{Faults, State};

/// Explores with these faults and says how many states there are.
fn check(faults: Faults) -> usize {
    let explored = explore(State::new(faults));
    assert!(explored.done > 0, "some way must lead to the trace");
    println!("{faults:?}: {explored:?}");
    explored.states
}

#[test]
fn without_faults_the_job_is_done_or_fails_too_often() {
    let states = check(Faults::default());
    assert!(states > 10, "{states}");
}

#[test]
fn crashes_and_lost_connections_lose_nothing() {
    check(Faults {
        crashes: 2,
        disconnections: 1,
        requeues: 1,
        ..Faults::default()
    });
}

#[test]
fn a_store_that_loses_its_last_second_is_made_whole() {
    check(Faults {
        store_losses: 2,
        crashes: 1,
        duplicates: 1,
        ..Faults::default()
    });
}

#[test]
fn lost_and_doubled_messages_are_made_good() {
    check(Faults {
        message_losses: 2,
        duplicates: 2,
        disconnections: 1,
        ..Faults::default()
    });
}

#[test]
fn cancelling_resuming_and_retrying_are_safe_at_any_moment() {
    check(Faults {
        cancellations: 1,
        retries: 1,
        crashes: 1,
        ..Faults::default()
    });
    check(Faults {
        cancellations: 1,
        store_losses: 1,
        ..Faults::default()
    });
}

#[test]
fn faults_of_all_parts_together() {
    check(Faults {
        crashes: 1,
        disconnections: 1,
        store_losses: 1,
        message_losses: 1,
        ..Faults::default()
    });
}
