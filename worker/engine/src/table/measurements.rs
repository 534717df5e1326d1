//! Repeated measurements of a task's configurations, one of which a method is shown.

use crate::random::RandomStream;

/// The measurements of each row of a task.
#[derive(Debug, Clone)]
pub struct Measurements {
    /// Of each objective those of the first row, then those of the second, and so on; of a row in the order of the file.
    values: Vec<Vec<f64>>,
    /// Where the measurements of each row end.
    ends: Vec<usize>,
}

impl Measurements {
    /// Collects measurements, a value per objective each, given with their rows as they are read. Each of the `rows` rows
    /// has one at least.
    pub(super) fn new(rows: usize, mut measured: Vec<(usize, Vec<f64>)>) -> Self {
        measured.sort_by_key(|&(row, _)| row);
        let objectives = measured.first().map_or(0, |(_, values)| values.len());
        let column = |place: usize| measured.iter().map(|(_, values)| values[place]).collect();
        Self {
            ends: (0..rows)
                .map(|row| measured.partition_point(|&(other, _)| other <= row))
                .collect(),
            values: (0..objectives).map(column).collect(),
        }
    }

    /// Draws one measurement of each row, each with the same probability: of each objective a column with one value per row.
    /// What is drawn of a row was measured together.
    pub(crate) fn draw(&self, random: &mut RandomStream) -> Vec<Vec<f64>> {
        let mut start = 0;
        let ends = self.ends.iter();
        let drawn = ends.map(|&end| {
            let count = end - start;
            let place = start + random.below(count as u32) as usize;
            start = end;
            place
        });
        let drawn: Vec<usize> = drawn.collect();
        let columns = self.values.iter();
        let shown = |column: &Vec<f64>| drawn.iter().map(|&place| column[place]).collect();
        columns.map(shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::random::StreamName;

    #[test]
    fn each_measurement_of_a_row_is_drawn_equally_often() {
        let measured = [(1, 10.0), (0, 1.0), (1, 11.0), (2, 20.0), (1, 12.0)];
        let measured = measured
            .map(|(row, value)| (row, vec![value, -value]))
            .to_vec();
        let measurements = Measurements::new(3, measured);
        let name = StreamName::new("test", "measurements");
        let mut random = RandomStream::new(name, Fingerprint([1; 16]), "task", 0);
        let mut counts = [0; 3];
        for _ in 0..3000 {
            let [drawn, further] = measurements.draw(&mut random).try_into().unwrap();
            assert!(
                drawn
                    .iter()
                    .zip(&further)
                    .all(|(value, other)| *other == -value)
            );
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
