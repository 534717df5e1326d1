//! Visits every state that can be reached.

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

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

/// Visits every state that can be reached from `start`, the nearest first, and checks what must hold.
///
/// # Panics
/// If a state breaks a rule, with the steps that lead to it.
pub(super) fn explore(start: State) -> Explored {
    let mut explored = Explored::default();
    let mut graph = Graph::default();
    graph.number(start, None);
    while let Some(state) = graph.states.get(explored.states).cloned() {
        let number = explored.states;
        explored.states += 1;
        if let Err(problem) = state.check() {
            panic!("{problem}\n{}", graph.history(number));
        }
        let mut onward = Vec::new();
        for (step, next) in state.steps() {
            explored.steps += 1;
            let next = graph.number(next, Some((number, step.name)));
            if !step.is_fault {
                onward.push((step.name, next));
            }
        }
        if onward.is_empty() {
            match state.rest() {
                Ok(rest) => *rest.counter(&mut explored) += 1,
                Err(problem) => panic!("{problem}\n{}", graph.history(number)),
            }
        }
        graph.onward.push(onward);
    }
    graph.check_that_everything_ends();
    explored
}

/// The states by their numbers, and the steps between them.
#[derive(Default)]
struct Graph {
    numbers: HashMap<Rc<State>, usize, RandomState>,
    states: Vec<Rc<State>>,
    /// From which state and by which step each was first reached.
    origins: Vec<Option<(usize, &'static str)>>,
    /// The steps from each state that are no faults, and where they lead.
    onward: Vec<Vec<(&'static str, usize)>>,
}

/// Whether the states that follow a state without further faults were all visited.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Missing,
    Begun,
    Ended,
}

impl Graph {
    /// The number of a state, which it gets now if it is new.
    fn number(&mut self, state: State, origin: Option<(usize, &'static str)>) -> usize {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = self.states.len();
        let state = Rc::new(state);
        self.numbers.insert(Rc::clone(&state), number);
        self.states.push(state);
        self.origins.push(origin);
        number
    }

    /// Checks that steps without faults lead round in no circle: then each way of taking
    /// them ends, in a state at rest.
    fn check_that_everything_ends(&self) {
        let mut visits = vec![Visit::Missing; self.states.len()];
        for start in 0..self.states.len() {
            let mut path = vec![(start, false)];
            while let Some((number, expanded)) = path.pop() {
                if expanded {
                    visits[number] = Visit::Ended;
                    continue;
                }
                if visits[number] == Visit::Ended {
                    continue;
                }
                visits[number] = Visit::Begun;
                path.push((number, true));
                for &(step, next) in &self.onward[number] {
                    match visits[next] {
                        Visit::Ended => {}
                        Visit::Begun => panic!(
                            "{step} leads back to a state before it\n{}",
                            self.history(number)
                        ),
                        Visit::Missing => path.push((next, false)),
                    }
                }
            }
        }
    }

    /// The steps from the beginning to a state, for a reader.
    fn history(&self, number: usize) -> String {
        let mut steps = vec![format!("{:?}", self.states[number])];
        let mut current = number;
        while let Some((before, step)) = self.origins[current] {
            steps.push(step.to_owned());
            current = before;
        }
        steps.reverse();
        steps.join("\n")
    }
}
