//! What every store and every queue has to do, whatever is behind it.
//!
//! The modules hold one function per rule. The macros make a test of each for
//! one implementation, so that a new rule is written once and a new backend is
//! checked by one line.

pub mod queue;
pub mod store;

/// Makes a test of every rule for stores; the expression opens an empty one.
#[macro_export]
macro_rules! store_conformance {
    ($open:expr) => {
        $crate::conformance_tests!(
            store,
            $open,
            a_sweep_is_kept_once_and_in_order,
            a_trace_is_stored_once,
            another_outcome_is_a_conflict,
            finished_seeds_are_listed_by_series,
            traces_are_listed_by_seed,
            new_traces_are_told_in_order,
            the_latest_cursor_is_the_end_of_the_history,
            attempts_are_kept_until_the_job_is_done,
            attempts_are_listed_however_long_they_are,
            an_attempt_is_replaced_only_by_who_has_seen_it,
            an_attempt_that_is_recorded_again_is_the_same,
            a_cancelled_sweep_stops_its_series_until_it_is_resumed,
            a_deleted_sweep_takes_along_what_is_named_with_it,
            conflicts_are_kept_until_they_are_forgotten,
            the_last_report_of_each_worker_is_kept,
            the_first_bytes_of_a_blob_stay,
            of_many_writers_one_is_first,
            a_mark_is_another_one_after_each_change,
        );
    };
}

/// Makes a test of every rule for queues; the expression opens an empty one and
/// gives it with whatever has to live as long.
#[macro_export]
macro_rules! queue_conformance {
    ($open:expr) => {
        $crate::conformance_tests!(
            queue,
            $open,
            every_job_arrives_once,
            no_more_than_asked_for_are_in_flight,
            what_is_given_back_comes_again,
            what_pauses_comes_again_later_and_keeps_no_slot,
            what_is_dropped_comes_again,
            what_is_rejected_does_not_come_again,
            consumers_share_the_jobs,
        );
    };
}

/// Makes a test of each named rule.
#[macro_export]
macro_rules! conformance_tests {
    ($kind:ident, $open:expr, $($rule:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                let (subject, _kept) = $open.await;
                $crate::conformance::$kind::$rule(&subject).await;
            }
        )*
    };
}
