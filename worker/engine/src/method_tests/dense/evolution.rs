//! `rea`: regularised evolution (Real et al. 2019, algorithm 1).

use std::collections::VecDeque;

use super::comparison::Case;
use crate::method_tests::example::new_fits;
use crate::random::StreamName;
use crate::table::encoding::Column;

const LEVELS: [u16; 4] = [3, 4, 2, 5];

#[test]
fn rea_takes_a_mutation_of_the_best_of_a_sample_of_the_population() {
    let case = Case::of("rea", 60);
    let fits = new_fits();
    let order = case.random_order(&fits);
    let mut random = case
        .setting(&fits)
        .random(StreamName::new("rea", "parents and mutations"));
    let level = |row: usize, place: usize| match &case.target().columns[place] {
        Column::Categorical(levels) => levels[row],
        Column::Numeric(_) => panic!("the grid is categorical"),
    };
    let configuration =
        |row: usize| -> Vec<u16> { (0..4).map(|place| level(row, place)).collect() };
    // Row and value of each member, the oldest first.
    let mut population: VecDeque<(usize, f64)> = VecDeque::new();
    let mut seen = 0;
    case.run(&fits, "rea", &[], |observations, chosen| {
        for place in seen..observations.rows.len() {
            let row = observations.rows[place] as usize;
            population.push_back((row, observations.values[place]));
        }
        seen = observations.rows.len();
        let next_random = order
            .iter()
            .find(|&&row| !observations.evaluated[row as usize]);
        if seen < 10 {
            assert_eq!(chosen, *next_random.unwrap());
            return;
        }
        while population.len() > 10 {
            population.pop_front();
        }
        let child = (0..1000).find_map(|_| {
            let sample = [(); 3].map(|()| population[random.below(10) as usize]);
            let least = sample
                .iter()
                .map(|(_, value)| *value)
                .fold(f64::INFINITY, f64::min);
            let (parent, _) = *sample.iter().find(|(_, value)| *value == least)?;
            let mut child = configuration(parent);
            let place = random.below(4) as usize;
            let others: Vec<u16> = (0..LEVELS[place])
                .filter(|&level| level != child[place])
                .collect();
            child[place] = others[random.below(others.len() as u32) as usize];
            let mut open = (0..case.rows()).filter(|&row| !observations.evaluated[row]);
            open.find(|&row| configuration(row) == child)
        });
        let expected = child.map_or_else(|| *next_random.unwrap(), |row| row as u32);
        assert_eq!(chosen, expected, "evaluation {seen}");
    });
}
