//! The folder with all files of a report.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use loto_statistics::analysis::BlackboxAnalysis;

use crate::charts::{self, CURVES_SIZE, HALF_SIZE, Palette, Picture, WIDTH};
use crate::conditional_columns::{COST_CURVES_FILE, FRONTS_FILE};
use crate::csv_columns::TRACES_FILE;
use crate::error::UnwritableFile;
use crate::file_name::file_name;
use crate::format::Format;
use crate::report::Report;
use crate::{
    about_json, atomic_file, attained, cost_curves_csv, curves_csv, fronts_csv, latex, published,
    published_csv, scores_csv, traces_csv,
};

impl Report<'_> {
    /// Writes `traces.csv.gz`, `scores.csv`, `scores_by_task.csv`, `curves.csv`, `curves_by_task.csv`,
    /// `statistics.json`, `about.json`, `tables.tex`, `report.html` and, in `charts/`, every chart as SVG and
    /// PDF; `fronts.csv` if there are two objectives, `curves_over_cost.csv` if there are costs; `published.csv` and `published_by_task.csv` if there are published figures of this sweep.
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
        atomic_file::write(&folder.join(TRACES_FILE), |output| {
            traces_csv::write(self.results, output)
        })?;
        write("scores.csv", Format::Csv)?;
        atomic_file::write(&folder.join("scores_by_task.csv"), |output| {
            scores_csv::write_scores_by_task(self.analysis, output)
        })?;
        atomic_file::write(&folder.join("curves.csv"), |output| {
            curves_csv::write_curves(self.analysis, output)
        })?;
        atomic_file::write(&folder.join("curves_by_task.csv"), |output| {
            curves_csv::write_curves_by_task(self.analysis, output)
        })?;
        if self
            .analysis
            .blackboxes
            .iter()
            .any(|known| !known.measure.is_distance())
        {
            atomic_file::write(&folder.join(FRONTS_FILE), |output| {
                fronts_csv::write(self, output)
            })?;
        }
        if self
            .analysis
            .blackboxes
            .iter()
            .any(|known| known.over_cost.is_some())
        {
            atomic_file::write(&folder.join(COST_CURVES_FILE), |output| {
                cost_curves_csv::write(self.analysis, output)
            })?;
        }
        let published = published::compare(self.analysis, self.planned);
        if !published.is_empty() {
            atomic_file::write(&folder.join("published.csv"), |output| {
                published_csv::write(&published, output)
            })?;
        }
        let by_task = self.published_by_task();
        if !by_task.is_empty() {
            atomic_file::write(&folder.join("published_by_task.csv"), |output| {
                published_csv::write_by_task(&by_task, output)
            })?;
        }
        atomic_file::write(&folder.join("about.json"), |output| {
            about_json::write(self, output)
        })?;
        atomic_file::write(&folder.join("tables.tex"), |output| {
            output.write_all(latex::tables(self).as_bytes())
        })?;
        write("statistics.json", Format::Json)?;
        write("report.html", Format::Html)?;
        self.write_charts(&charts_folder)
    }

    fn write_charts(&self, folder: &Path) -> Result<(), UnwritableFile> {
        let palette = Palette::new(self.analysis);
        let mut taken = BTreeSet::new();
        for blackbox in &self.analysis.blackboxes {
            let name = file_name(&blackbox.name, &mut taken);
            for (kind, title, picture) in self.charts_of(blackbox, &palette) {
                write_chart(folder, &format!("{kind}-{name}"), picture, &title)?;
            }
            for (number, fronts) in (1..).zip(attained::of_blackbox(self, blackbox)) {
                let picture = charts::fronts(&fronts, &palette, CURVES_SIZE);
                let title = format!("Fronts on {} of {}", fronts.task, blackbox.name);
                write_chart(folder, &format!("front-{name}-{number}"), picture, &title)?;
            }
        }
        let title = format!("Results of {}", self.analysis.name);
        let overview = charts::overview(self.analysis, &palette, self.draws_baseline());
        write_chart(folder, "overview", overview, &title)
    }

    /// The charts of a black box, each with the beginning of its file name and with what it shows.
    fn charts_of(
        &self,
        blackbox: &BlackboxAnalysis,
        palette: &Palette,
    ) -> [(&'static str, String, Option<Picture>); 10] {
        let name = &blackbox.name;
        let baseline = self.draws_baseline();
        let measure = blackbox.measure.name();
        let average = blackbox.measure.name_of_average();
        let ranks_title = format!("Average ranks on {name}");
        let ranks = blackbox.comparison.computed().map(|comparison| {
            charts::critical_difference(comparison, &ranks_title, palette, WIDTH)
        });
        [
            (
                "adtm",
                format!("{average} over evaluations on {name}"),
                charts::adtm(blackbox, palette, baseline, CURVES_SIZE),
            ),
            (
                "rank",
                format!("Average rank over evaluations on {name}"),
                charts::average_rank(blackbox, palette, HALF_SIZE),
            ),
            (
                "unsolved",
                format!("Unsolved runs over evaluations on {name}"),
                charts::unsolved(blackbox, palette, HALF_SIZE),
            ),
            (
                "targets",
                format!("Reached targets over evaluations on {name}"),
                charts::targets(blackbox, palette, HALF_SIZE),
            ),
            (
                "profile",
                format!("Performance profile on {name}"),
                charts::profile(blackbox, palette, HALF_SIZE),
            ),
            (
                "improvement",
                format!("Improvement over random search on {name}"),
                charts::improvement(blackbox, palette, WIDTH),
            ),
            (
                "tasks",
                format!("{measure} over evaluations on the tasks of {name}"),
                charts::small_multiples(blackbox, palette, baseline, WIDTH),
            ),
            ("critical-difference", ranks_title.clone(), ranks),
            (
                "arrivals",
                format!("Average rank over the tasks so far on {name}"),
                charts::ranks_by_arrival(blackbox, palette, CURVES_SIZE),
            ),
            (
                "cost",
                format!("{average} over cost on {name}"),
                charts::over_cost(blackbox, palette, CURVES_SIZE),
            ),
        ]
    }
}

/// Writes a chart, if there is one, as SVG and as PDF.
fn write_chart(
    folder: &Path,
    name: &str,
    picture: Option<Picture>,
    title: &str,
) -> Result<(), UnwritableFile> {
    let Some(picture) = picture else {
        return Ok(());
    };
    for (ending, bytes) in [
        ("svg", picture.svg(title).into_bytes()),
        ("pdf", picture.pdf(title)),
    ] {
        let path = folder.join(format!("{name}.{ending}"));
        atomic_file::write(&path, |output| output.write_all(&bytes))?;
    }
    Ok(())
}
