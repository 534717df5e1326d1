//! Where the parts of the results of a sweep are.

use std::fmt;

use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_report::live::{Part, Subject};

/// The address of a part of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ResultsAddress {
    pub(super) sweep: SweepId,
    pub(super) subject: Subject,
    pub(super) part: Part,
}

impl ResultsAddress {
    /// Those of all parts of a sweep, by subject.
    pub(super) fn of_sweep(sweep: SweepId, plan: &Sweep) -> Vec<Vec<Self>> {
        let subjects = Subject::of_sweep(plan.blackboxes.len()).into_iter();
        let of_subject = |subject: Subject| {
            let parts = subject.parts().iter();
            parts
                .map(|&part| Self {
                    sweep,
                    subject,
                    part,
                })
                .collect()
        };
        subjects.map(of_subject).collect()
    }

    /// The part whose address ends in these two words, if the sweep has it.
    pub(super) fn find(sweep: SweepId, plan: &Sweep, subject: &str, part: &str) -> Option<Self> {
        let all = Self::of_sweep(sweep, plan).into_iter().flatten();
        let wanted = (subject.to_owned(), part);
        all.into_iter()
            .find(|address| (subject_word(address.subject), part_word(address.part)) == wanted)
    }
}

impl fmt::Display for ResultsAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (subject, part) = (subject_word(self.subject), part_word(self.part));
        write!(formatter, "/sweeps/{}/results/{subject}/{part}", self.sweep)
    }
}

fn subject_word(subject: Subject) -> String {
    match subject {
        Subject::All => "all".into(),
        Subject::Blackbox(position) => position.to_string(),
    }
}

fn part_word(part: Part) -> &'static str {
    match part {
        Part::Scores => "scores",
        Part::Evaluations => "evaluations",
        Part::Tasks => "tasks",
        Part::Pairs => "pairs",
    }
}
