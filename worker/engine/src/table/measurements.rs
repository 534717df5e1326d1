//! Repeated measurements of a task's configurations, one of which a method is shown.

use crate::random::RandomStream;

/// The measurements of each row of a task.
#[derive(Debug, Clone)]
pub struct Measurements {
    /// Those of the first row, then those of the second, and so on; of a row in the order of the file.
    values: Vec<f64>,
    /// Where the measurements of each row end.
    ends: Vec<usize>,
}

impl Measurements {
    /// Collects measurements, given with their rows as they are read. Each of the `rows` rows has one at least.
    pub(super) fn new(rows: usize, mut measured: Vec<(usize, f64)>) -> Self {
        measured.sort_by_key(|&(row, _)| row);
        Self {
            ends: (0..rows)
                .map(|row| measured.partition_point(|&(other, _)| other <= row))
                .collect(),
            values: measured.into_iter().map(|(_, value)| value).collect(),
        }
    }

    /// Draws one measurement of each row, each with the same probability.
    pub(crate) fn draw(&self, random: &mut RandomStream) -> Vec<f64> {
        let mut start = 0;
        let ends = self.ends.iter();
        let drawn = ends.map(|&end| {
            let count = end - start;
            let value = self.values[start + random.below(count as u32) as usize];
            start = end;
            value
        });
        drawn.collect()
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::random::StreamName;

    #[test]
    fn each_measurement_of_a_row_is_drawn_equally_often() {
        let measured = vec![(1, 10.0), (0, 1.0), (1, 11.0), (2, 20.0), (1, 12.0)];
        let measurements = Measurements::new(3, measured);
        let name = StreamName::new("test", "measurements");
        let mut random = RandomStream::new(name, Fingerprint([1; 16]), "task", 0);
        let mut counts = [0; 3];
        for _ in 0..3000 {
            let drawn = measurements.draw(&mut random);
            assert_eq!((drawn[0], drawn[2]), (1.0, 20.0));
            counts[(drawn[1] - 10.0) as usize] += 1;
        }
        // Four standard deviations of a binomial count, sqrt(3000 * 1/3 * 2/3), are 103.
        assert!(
            counts.iter().all(|count| (897..=1103).contains(count)),
            "{counts:?}"
        );
    }
}
