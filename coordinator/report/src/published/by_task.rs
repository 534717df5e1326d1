//! Published figures of single tasks beside a sweep's own: the tables of the paper of 2019.
//!
//! They apply to a black box that has the table or the name, the target tasks and the iterations of the paper's. Some of its black
//! boxes are those of ICML 2020; DeepAR has one target more.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use loto_proto::sweep::Blackbox;
use loto_statistics::analysis::{BlackboxAnalysis, SweepAnalysis, TaskAnalysis};
use loto_statistics::means::mean_of_known;

use super::protocol::{departures, other_parameters, papers_name};

/// Where the figures come from.
pub const SOURCE_BY_TASK: &str = "Salinas, Shen and Perrone, A copula approach for hyperparameter transfer learning, 2019 (30 seeds)";

/// Iterations of the paper's traces.
pub(super) const ITERATIONS: usize = 100;

/// What a published table has of each task and method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishedFigure {
    /// The relative improvement over random search in percent, the mean over the iterations.
    RelativeImprovement,
    /// The same after so many iterations.
    RelativeImprovementAt(usize),
    /// The root mean square error of a prior.
    PriorError,
    /// The relative improvement over random search in percent, the mean over 100 costs.
    RelativeImprovementOverCost,
}

impl PublishedFigure {
    /// What it is, for a caption.
    pub(crate) fn in_words(self) -> String {
        match self {
            Self::RelativeImprovement => {
                "relative improvement over random search in percent, mean over the evaluations"
                    .into()
            }
            Self::RelativeImprovementAt(iteration) => format!(
                "relative improvement over random search in percent after {iteration} evaluations"
            ),
            Self::PriorError => "root mean square error of the prior".into(),
            Self::RelativeImprovementOverCost => {
                "relative improvement over random search in percent, mean over the cost of the evaluations".into()
            }
        }
    }

    /// The figure as the paper prints it.
    pub(crate) fn shown(self, value: f64) -> String {
        match self {
            Self::PriorError => format!("{value:.3}"),
            _ => format!("{value:.1}"),
        }
    }

    /// That of a column of the paper's table here; the only prior whose error is known of a task is the network.
    fn own(self, task: &TaskAnalysis, column: &str) -> Option<f64> {
        if self == Self::PriorError {
            return task.prior_rmse.filter(|_| column == "mlp");
        }
        let method = task.methods.iter().find(|own| own.method == column)?;
        let relative = method.relative_improvement.as_ref()?;
        let share = match self {
            Self::RelativeImprovementAt(iteration) => {
                let mut at = relative.at.iter();
                at.find(|at| at.iteration == iteration)?.value
            }
            _ => relative.mean,
        };
        share.map(|share| 100.0 * share)
    }
}

/// A table of the paper.
pub(super) struct PapersTable {
    pub(super) number: u32,
    pub(super) figure: PublishedFigure,
    pub(super) columns: Vec<String>,
    /// Black box, task, and a figure for each of the columns.
    rows: Vec<(String, String, Vec<f64>)>,
}

impl PapersTable {
    pub(super) fn read(number: u32, figure: PublishedFigure, text: &str) -> Self {
        let mut builder = csv::ReaderBuilder::new();
        let mut reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
        let well_formed = "the published tables are well formed";
        let header = reader.headers().expect(well_formed).clone();
        let rows = reader.records().map(|row| {
            let row = row.expect(well_formed);
            let figures = row.iter().skip(2);
            let figures = figures.map(|figure| figure.parse().expect(well_formed));
            (row[0].to_owned(), row[1].to_owned(), figures.collect())
        });
        Self {
            number,
            figure,
            columns: header.iter().skip(2).map(str::to_owned).collect(),
            rows: rows.collect(),
        }
    }

    pub(super) fn of_blackbox(&self, papers_name: &str) -> Vec<&(String, String, Vec<f64>)> {
        let rows = self.rows.iter();
        rows.filter(|(blackbox, ..)| blackbox == papers_name)
            .collect()
    }
}

static TABLES: LazyLock<[PapersTable; 6]> = LazyLock::new(|| {
    use PublishedFigure::{PriorError, RelativeImprovement, RelativeImprovementAt};
    let read = PapersTable::read;
    [
        read(
            2,
            RelativeImprovement,
            include_str!("../../published/iclr-table2.csv"),
        ),
        read(
            3,
            RelativeImprovement,
            include_str!("../../published/iclr-table3.csv"),
        ),
        read(
            5,
            PriorError,
            include_str!("../../published/iclr-table5.csv"),
        ),
        read(
            7,
            RelativeImprovementAt(10),
            include_str!("../../published/iclr-table7.csv"),
        ),
        read(
            8,
            RelativeImprovementAt(50),
            include_str!("../../published/iclr-table8.csv"),
        ),
        read(
            9,
            RelativeImprovementAt(100),
            include_str!("../../published/iclr-table9.csv"),
        ),
    ]
});

/// A figure of the sweep, absent if nothing is finished, and the paper's.
pub type OwnAndPublished = (Option<f64>, f64);

/// A black box's figures of single tasks beside those of one table of the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedTasks {
    /// Name of the black box.
    pub blackbox: String,
    /// The number of the paper's table.
    pub table: u32,
    /// What the figures are.
    pub figure: PublishedFigure,
    /// The columns that both have: methods, or priors.
    pub columns: Vec<String>,
    /// The tasks in the order of the paper, each with a pair of figures per column: the sweep's, and the paper's.
    pub tasks: Vec<(String, Vec<OwnAndPublished>)>,
    /// Where the sweep departs from the paper's protocol, one sentence each.
    pub remarks: Vec<String>,
}

impl PublishedTasks {
    /// The means over the tasks of a column, here and there; there is none here if a task has no figure.
    pub fn means(&self, column: usize) -> OwnAndPublished {
        let count = self.tasks.len() as f64;
        let figures = || self.tasks.iter().map(|(_, figures)| figures[column]);
        let complete = figures().all(|(own, _)| own.is_some());
        let own = mean_of_known(figures().map(|(own, _)| own)).filter(|_| complete);
        (
            own,
            figures().map(|(_, published)| published).sum::<f64>() / count,
        )
    }
}

/// The figures of single tasks of all black boxes of a sweep to which published ones apply, table by table.
pub fn compare_by_task(analysis: &SweepAnalysis, planned: &[Blackbox]) -> Vec<PublishedTasks> {
    let blackboxes = analysis.blackboxes.iter();
    let blackboxes = blackboxes.filter(|known| known.measure.is_distance());
    let compared = blackboxes.flat_map(|blackbox| {
        let planned = planned.iter().find(|known| known.name == blackbox.name);
        let of_table = planned.and_then(|planned| papers_name(planned.table));
        let general = departures(of_table.is_some(), analysis.baseline);
        let remarks = general
            .iter()
            .map(|departure| departure.sentence().to_owned());
        let remarks: Vec<String> = remarks.collect();
        let papers_name = of_table.unwrap_or(&blackbox.name);
        let tables = TABLES.iter();
        let compared =
            tables.filter_map(|table| compare_table(table, blackbox, planned, papers_name));
        compared
            .map(|compared| PublishedTasks {
                remarks: remarks.iter().cloned().chain(compared.remarks).collect(),
                ..compared
            })
            .collect::<Vec<_>>()
    });
    compared.collect()
}

fn compare_table(
    table: &PapersTable,
    blackbox: &BlackboxAnalysis,
    planned: Option<&Blackbox>,
    papers_name: &str,
) -> Option<PublishedTasks> {
    let rows = table.of_blackbox(papers_name);
    let theirs: BTreeSet<&str> = rows.iter().map(|(_, task, _)| task.as_str()).collect();
    let ours: BTreeSet<&str> = blackbox
        .tasks
        .iter()
        .map(|task| task.name.as_str())
        .collect();
    if blackbox.iterations != ITERATIONS || ours != theirs {
        return None;
    }
    let own = |name: &str, column: &str| {
        let mut tasks = blackbox.tasks.iter();
        let task = tasks.find(|task| task.name == name)?;
        table.figure.own(task, column)
    };
    let columns = table.columns.iter().enumerate();
    let shared = columns.filter(|(_, column)| rows.iter().any(|row| own(&row.1, column).is_some()));
    let shared: Vec<(usize, &String)> = shared.collect();
    let tasks = rows.iter().map(|(_, task, published)| {
        let figures = shared.iter();
        let figures = figures.map(|&(index, column)| (own(task, column), published[index]));
        (task.clone(), figures.collect())
    });
    let columns = shared.iter().map(|(_, column)| *column);
    let remarks = columns.filter_map(|column| of_other_parameters(planned, column, column));
    (!shared.is_empty()).then(|| PublishedTasks {
        blackbox: blackbox.name.clone(),
        table: table.number,
        figure: table.figure,
        tasks: tasks.collect(),
        remarks: remarks.collect(),
        columns: shared.iter().map(|(_, column)| (*column).clone()).collect(),
    })
}

/// What is said of a column whose method was given parameters that are not the paper's.
pub(super) fn of_other_parameters(
    planned: Option<&Blackbox>,
    method: &str,
    column: &str,
) -> Option<String> {
    let others = other_parameters(planned, method);
    (!others.is_empty()).then(|| {
        format!(
            "{column} has other parameters than the paper's ({}).",
            others.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use loto_statistics::relative_improvement::{RelativeImprovement, RelativeImprovementAt};

    use super::super::tests::{analysed, planned};
    use super::*;

    #[test]
    fn the_tables_are_the_papers() {
        for table in TABLES.iter() {
            let counts = ["DeepAR", "FCNET", "XGBoost"].map(|name| table.of_blackbox(name).len());
            assert_eq!(counts, [11, 4, 9], "Table {}", table.number);
            assert_eq!(table.rows.len(), 24);
            assert!(
                table
                    .rows
                    .iter()
                    .all(|(.., figures)| figures.len() == table.columns.len())
            );
        }
        let figure = |number: u32, task: &str, column: &str| {
            let table = TABLES.iter().find(|table| table.number == number).unwrap();
            let row = table.rows.iter().find(|row| row.1 == task).unwrap();
            let column = table
                .columns
                .iter()
                .position(|name| name == column)
                .unwrap();
            row.2[column]
        };
        assert_eq!(figure(2, "naval", "ts"), -20602.7);
        assert_eq!(figure(3, "naval", "gcp-prior"), 82.3);
        assert_eq!(figure(5, "heart", "mlp"), 0.702);
        assert_eq!(figure(7, "slice", "box-rs"), 74.0);
        assert_eq!(figure(8, "w6a", "gp"), 4.8);
        assert_eq!(figure(9, "m4-Hourly", "ablr"), -6.2);
    }

    const FCNET: [&str; 4] = ["naval", "parkinsons", "protein", "slice"];

    #[test]
    fn figures_apply_to_the_papers_tasks_and_iterations_alone() {
        let at = |iteration: usize| RelativeImprovementAt {
            iteration,
            value: Some(iteration as f64 / 200.0),
        };
        let mut analysis = analysed("FCNET", &FCNET, 100);
        for task in &mut analysis.blackboxes[0].tasks {
            task.methods[0].method = "gcp-prior".into();
            task.methods[0].relative_improvement = Some(RelativeImprovement {
                mean: Some(0.75),
                at: [10, 50, 100].map(at).to_vec(),
                terms_left_out: 0,
            });
            task.prior_rmse = Some(0.5);
        }
        let compared = compare_by_task(&analysis, &[]);
        let numbers: Vec<u32> = compared.iter().map(|table| table.table).collect();
        assert_eq!(numbers, [2, 3, 5, 7, 8, 9]);
        let of_three = &compared[1];
        assert_eq!(of_three.columns, ["gcp-prior"]);
        assert_eq!(
            of_three.tasks[0],
            ("naval".into(), vec![(Some(75.0), 82.3)])
        );
        assert_eq!(of_three.means(0).1, (82.3 + 38.5 + 8.3 + 58.7) / 4.0);
        assert_eq!(
            compared[4].means(0),
            (Some(25.0), (81.5 + 33.5 + 6.8 + 55.3) / 4.0)
        );
        assert_eq!(compared[2].columns, ["mlp"]);
        assert_eq!(compared[2].means(0).0, Some(0.5));
        assert!(of_three.remarks[0].starts_with("The paper used another table"));

        for (tasks, iterations) in [(&FCNET[1..], 100), (&FCNET[..], 99)] {
            assert_eq!(
                compare_by_task(&analysed("FCNET", tasks, iterations), &[]),
                []
            );
        }
    }

    #[test]
    fn other_parameters_and_tables_are_told() {
        let tasks = [
            "a6a",
            "australian",
            "german.numer",
            "heart",
            "ijcnn1",
            "madelon",
            "spambase",
            "svmguide1",
            "w6a",
        ];
        let mut analysis = analysed("mine", &tasks, 100);
        for task in &mut analysis.blackboxes[0].tasks {
            task.methods[0].method = "gp".into();
        }
        let plan = |parameters: &[(&str, &str)]| {
            let mut plan = planned("mine", "XGBoost", parameters);
            plan.methods[0].id = "gp".into();
            [plan]
        };
        let remarks = |plan: &[Blackbox]| compare_by_task(&analysis, plan)[0].remarks.clone();
        assert!(remarks(&plan(&[])).is_empty());
        let changed = remarks(&plan(&[("kernel", "se")]));
        assert_eq!(
            changed,
            ["gp has other parameters than the paper's (kernel = se)."]
        );
    }
}
