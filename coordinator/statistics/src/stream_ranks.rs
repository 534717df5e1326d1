//! Average ranks on streams of tasks (Yogatama and Mann 2014, section 4.3, Tables 2 and 3, figure 2).
//!
//! On every task the methods are ranked by the least value that they found, ties sharing their mean rank. The ranks are
//! averaged over the tasks of an order; the average and the standard deviation over the orders are what the tables have.

use serde::Serialize;

use crate::ranks::rank;

/// The ranks of methods on a stream of tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamRanks {
    /// Number of orders in which every method has finished: those that are averaged over.
    pub orders: usize,
    /// Those orders.
    pub arrivals: Vec<StreamOrder>,
    /// One entry per method that has finished traces.
    pub methods: Vec<StreamRank>,
}

/// An order in which the tasks of a stream arrive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StreamOrder {
    /// The seed that it belongs to.
    pub seed: u32,
    /// The tasks, from the first that arrives to the last.
    pub tasks: Vec<String>,
}

/// The ranks of one method on a stream of tasks; 1 is best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamRank {
    /// Name of the method.
    pub method: String,
    /// Mean over the orders.
    pub average_rank: f64,
    /// Sample standard deviation over the orders; absent with fewer than two.
    pub standard_deviation: Option<f64>,
    /// Average over the tasks of each of the orders.
    pub by_order: Vec<f64>,
    /// Average over the first task that arrived, over the first two, and so on; the mean over the orders.
    pub by_arrival: Vec<f64>,
}

/// Ranks methods by `least`: by each of the orders of `arrivals`, task in the order of arrival and method, the least value found; of all
/// orders as many tasks. `None` without an order or a method.
pub fn stream_ranks(
    methods: &[&str],
    arrivals: Vec<StreamOrder>,
    least: &[Vec<Vec<f64>>],
) -> Option<StreamRanks> {
    if methods.is_empty() || least.is_empty() {
        return None;
    }
    let orders = least.len() as f64;
    let ranks = least
        .iter()
        .map(|tasks| tasks.iter().map(|values| rank(values).0).collect());
    let ranks: Vec<Vec<Vec<f64>>> = ranks.collect();
    let of_method = |(method, name): (usize, &&str)| {
        let mut by_arrival = vec![0.0; ranks[0].len()];
        let by_order = ranks.iter().map(|tasks| {
            let mut sum = 0.0;
            for (task, (ranks, average)) in tasks.iter().zip(&mut by_arrival).enumerate() {
                sum += ranks[method];
                *average += sum / (task + 1) as f64 / orders;
            }
            sum / tasks.len() as f64
        });
        let by_order: Vec<f64> = by_order.collect();
        let average_rank = by_order.iter().sum::<f64>() / orders;
        let squares = by_order.iter().map(|rank| (rank - average_rank).powi(2));
        StreamRank {
            method: (*name).to_owned(),
            average_rank,
            standard_deviation: (by_order.len() > 1)
                .then(|| (squares.sum::<f64>() / (orders - 1.0)).sqrt()),
            by_order,
            by_arrival,
        }
    };
    Some(StreamRanks {
        orders: least.len(),
        arrivals,
        methods: methods.iter().enumerate().map(of_method).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_averaged_over_tasks_and_then_over_orders() {
        // Ranks in the first order: 1 2 3, then 2.5 2.5 1; in the second: 1.5 1.5 3, then 1 3 2.
        let least = [
            vec![vec![0.1, 0.2, 0.3], vec![7.0, 7.0, 5.0]],
            vec![vec![0.0, 0.0, 1.0], vec![-3.0, -1.0, -2.0]],
        ];
        let found = stream_ranks(&["a", "b", "c"], Vec::new(), &least).unwrap();
        assert_eq!(found.orders, 2);
        let by_order: Vec<_> = found
            .methods
            .iter()
            .map(|one| one.by_order.clone())
            .collect();
        assert_eq!(by_order, [[1.75, 1.25], [2.25, 2.25], [2.0, 2.5]]);
        let averages: Vec<_> = found.methods.iter().map(|one| one.average_rank).collect();
        assert_eq!(averages, [1.5, 2.25, 2.25]);
        // Of two numbers: their distance over the root of 2.
        let deviation = found.methods[0].standard_deviation.unwrap();
        assert!((deviation - 0.5 / 2f64.sqrt()).abs() < 1e-15, "{deviation}");
        assert_eq!(found.methods[1].standard_deviation, Some(0.0));
        assert_eq!(found.methods[2].by_arrival, [3.0, 2.25]);
    }

    #[test]
    fn one_order_has_no_deviation_and_none_no_ranks() {
        let found = stream_ranks(&["a"], Vec::new(), &[vec![vec![1.0]]]).unwrap();
        assert_eq!(found.methods[0].standard_deviation, None);
        assert_eq!(stream_ranks(&["a"], Vec::new(), &[]), None);
        assert_eq!(stream_ranks(&[], Vec::new(), &[vec![vec![]]]), None);
    }
}
