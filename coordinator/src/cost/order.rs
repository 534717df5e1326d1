//! The order in which the series of a sweep are run for one seed.

/// Positions of the series, those of the costliest group first.
///
/// `groups` gives the group of each series: one method on one black box. Long jobs
/// come first so that a sweep ends with short ones and no worker waits long for
/// another's last job. A group stays together, in its own order: methods that share a
/// fitted prior then need it of different tasks at a time, and no thread waits while
/// another fits it. Groups of equal cost keep the order of their first series.
pub(crate) fn longest_group_first(groups: &[usize], seconds: &[f64]) -> Vec<usize> {
    let count = groups.iter().max().map_or(0, |last| last + 1);
    // By group: seconds of all its series, their number, the first of them.
    let mut sums = vec![(0.0, 0.0, usize::MAX); count];
    for (position, (&group, seconds)) in groups.iter().zip(seconds).enumerate() {
        let (sum, number, first) = &mut sums[group];
        *sum += seconds;
        *number += 1.0;
        *first = position.min(*first);
    }
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|&one, &other| {
        let [one_sum, other_sum] = [one, other].map(|position| sums[groups[position]]);
        let by_cost = (other_sum.0 / other_sum.1).total_cmp(&(one_sum.0 / one_sum.1));
        by_cost
            .then(one_sum.2.cmp(&other_sum.2))
            .then(one.cmp(&other))
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stay_together_longest_first_and_ties_keep_their_order() {
        // Means of the groups: 2, 5, 2.
        let groups = [0, 0, 1, 1, 2, 0];
        let seconds = [1.0, 3.0, 9.0, 1.0, 2.0, 2.0];
        assert_eq!(longest_group_first(&groups, &seconds), [2, 3, 0, 1, 5, 4]);
        let equal = [1.0; 6];
        assert_eq!(longest_group_first(&groups, &equal), [0, 1, 5, 2, 3, 4]);
        assert_eq!(longest_group_first(&[], &[]), [0; 0]);
    }
}
