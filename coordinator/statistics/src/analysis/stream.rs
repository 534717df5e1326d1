//! The ranks on a stream of tasks, from its finished orders.

use std::collections::BTreeMap;

use crate::results::{BestCurves, BlackboxCurves};
use crate::stream_ranks::{StreamRanks, stream_ranks};

/// Ranks the `present` methods over the orders that all of them have finished; `None` if the tasks are no stream.
pub(crate) fn ranks_on_stream(blackbox: &BlackboxCurves, present: &[usize]) -> Option<StreamRanks> {
    let arrivals = blackbox.arrivals.as_ref()?;
    // By task and method: the least value of each seed.
    let least: Vec<Vec<BTreeMap<u32, f64>>> = blackbox
        .tasks
        .iter()
        .map(|task| {
            present
                .iter()
                .map(|&method| least_by_seed(&task.traces[method]))
                .collect()
        })
        .collect();
    let of_order = |(seed, order): (u32, &Vec<usize>)| {
        let on_task = |&task: &usize| -> Option<Vec<f64>> {
            let methods = least[task].iter();
            methods.map(|by_seed| by_seed.get(&seed).copied()).collect()
        };
        order.iter().map(on_task).collect::<Option<Vec<_>>>()
    };
    let orders: Vec<_> = (0..).zip(arrivals.iter()).filter_map(of_order).collect();
    let names: Vec<&str> = present
        .iter()
        .map(|&method| blackbox.methods[method].as_str())
        .collect();
    stream_ranks(&names, &orders)
}

fn least_by_seed(curves: &BestCurves) -> BTreeMap<u32, f64> {
    let last = curves.curves().map(|steps| steps.last());
    let values = curves.seeds().iter().zip(last);
    values
        .filter_map(|(&seed, last)| Some((seed, last?.1)))
        .collect()
}
