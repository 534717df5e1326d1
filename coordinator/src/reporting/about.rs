//! What a report says of its making: the tables and methods of a sweep, the time and the command.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::time::SystemTime;

use loto_engine::methods;
use loto_engine::methods::stand_in::OnStream;
use loto_proto::job::MethodSpec;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_report::{About, AboutBlackbox, AboutMethod, AboutProposals, Made};
use loto_statistics::results::{BEST, BlackboxResults, SweepResults};
use loto_transport::connection::address::without_password;

use crate::date::iso_8601;
use crate::plan::Plan;
use crate::results::{ProgramCount, ProgramCounts, TableContent};

/// What there is to say of a sweep whose black boxes have these tables, in order, and whose external methods had these
/// programs; the command gives the report again.
pub(super) fn of_sweep<'a>(
    sweep: &Sweep,
    tables: impl Iterator<Item = &'a TableContent>,
    programs: &ProgramCounts,
    command: String,
) -> About {
    let blackboxes = sweep.blackboxes.iter().zip(tables);
    let described = blackboxes.map(|(blackbox, content)| {
        let size = (content.tasks, content.rows);
        let columns = content.columns.iter().cloned();
        let name = blackbox.table_file.clone();
        let name = name.or_else(|| content.blackbox.clone());
        AboutBlackbox::new(blackbox, &content.spec, columns, size, name)
    });
    About {
        sweep: Some(sweep.id().to_string()),
        ..about(&sweep.blackboxes, programs, described.collect(), command)
    }
}

/// What there is to say of traces that were recorded elsewhere, on the black boxes of a plan. Their methods are
/// not those of the plan.
pub(super) fn of_recorded(plan: &Plan) -> About {
    let described = plan.sweep.blackboxes.iter().filter_map(|blackbox| {
        let planned = plan.table(blackbox.table)?;
        let table = &planned.table;
        let rows = table.tasks.iter().map(|task| task.rows()).sum();
        let columns = table.space.hyperparameters.iter();
        let columns = columns.map(|hyperparameter| hyperparameter.name.clone());
        let size = (table.tasks.len(), rows);
        let name = blackbox.table_file.clone();
        Some(AboutBlackbox::new(
            blackbox,
            &planned.spec,
            columns,
            size,
            name,
        ))
    });
    about(
        &[],
        &ProgramCounts::new(),
        described.collect(),
        command_line(),
    )
}

/// Adds the methods of recorded traces, which `results` has besides those that are `known`, to what is told of
/// methods. Nothing but their names is known.
pub(super) fn add_recorded(
    methods: &mut Vec<AboutMethod>,
    results: &SweepResults,
    known: &BTreeSet<String>,
    file: &str,
) {
    let first = methods.len();
    for blackbox in &results.blackboxes {
        for name in blackbox
            .methods
            .iter()
            .filter(|name| !known.contains(*name))
        {
            let told = methods[first..].iter().position(|told| told.name == *name);
            let position = told.map_or(methods.len(), |position| first + position);
            if position == methods.len() {
                methods.push(AboutMethod {
                    name: name.clone(),
                    recorded_in: Some(file.to_owned()),
                    ..AboutMethod::default()
                });
            }
            methods[position].blackboxes.push(blackbox.name.clone());
        }
    }
}

fn about(
    blackboxes: &[Blackbox],
    programs: &ProgramCounts,
    described: Vec<AboutBlackbox>,
    command: String,
) -> About {
    About {
        loto: env!("CARGO_PKG_VERSION").to_owned(),
        sweep: None,
        blackboxes: described,
        methods: methods_of(blackboxes, programs),
        made: Made {
            at: iso_8601(SystemTime::now()),
            command,
        },
    }
}

/// Every method with its parameters, once however many black boxes run it so.
fn methods_of(blackboxes: &[Blackbox], programs: &ProgramCounts) -> Vec<AboutMethod> {
    let mut known: Vec<(&MethodSpec, Vec<String>)> = Vec::new();
    for blackbox in blackboxes {
        for spec in &blackbox.methods {
            let name = blackbox.name.clone();
            match known.iter_mut().find(|(other, _)| *other == spec) {
                Some((_, blackboxes)) => blackboxes.push(name),
                None => known.push((spec, vec![name])),
            }
        }
    }
    let described = known.into_iter().map(|(spec, blackboxes)| AboutMethod {
        blackboxes,
        proposals: programs.get(spec).map(proposals),
        ..describe(spec)
    });
    described.collect()
}

/// What is told of the method that begins with the best row of each task.
pub(super) fn of_best(results: &SweepResults) -> AboutMethod {
    let has_best = |blackbox: &&BlackboxResults| blackbox.methods.iter().any(|name| name == BEST);
    let blackboxes = results.blackboxes.iter().filter(has_best);
    AboutMethod {
        name: BEST.to_owned(),
        source: Some("the best row of each table, for comparison; no method".to_owned()),
        blackboxes: blackboxes.map(|blackbox| blackbox.name.clone()).collect(),
        ..AboutMethod::default()
    }
}

/// A method as it was run. Of another version than this release has, only what was set is known.
fn describe(spec: &MethodSpec) -> AboutMethod {
    // A job on a stream names its stand-in, which is no parameter of the method.
    let known = OnStream::of(spec).ok();
    let registered = known.and_then(|known| methods::find(&known.method.id).ok());
    let defaults = registered.into_iter().flat_map(|method| method.parameters);
    let defaults = defaults.filter(|parameter| !spec.parameters.contains_key(parameter.name));
    let defaults = defaults.map(|one| (one.name.to_owned(), one.default.to_owned()));
    AboutMethod {
        name: spec.label().to_owned(),
        id: Some(spec.id.clone()),
        version: Some(spec.version),
        recorded_in: None,
        program: spec.program.map(|program| program.to_string()),
        parameters: spec.parameters.clone(),
        defaults: defaults.collect::<BTreeMap<_, _>>(),
        source: registered.map(|method| method.source.to_owned()),
        blackboxes: Vec::new(),
        proposals: None,
    }
}

fn proposals(count: &ProgramCount) -> AboutProposals {
    AboutProposals {
        evaluations: count.evaluations,
        moved: count.moved,
        versions: count.versions.iter().cloned().collect(),
    }
}

/// The command line of this process, without passwords.
pub(crate) fn command_line() -> String {
    command(std::env::args_os())
}

/// The command line as a shell reads it, without the folder of the program and without passwords.
fn command(arguments: impl Iterator<Item = OsString>) -> String {
    let words = arguments.skip(1).map(|word| {
        let word = word.to_string_lossy();
        quoted(&harmless(&word))
    });
    let program = std::iter::once("loto".to_owned());
    program.chain(words).collect::<Vec<_>>().join(" ")
}

/// A word without the password of the URL in it.
fn harmless(word: &str) -> String {
    let Some(scheme_end) = word.find("://") else {
        return word.to_owned();
    };
    let begin = word[..scheme_end].rfind('=').map_or(0, |equals| equals + 1);
    word[..begin].to_owned() + &without_password(&word[begin..])
}

fn quoted(word: &str) -> String {
    let is_plain = |character: char| {
        character.is_alphanumeric()
            || matches!(
                character,
                '-' | '_' | '.' | '/' | ':' | '=' | ',' | '@' | '+'
            )
    };
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_given_again_and_holds_no_password() {
        let words = [
            "/usr/bin/loto",
            "report",
            "my sweep",
            "--store",
            "redis://user:se:cr@et@host:6379/0",
            "--queue=amqp://guest:secret@host",
            "--out=a'b",
            "",
        ];
        let told = command(words.into_iter().map(OsString::from));
        assert!(
            !told.contains("secret") && !told.contains("se:cr"),
            "{told}"
        );
        assert!(
            told.starts_with("loto report 'my sweep' --store redis://user@host:6379/0 "),
            "{told}"
        );
        assert!(told.contains(" --queue=amqp://guest@host "), "{told}");
        assert!(told.ends_with(r" '--out=a'\''b' ''"), "{told}");
    }

    #[test]
    fn methods_are_told_with_versions_parameters_and_defaults() {
        let method = methods::find("gcp-prior").unwrap();
        let spec = |name: Option<&str>, parameters: &[(&str, &str)]| MethodSpec {
            name: name.map(str::to_owned),
            id: "gcp-prior".into(),
            version: method.version,
            program: None,
            parameters: parameters
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        };
        let blackbox = |name: &str, methods| Blackbox {
            name: name.into(),
            table: "00000000000000000000000000000000".parse().unwrap(),
            table_file: None,
            targets: Vec::new(),
            iterations: 1,
            protocol: Default::default(),
            cost: None,
            methods,
        };
        let variant = spec(Some("ml"), &[("hyperprior", "none")]);
        let blackboxes = [
            blackbox("one", vec![spec(None, &[]), variant.clone()]),
            blackbox("two", vec![variant]),
        ];
        let told = methods_of(&blackboxes, &ProgramCounts::new());
        assert_eq!(told.len(), 2);
        let [plain, variant] = &told[..] else {
            panic!()
        };
        assert_eq!(
            (plain.name.as_str(), plain.version),
            ("gcp-prior", Some(method.version))
        );
        assert_eq!(plain.defaults["hyperprior"], "gamma");
        assert_eq!(plain.blackboxes, ["one"]);
        assert_eq!(
            (variant.name.as_str(), variant.id.as_deref()),
            ("ml", Some("gcp-prior"))
        );
        assert_eq!(variant.parameters["hyperprior"], "none");
        assert!(!variant.defaults.contains_key("hyperprior"));
        assert_eq!(variant.blackboxes, ["one", "two"]);
        // Of a version that this release does not have, the defaults are not known.
        let old = MethodSpec {
            version: method.version + 1,
            ..spec(None, &[])
        };
        assert!(describe(&old).defaults.is_empty());
    }
}
