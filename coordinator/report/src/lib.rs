//! Reports: what users and papers get to see of a sweep.
//!
//! Every number comes from [`loto_statistics`]; nothing is computed here but what is shown.
//!
//! | to find | look in |
//! |---|---|
//! | all files of a report | [`Report::write_folder`] (`folder`, `file_name`) |
//! | one format on a stream | [`Report::write`] (`format`) |
//! | the page | `html`, one file per table |
//! | what of it a page shows that is watched | [`live`] |
//! | the tables on a terminal | `text`, `text_table` |
//! | files for other programs | `json`, `scores_csv`, `curves_csv`, `cost_curves_csv`, `fronts_csv`, `traces_csv`, `published_csv` (texts: [`csv_text`]) |
//! | what these files are of | [`About`] (`about`, `about_json`, `csv_columns`, `conditional_columns`) |
//! | tables for papers | `latex` |
//! | pictures | [`charts`] |
//! | figures of the paper | [`published`] |
//! | how numbers are written | [`numbers`] |
//! | what is said first, if anything is missing | `missing` |
//! | whether there are intervals over the seeds | `over_seeds` |
//! | fronts of two objectives | `attained` |
//! | which task dominates a mean, which tests are left out, which differences matter | `dominant`, `withheld`, `practical` |
//!
//! # Example
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use loto_report::{About, Format, Report};
//! use loto_statistics::analysis::{AnalysisOptions, analyse};
//! use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};
//!
//! // One trace of random search on a table with four rows.
//! let trace = SeedTrace { rows: vec![2, 0], values: vec![0.3, 0.1], ..Default::default() };
//! let results = SweepResults {
//!     name: "tiny".into(),
//!     seeds: 1,
//!     blackboxes: vec![BlackboxResults {
//!         name: "forest".into(),
//!         direction: Default::default(),
//!         iterations: 2,
//!         methods: vec!["rs".into()],
//!         tasks: vec![TaskResults {
//!             name: "wine".into(),
//!             objective: [0.1, 0.2, 0.3, 0.4].into(),
//!             hypervolume: None,
//!             mean_cost: None,
//!             traces: vec![BTreeMap::from([(0, trace)])],
//!         }],
//!         arrivals: None,
//!         unmarked: Default::default(),
//!     }],
//! };
//! let analysis = analyse(&results, &AnalysisOptions::default())?;
//! let report = Report {
//!     results: &results,
//!     analysis: &analysis,
//!     sweep: None,
//!     planned: &[],
//!     about: &About::default(),
//!     notes: &[],
//! };
//! let mut text = Vec::new();
//! report.write(Format::Text, &mut text)?;
//! assert!(String::from_utf8(text)?.contains("forest: 1 task, 2 iterations"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod about_json;
mod atomic_file;
mod attained;
mod best;
pub mod charts;
mod conditional_columns;
mod cost_curves_csv;
mod csv_columns;
pub mod csv_text;
mod curves_csv;
mod dominant;
pub mod error;
mod file_name;
mod folder;
mod format;
mod fronts_csv;
mod html;
mod json;
mod latex;
mod missing;
pub mod numbers;
mod over_seeds;
mod practical;
pub mod published;
mod published_csv;
mod report;
mod scores_csv;
mod text;
mod text_table;
mod traces_csv;
mod withheld;

pub use about::{About, AboutBlackbox, AboutHyperparameter, AboutMethod, AboutProposals, Made};
pub use csv_columns::TRACES_FILE;
pub use error::UnwritableFile;
pub use format::Format;
pub use html::live;
pub use report::Report;

#[cfg(test)]
mod about_tests;
#[cfg(test)]
mod practical_tests;
#[cfg(test)]
mod published_tests;
#[cfg(test)]
mod score_tests;
#[cfg(test)]
mod tests;
