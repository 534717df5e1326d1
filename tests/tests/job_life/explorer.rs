//! Visits every state that can be reached.

use std::collections::HashMap;
use std::rc::Rc;

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
    /// States at rest in which the job is poisoned.
    pub(super) poisoned: usize,
    /// States at rest in which the job is stopped.
    pub(super) stopped: usize,
}

/// By which step and from where each state was first reached.
type Origins = HashMap<Rc<State>, Option<(Rc<State>, &'static str)>>;

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
    let mut origins = Origins::new();
    let start = Rc::new(start);
    let mut frontier = vec![Rc::clone(&start)];
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
                let next = Rc::new(next);
                origins.insert(Rc::clone(&next), Some((Rc::clone(&state), step.name)));
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
fn check_that_everything_ends(origins: &Origins) {
    let mut visits: HashMap<Rc<State>, Visit> = HashMap::with_capacity(origins.len());
    for start in origins.keys() {
        let mut path = vec![(Rc::clone(start), false)];
        while let Some((state, expanded)) = path.pop() {
            if expanded {
                visits.insert(state, Visit::Ended);
                continue;
            }
            if visits.get(&state) == Some(&Visit::Ended) {
                continue;
            }
            visits.insert(Rc::clone(&state), Visit::Begun);
            path.push((Rc::clone(&state), true));
            let steps = state.steps().into_iter();
            for (step, next) in steps.filter(|(step, _)| !step.is_fault) {
                match visits.get(&next) {
                    Some(Visit::Ended) => {}
                    Some(Visit::Begun) => {
                        let history = history(origins, &state);
                        panic!("{} leads back to a state before it\n{history}", step.name);
                    }
                    None => path.push((Rc::new(next), false)),
                }
            }
        }
    }
}

/// The steps from the beginning to a state, for a reader.
fn history(origins: &Origins, state: &State) -> String {
    let mut steps = vec![format!("{state:?}")];
    let mut current = state;
    while let Some(Some((before, step))) = origins.get(current) {
        steps.push((*step).to_owned());
        current = before;
    }
    steps.reverse();
    steps.join("\n")
}
