//! The folder with all files of a report.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use crate::charts::{self, Palette, Svg};
use crate::error::UnwritableFile;
use crate::format::Format;
use crate::report::Report;
use crate::{atomic_file, published, published_csv, scores_csv, traces_csv};

/// Longest part of a file name that comes from a name of the user.
const MAX_NAME_CHARACTERS: usize = 60;

impl Report<'_> {
    /// Writes `traces.csv.gz`, `scores.csv`, `scores_by_task.csv`, `statistics.json`, `report.html`
    /// and, in `charts/`, every chart as a picture of its own; `published.csv` if there are published
    /// figures of this sweep.
    ///
    /// The folder is made if it is not there. Each file appears only when it is whole.
    ///
    /// # Errors
    /// [`UnwritableFile`].
    pub fn write_folder(&self, folder: &Path) -> Result<(), UnwritableFile> {
        let charts_folder = folder.join("charts");
        fs::create_dir_all(&charts_folder).map_err(UnwritableFile::at(&charts_folder))?;
        let write = |name: &str, format| {
            atomic_file::write(&folder.join(name), |output| self.write(format, output))
        };
        atomic_file::write(&folder.join("traces.csv.gz"), |output| {
            traces_csv::write(self.results, output)
        })?;
        write("scores.csv", Format::Csv)?;
        atomic_file::write(&folder.join("scores_by_task.csv"), |output| {
            scores_csv::write_scores_by_task(self.analysis, output)
        })?;
        let published = published::compare(self.analysis);
        if !published.is_empty() {
            atomic_file::write(&folder.join("published.csv"), |output| {
                published_csv::write(&published, output)
            })?;
        }
        write("statistics.json", Format::Json)?;
        write("report.html", Format::Html)?;
        self.write_charts(&charts_folder)
    }

    fn write_charts(&self, folder: &Path) -> Result<(), UnwritableFile> {
        let palette = Palette::new(self.analysis);
        let write = |name: &str, picture: Option<Svg>, title: &str| match picture {
            Some(picture) => atomic_file::write(&folder.join(format!("{name}.svg")), |output| {
                output.write_all(picture.finish(title).as_bytes())
            }),
            None => Ok(()),
        };
        let baseline = self.draws_baseline();
        let mut taken = BTreeSet::new();
        for blackbox in &self.analysis.blackboxes {
            let name = file_name(&blackbox.name, &mut taken);
            let curves = charts::adtm(blackbox, &palette, baseline, charts::CURVES_SIZE);
            let title = format!("ADTM over iterations on {}", blackbox.name);
            write(&format!("adtm-{name}"), curves, &title)?;
            let scores = charts::improvement(blackbox, &palette, charts::WIDTH);
            let title = format!("Improvement over random search on {}", blackbox.name);
            write(&format!("improvement-{name}"), scores, &title)?;
            let title = format!("Average ranks on {}", blackbox.name);
            let ranks = blackbox.comparison.computed().map(|comparison| {
                charts::critical_difference(comparison, &title, &palette, charts::WIDTH)
            });
            write(&format!("critical-difference-{name}"), ranks, &title)?;
        }
        let title = format!("Results of {}", self.analysis.name);
        write(
            "overview",
            charts::overview(self.analysis, &palette, baseline),
            &title,
        )
    }
}

/// A file name for a name of the user: unlike all in `taken`, on every file system.
fn file_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let safe = |character: char| match character {
        safe if safe.is_ascii_alphanumeric() || matches!(safe, '-' | '_') => safe,
        _ => '_',
    };
    let base: String = name.chars().take(MAX_NAME_CHARACTERS).map(safe).collect();
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut candidates = std::iter::once(base.clone()).chain(numbered);
    let free = candidates.find(|candidate| taken.insert(candidate.to_lowercase()));
    free.expect("there are more numbers than black boxes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_distinct() {
        let mut taken = BTreeSet::new();
        assert_eq!(file_name("../a b", &mut taken), "___a_b");
        assert_eq!(file_name("NAS", &mut taken), "NAS");
        assert_eq!(file_name("nas", &mut taken), "nas-2");
        assert_eq!(file_name("nas", &mut taken), "nas-3");
    }
}
