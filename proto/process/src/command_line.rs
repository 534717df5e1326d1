//! Reads the command line of a program, and the variables that stand for its options.
//!
//! An option that is given wins: variables of options that exclude it do not count. An empty variable counts as unset.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, Parser};

/// Reads the command line of this process. It ends the process with a message if that is wrong, or if help was asked for.
pub fn parse<A: Parser>() -> A {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let command = without_empty_variables(A::command());
    // What is wrong is reported by the second reading.
    let first = command.clone().ignore_errors(true);
    let settled = match first.try_get_matches_from(&arguments) {
        Ok(given) => without_excluded_variables(command, &given),
        Err(_) => Ok(command),
    };
    let parsed = settled.and_then(|mut command| {
        let mut given = command.try_get_matches_from_mut(&arguments)?;
        A::from_arg_matches_mut(&mut given).map_err(|error| error.format(&mut command))
    });
    parsed.unwrap_or_else(|error| error.exit())
}

fn without_empty_variables(command: Command) -> Command {
    let of_options = command.mut_args(|option| {
        let value = option.get_env().and_then(std::env::var_os);
        if value.is_some_and(|value| value.is_empty()) {
            without_variable(option)
        } else {
            option
        }
    });
    of_options.mut_subcommands(without_empty_variables)
}

/// Leaves out the variables of options that what is `given` on the command line excludes.
///
/// # Errors
/// If two variables are set that exclude each other.
fn without_excluded_variables(
    mut command: Command,
    given: &ArgMatches,
) -> Result<Command, clap::Error> {
    if let Some((name, of_subcommand)) = given.subcommand()
        && let Some(subcommand) = command.find_subcommand(name)
    {
        let settled = without_excluded_variables(subcommand.clone(), of_subcommand)?;
        return Ok(command.mut_subcommand(name, |_| settled));
    }
    let pairs = command.get_arguments().flat_map(|option| {
        let excluded = command.get_arg_conflicts_with(option).into_iter();
        excluded.map(move |other| [option.clone(), other.clone()])
    });
    let pairs: Vec<[Arg; 2]> = pairs.collect();
    let source = |option: &Arg| given.value_source(option.get_id().as_str());
    let unused = |[one, other]: &[Arg; 2]| match [one, other].map(source) {
        [
            Some(ValueSource::CommandLine),
            Some(ValueSource::EnvVariable),
        ] => Some(other.clone()),
        [
            Some(ValueSource::EnvVariable),
            Some(ValueSource::CommandLine),
        ] => Some(one.clone()),
        _ => None,
    };
    let unused: Vec<Arg> = pairs.iter().filter_map(unused).collect();
    let is_in_effect =
        |option: &Arg| source(option) == Some(ValueSource::EnvVariable) && !unused.contains(option);
    if let Some(both) = pairs.iter().find(|pair| pair.iter().all(is_in_effect)) {
        let variables = both.each_ref().map(|option| {
            let name = option.get_env().unwrap_or_default();
            name.to_string_lossy()
        });
        let [one, other] = variables;
        let message = format!("{one} and {other} are both set and exclude each other: unset one");
        return Err(command.error(ErrorKind::ArgumentConflict, message));
    }
    let leave_out = |command: Command, option: &Arg| {
        command.mut_arg(option.get_id().as_str(), without_variable)
    };
    Ok(unused.iter().fold(command, leave_out))
}

fn without_variable(option: Arg) -> Arg {
    option.env(Resettable::Reset)
}
