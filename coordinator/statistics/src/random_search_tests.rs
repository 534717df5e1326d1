use super::*;
use crate::reference_cases::{PUBLIC_TABLES, data_folder, objectives};

/// Mean best of every ordered choice of `draws` rows, by enumeration.
fn enumerated(values: &[f64], draws: usize, replacement: bool) -> f64 {
    fn visit(
        values: &[f64],
        left: usize,
        replacement: bool,
        taken: &mut Vec<usize>,
        sum: &mut (f64, f64),
    ) {
        if left == 0 {
            let best = taken.iter().map(|&row| values[row]);
            sum.0 += best.fold(f64::INFINITY, f64::min);
            sum.1 += 1.0;
            return;
        }
        for row in 0..values.len() {
            if replacement || !taken.contains(&row) {
                taken.push(row);
                visit(values, left - 1, replacement, taken, sum);
                taken.pop();
            }
        }
    }
    let mut sum = (0.0, 0.0);
    visit(values, draws, replacement, &mut Vec::new(), &mut sum);
    sum.0 / sum.1
}

#[test]
fn small_tables_agree_with_enumeration() {
    for values in [
        vec![0.5],
        vec![-2.0, 3.0],
        vec![1.0, 1.0, 4.0, 4.0, 7.5],
        vec![0.1, 0.2, 0.4, 0.8, 1.6, 3.2],
    ] {
        let without = expected_gaps_without_replacement(&values, values.len());
        let with = expected_gaps_with_replacement(&values, 5);
        for (index, gap) in without.iter().enumerate() {
            let expected = enumerated(&values, index + 1, false) - values[0];
            assert!(
                (gap - expected).abs() < 1e-14,
                "{values:?} t = {}",
                index + 1
            );
        }
        for (index, gap) in with.iter().enumerate() {
            let expected = enumerated(&values, index + 1, true) - values[0];
            assert!(
                (gap - expected).abs() < 1e-14,
                "{values:?} t = {}",
                index + 1
            );
        }
    }
}

#[test]
fn once_all_rows_are_drawn_the_minimum_is_found_for_certain() {
    let gaps = expected_gaps_without_replacement(&[1.0, 2.0, 5.0], 6);
    assert!(gaps[1] > 0.0);
    assert_eq!(gaps[2..], [0.0; 4]);
}

#[test]
fn names_select_and_unknown_ones_are_refused_with_the_choices() {
    for (baseline, name) in Baseline::NAMES {
        assert_eq!(name.parse::<Baseline>().unwrap(), baseline);
        assert_eq!(baseline.to_string(), name);
        assert_eq!(serde_json::to_value(baseline).unwrap(), name);
    }
    let error = "median".parse::<Baseline>().unwrap_err().to_string();
    assert!(
        error.contains("median") && error.contains("exact-with-replacement"),
        "{error}"
    );
}

#[test]
fn public_tables_agree_with_the_recorded_expectations() {
    let Some(folder) = data_folder("public_tables_agree_with_the_recorded_expectations") else {
        return;
    };
    let compressed = std::fs::File::open(folder.join("rs_expected_dtm.csv.gz")).unwrap();
    let mut recorded = csv::Reader::from_reader(flate2::read::GzDecoder::new(compressed));
    let recorded: Vec<csv::StringRecord> = recorded.records().map(Result::unwrap).collect();
    let mut compared = 0;
    for (blackbox, file, objective) in PUBLIC_TABLES {
        for (task, values) in objectives(&folder.join(file), objective) {
            let range = values[values.len() - 1] - values[0];
            let without = expected_gaps_without_replacement(&values, 100);
            let with = expected_gaps_with_replacement(&values, 100);
            for row in recorded
                .iter()
                .filter(|row| &row[0] == blackbox && row[1] == task)
            {
                let t: usize = row[2].parse().unwrap();
                for (gaps, column) in [(&without, 3), (&with, 4)] {
                    let expected: f64 = row[column].parse().unwrap();
                    let found = gaps[t - 1] / range;
                    assert!(
                        (found / expected - 1.0).abs() < 1e-9,
                        "{task} {t}: {found} {expected}"
                    );
                }
                compared += 1;
            }
        }
    }
    assert_eq!(compared, recorded.len());
}
