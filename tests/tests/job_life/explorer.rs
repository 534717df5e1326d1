//! Visits every state that can be reached.

use std::collections::HashMap;

use super::model::State;

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Explored {
    /// Distinct states.
    pub(super) states: usize,
    /// Steps between them.
    pub(super) steps: usize,
    /// States at rest in which the trace is stored.
    pub(super) done: usize,
    /// States at rest in which the job is given up.
    pub(super) given_up: usize,
    /// States at rest in which the job is stopped.
    pub(super) stopped: usize,
}

/// Whether the states that follow a state without further faults were all visited.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Begun,
    Ended,
}

/// Visits every state that can be reached from `start`, and checks what must hold.
///
/// # Panics
/// If a state breaks a rule, with the steps that lead to it.
pub(super) fn explore(start: State) -> Explored {
    let mut explored = Explored::default();
    // By which step and from where each state was first reached.
    let mut origins: HashMap<State, Option<(State, &'static str)>> = HashMap::new();
    let mut frontier = vec![start.clone()];
    origins.insert(start, None);
    while let Some(state) = frontier.pop() {
        explored.states += 1;
        if let Err(problem) = state.check() {
            panic!("{problem}\n{}", history(&origins, &state));
        }
        let mut may_go_on = false;
        for (step, next) in state.steps() {
            explored.steps += 1;
            may_go_on |= !step.is_fault;
            if !origins.contains_key(&next) {
                origins.insert(next.clone(), Some((state.clone(), step.name)));
                frontier.push(next);
            }
        }
        if !may_go_on {
            match state.rest() {
                Ok(rest) => *rest.counter(&mut explored) += 1,
                Err(problem) => panic!("{problem}\n{}", history(&origins, &state)),
            }
        }
    }
    check_that_everything_ends(&origins);
    explored
}

/// Checks that steps without faults lead round in no circle: then each way of taking
/// them ends, in a state at rest.
fn check_that_everything_ends(origins: &HashMap<State, Option<(State, &'static str)>>) {
    let mut visits: HashMap<State, Visit> = HashMap::new();
    for start in origins.keys() {
        let mut path = vec![(start.clone(), false)];
        while let Some((state, expanded)) = path.pop() {
            if expanded {
                visits.insert(state, Visit::Ended);
                continue;
            }
            if visits.get(&state) == Some(&Visit::Ended) {
                continue;
            }
            visits.insert(state.clone(), Visit::Begun);
            path.push((state.clone(), true));
            for (step, next) in state.steps() {
                if step.is_fault {
                    continue;
                }
                match visits.get(&next) {
                    Some(Visit::Ended) => {}
                    Some(Visit::Begun) => {
                        panic!(
                            "{} leads back to a state before it\n{}",
                            step.name,
                            history(origins, &state)
                        );
                    }
                    None => path.push((next, false)),
                }
            }
        }
    }
}

/// The steps from the beginning to a state, for a reader.
fn history(origins: &HashMap<State, Option<(State, &'static str)>>, state: &State) -> String {
    let mut steps = vec![format!("{state:?}")];
    let mut current = state;
    while let Some(Some((before, step))) = origins.get(current) {
        steps.push((*step).to_owned());
        current = before;
    }
    steps.reverse();
    steps.join("\n")
}
