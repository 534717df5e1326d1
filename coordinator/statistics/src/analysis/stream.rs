//! The ranks on a stream of tasks, from its finished orders.

use std::collections::BTreeMap;

use crate::results::{BestCurves, BlackboxCurves};
use crate::stream_ranks::{StreamOrder, StreamRanks, stream_ranks};

/// Ranks the `present` methods over the orders that all of them have finished; `None` if the tasks are no stream.
pub(crate) fn ranks_on_stream(blackbox: &BlackboxCurves, present: &[usize]) -> Option<StreamRanks> {
    let arrivals = blackbox.arrivals.as_ref()?;
    // By task and method: the least value of each seed.
    let by_seed: Vec<Vec<BTreeMap<u32, f64>>> = blackbox
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
            let methods = by_seed[task].iter();
            methods
                .map(|of_method| of_method.get(&seed).copied())
                .collect()
        };
        let least = order.iter().map(on_task).collect::<Option<Vec<_>>>()?;
        let tasks = order.iter().map(|&task| blackbox.tasks[task].name.clone());
        let tasks = tasks.collect();
        Some((StreamOrder { seed, tasks }, least))
    };
    let (finished, least): (Vec<_>, Vec<_>) =
        (0..).zip(arrivals.iter()).filter_map(of_order).unzip();
    let names: Vec<&str> = present
        .iter()
        .map(|&method| blackbox.methods[method].as_str())
        .collect();
    stream_ranks(&names, finished, &least)
}

fn least_by_seed(curves: &BestCurves) -> BTreeMap<u32, f64> {
    let last = curves.curves().map(|steps| steps.last());
    let values = curves.seeds().iter().zip(last);
    values
        .filter_map(|(&seed, last)| Some((seed, last?.1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::analyse;
    use super::super::tests::{complete, sampled};
    use crate::results::SweepResults;

    #[test]
    fn methods_on_a_stream_are_ranked_over_the_orders_that_all_have_finished() {
        let mut results = complete();
        assert_eq!(
            analyse(&results, &sampled()).unwrap().blackboxes[0].stream,
            None
        );
        results.blackboxes[0].arrivals = Some([vec![1, 0], vec![0, 1]].into());
        let ranks = |results: &SweepResults| {
            let analysis = analyse(results, &sampled()).unwrap();
            let stream = analysis.blackboxes[0].stream.clone().unwrap();
            let ranks = stream
                .methods
                .into_iter()
                .map(|one| (one.by_order, one.by_arrival));
            (stream.orders, ranks.collect::<Vec<_>>())
        };
        // Least values by method. Seed 0: task one 4 0 8, two 3 0 8. Seed 1: one 4 2 6, two 1 0 8.
        let expected =
            [vec![2.0; 2], vec![1.0; 2], vec![3.0; 2]].map(|ranks| (ranks.clone(), ranks));
        assert_eq!(ranks(&results), (2, expected.to_vec()));
        // `bad` finds the best on task two, too, which arrives first with seed 0.
        let bad = results.blackboxes[0].tasks[1].traces[2]
            .get_mut(&0)
            .unwrap();
        bad.values = vec![8.0, 0.0];
        let (_, found) = ranks(&results);
        assert_eq!(found[2], (vec![2.25, 3.0], vec![2.25, 2.625]));
        // An order that one method has not finished counts for none.
        results.blackboxes[0].tasks[0].traces[1].remove(&1);
        let (orders, found) = ranks(&results);
        assert_eq!((orders, &found[2].0), (1, &vec![2.25]));
        let analysis = analyse(&results, &sampled()).unwrap();
        let stream = analysis.blackboxes[0].stream.clone().unwrap();
        let [order] = &stream.arrivals[..] else {
            panic!("{stream:?}");
        };
        assert_eq!(
            (order.seed, &order.tasks[..]),
            (0, &["two".to_owned(), "one".to_owned()][..])
        );
    }
}
