//! Pages for browsers that show sweeps while they run.
//!
//! A page is made on the server of fragments, elements with an id of their own. As a fragment changes, it is
//! pushed to all who look at the page, who put it in the place of the one before. What all of them see is made once:
//!
//! - `broadcasts` keeps one task per page that somebody looks at (`sweep_broadcast`, `list_broadcast`, `results_broadcast`), which
//!   makes its fragments anew (`fragments`) from what `aggregator` publishes, as often as `pace` allows;
//! - `viewer` is the stream of one browser: it sends what changed since the last time, however much that was, so that a slow
//!   viewer holds up nobody and costs one list of shared texts;
//! - `sections` has one file per part of a page, `document` what is around them; `results_address` says where the parts of the results are, `method_jobs` has the jobs of
//!   one method task by task, `series_page` those of one series
//!   and the trace of one (`job`), `side_by_side` two methods on one task (`method_runs`), `report_desk` the report as of now;
//! - `doorkeeper` asks for a token if there are tokens, `own_name` refuses requests for the names of others if there are none, `headers` keeps browsers from loading anything from elsewhere,
//!   `compression` makes pages small;
//! - `control` cancels, retries and resumes sweeps for who may;
//! - `answers` has what is answered at each address, `server` puts all together.

mod answers;
mod broadcasts;
mod compression;
mod control;
mod document;
mod doorkeeper;
mod error;
mod fragments;
mod headers;
mod job;
mod list_broadcast;
mod listed_sweep;
mod method_jobs;
mod method_runs;
mod own_name;
mod pace;
mod report_desk;
mod results_address;
mod results_broadcast;
mod sections;
mod series_page;
mod server;
mod side_by_side;
mod sweep_broadcast;
mod viewer;

pub(crate) use server::serve;
