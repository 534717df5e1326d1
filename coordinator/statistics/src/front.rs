//! The front of a set of points with two objectives, and its hypervolume.
//!
//! A point dominates another if it is at most as large in both objectives and smaller in one. The front of a set is what nothing in
//! it dominates; equal points count once. Its hypervolume is the area that it dominates, up to a reference point (Zitzler and Thiele 1998,
//! "Multiobjective optimization using evolutionary algorithms").

/// A front, to which points are added one by one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Front {
    /// Ascending by the first objective, hence descending by the second.
    points: Vec<[f64; 2]>,
}

impl Front {
    /// The front of these points, of which no coordinate may be NaN.
    pub fn of(points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let mut front = Self::default();
        for point in points {
            front.insert(point);
        }
        front
    }

    /// The points of the front, ascending by the first objective.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Adds a point, and takes out those that it dominates. Returns whether it is on the front, which a point that
    /// equals another is not.
    pub fn insert(&mut self, point: [f64; 2]) -> bool {
        let [first, second] = point;
        let not_right = self.points.partition_point(|other| other[0] <= first);
        let last = not_right.checked_sub(1).map(|last| self.points[last]);
        if last.is_some_and(|last| last[1] <= second) {
            return false;
        }
        let begin = self.points.partition_point(|other| other[0] < first);
        let dominated = self.points[begin..].partition_point(|other| other[1] >= second);
        self.points.splice(begin..begin + dominated, [point]);
        true
    }

    /// The area that the front dominates up to a reference point, beyond which nothing counts.
    pub fn hypervolume(&self, reference: [f64; 2]) -> f64 {
        let mut upper = reference[1];
        let mut volume = 0.0;
        for &[first, second] in &self.points {
            if first < reference[0] && second < upper {
                volume += (reference[0] - first) * (upper - second);
                upper = second;
            }
        }
        volume
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_what_nothing_dominates() {
        let front = Front::of([
            [2.0, 2.0],
            [3.0, 1.0],
            [1.0, 3.0],
            [2.0, 2.0],
            [2.0, 3.0],
            [3.0, 3.0],
        ]);
        assert_eq!(front.points(), [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]);
        // Of the square up to (4, 4): columns of height 1, 2 and 3.
        assert_eq!(front.hypervolume([4.0, 4.0]), 6.0);
        assert_eq!(front.hypervolume([3.0, 2.5]), 0.5);
        assert_eq!(front.hypervolume([1.0, 1.0]), 0.0);
    }

    #[test]
    fn a_point_takes_the_place_of_all_that_it_dominates() {
        let mut front = Front::of([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]);
        assert!(front.insert([1.5, 1.0]));
        assert_eq!(front.points(), [[1.0, 3.0], [1.5, 1.0]]);
        assert!(!front.insert([1.5, 1.0]) && !front.insert([1.0, 4.0]));
        assert!(front.insert([0.0, 0.0]));
        assert_eq!(front.points(), [[0.0, 0.0]]);
    }

    #[test]
    fn the_order_of_the_points_does_not_matter_and_the_area_is_that_of_a_grid() {
        let points: Vec<[f64; 2]> = (0..40_u32)
            .map(|n| [f64::from(n * 17 % 41), f64::from(n * n % 37)])
            .collect();
        let front = Front::of(points.iter().copied());
        assert_eq!(Front::of(points.iter().rev().copied()), front);
        // The coordinates are whole numbers: the area is the number of cells with a dominating point.
        let cells = (0..50).flat_map(|first| (0..50).map(move |second| [first, second]));
        let dominated = cells.filter(|cell| {
            let mut points = points.iter();
            points.any(|point| point[0] <= f64::from(cell[0]) && point[1] <= f64::from(cell[1]))
        });
        assert_eq!(front.hypervolume([50.0, 50.0]), dominated.count() as f64);
    }
}
