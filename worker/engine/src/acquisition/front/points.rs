//! A front of two objectives, both of which are minimised.

/// The points that no other point dominates, by ascending first and descending second objective. A point is dominated if
/// another one is at most as large in both objectives and smaller in one; of equal points one is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Front {
    points: Vec<[f64; 2]>,
}

/// What two independent processes predict for a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prediction {
    /// The mean of each objective.
    pub means: [f64; 2],
    /// The standard deviation of each, above 0.
    pub std_devs: [f64; 2],
}

impl Prediction {
    /// How many standard deviations `value` lies above the mean of an objective.
    pub(super) fn standardised(&self, objective: usize, value: f64) -> f64 {
        (value - self.means[objective]) / self.std_devs[objective]
    }
}

impl Front {
    /// The front of these points.
    pub(crate) fn of(points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let mut points: Vec<_> = points.into_iter().collect();
        points.sort_by(|left, right| {
            let by_first = left[0].total_cmp(&right[0]);
            by_first.then(left[1].total_cmp(&right[1]))
        });
        let mut least = f64::INFINITY;
        points.retain(|point| {
            let is_on_front = point[1] < least;
            least = least.min(point[1]);
            is_on_front
        });
        Self { points }
    }

    /// Its points by ascending first objective.
    pub(crate) fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// The area that the front dominates below the `reference`: of points that are smaller than it in both objectives.
    pub(crate) fn hypervolume(&self, reference: [f64; 2]) -> f64 {
        let mut height = reference[1];
        let mut area = 0.0;
        for point in &self.points {
            if point[0] < reference[0] && point[1] < height {
                area += (reference[0] - point[0]) * (height - point[1]);
                height = point[1];
            }
        }
        area
    }

    /// The vertical strips between the points: where each ends in the first objective and how far it reaches in the
    /// second. The first strip begins at minus infinity, each later one where the one before ends.
    pub(super) fn strips(&self, end: [f64; 2]) -> impl Iterator<Item = [f64; 2]> + '_ {
        let firsts = self.points.iter().map(|point| point[0]).chain([end[0]]);
        let seconds = self.points.iter().map(|point| point[1]);
        firsts
            .zip([end[1]].into_iter().chain(seconds))
            .map(|(first, second)| [first, second])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_what_nothing_dominates() {
        let points = [
            [2.0, 2.0],
            [3.0, 1.0],
            [2.0, 2.5],
            [1.0, 3.0],
            [3.0, 3.0],
            [2.0, 2.0],
        ];
        let front = Front::of(points);
        assert_eq!(front.points(), [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]);
        let strips: Vec<_> = front.strips([4.0, 5.0]).collect();
        assert_eq!(strips, [[1.0, 5.0], [2.0, 3.0], [3.0, 2.0], [4.0, 1.0]]);
    }

    #[test]
    fn the_hypervolume_is_the_dominated_area() {
        let front = Front::of([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]);
        assert_eq!(front.hypervolume([4.0, 4.0]), 3.0 + 2.0 + 1.0);
        assert_eq!(front.hypervolume([2.5, 2.5]), 0.25);
        assert_eq!(front.hypervolume([1.0, 1.0]), 0.0);
        assert_eq!(Front::of([]).hypervolume([1.0, 1.0]), 0.0);
    }
}
