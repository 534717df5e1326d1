//! `gp`, `gcp`, `i-gp`, `ws-gp`, `ws-gp-all`, `autogp` and `box-rs`: expected improvement under a Gaussian process (ICML 2020, section
//! 4.2 without the prior, and appendix B; Feurer et al. 2015; Perrone et al. 2019, section 4.1).

use super::comparison::{Case, assert_greatest};
use super::gaussian_process::{
    Correlation, Kernel, Process, assert_optimal, matern, squared_exponential,
};
use super::normal::log_expected_improvement;
use super::transform::{Transform, gaussian_quantiles, standardised};
use crate::fits::SharedFits;
use crate::method_tests::example::new_fits;
use crate::random::StreamName;
use crate::surrogate::gaussian_process::GaussianProcess;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::kernel;

/// What distinguishes one method from another.
pub(crate) struct Model<'a> {
    pub case: &'a Case,
    pub transform: Transform,
    /// Points of other tasks with their targets, which come before the observations.
    pub warm: Vec<(Vec<f64>, f64)>,
    /// mu and sigma of each row: the process is on (z - mu) / sigma.
    pub prior: Option<Vec<(f64, f64)>>,
    /// The logarithm of the belief in each row, whose power after t evaluations is 10 / t.
    pub log_belief: Option<Vec<f64>>,
    /// The kernel of the process.
    pub kernel: kernel::Kernel,
    /// How many rows are chosen otherwise.
    pub initial: usize,
    /// By how much the logarithm of an expected improvement may differ.
    pub tolerance: f64,
}

impl<'a> Model<'a> {
    pub(crate) fn new(case: &'a Case, transform: Transform) -> Self {
        Self {
            case,
            transform,
            warm: Vec::new(),
            prior: None,
            log_belief: None,
            kernel: kernel::Kernel::Matern,
            initial: 5,
            tolerance: 1e-6,
        }
    }
}

/// The hyperparameters as the product fits them, from fit to fit.
pub(crate) struct Fit {
    correlation: Correlation,
    process: GaussianProcess,
    points: Vec<Vec<f64>>,
}

impl Fit {
    pub(crate) fn new(case: &Case, warm: &[(Vec<f64>, f64)]) -> Self {
        let most = warm.len() + case.iterations;
        let process = GaussianProcess::new(&case.table.space, most, Hyperprior::Gamma);
        let mut fit = Self {
            correlation: matern,
            process,
            points: Vec::new(),
        };
        warm.iter()
            .for_each(|(point, _)| fit.observe(point.clone()));
        fit
    }

    /// The same with the squared exponential kernel.
    pub(crate) fn squared_exponential(case: &Case) -> Self {
        let fit = Self::new(case, &[]);
        Self {
            correlation: squared_exponential,
            process: fit.process.with_kernel(kernel::Kernel::SquaredExponential),
            points: fit.points,
        }
    }

    fn observe(&mut self, point: Vec<f64>) {
        self.process.observe(&point);
        self.points.push(point);
    }

    /// The process on the warm points and on `rows` of the target, refitted to the `targets`.
    pub(crate) fn on(&mut self, case: &Case, rows: &[u32], targets: &[f64]) -> Process {
        let warm = targets.len() - rows.len();
        for &row in &rows[self.points.len() - warm..] {
            self.observe(case.point(case.target(), row as usize));
        }
        self.process.fit(targets).unwrap();
        let logarithms = self.process.logarithms();
        if rows.len().is_multiple_of(4) {
            assert_optimal(
                self.correlation,
                logarithms,
                &case.one_hot(),
                &self.points,
                targets,
            );
        }
        Process::new(
            Kernel::from_logarithms(self.correlation, logarithms),
            &self.points,
            targets,
        )
    }
}

/// Holds a method to expected improvement under the model; returns its rows.
pub(crate) fn assert_improves(
    fits: &SharedFits,
    method: &str,
    model: &Model,
    candidate: impl Fn(usize) -> bool,
) -> Vec<u32> {
    let case = model.case;
    let points = case.points(case.target());
    let mut fit = match model.kernel {
        kernel::Kernel::Matern => Fit::new(case, &model.warm),
        kernel::Kernel::SquaredExponential => Fit::squared_exponential(case),
    };
    case.run(fits, method, &[], |observations, chosen| {
        if observations.rows.len() < model.initial {
            return;
        }
        let z = (model.transform)(&observations.values);
        let incumbent = z.iter().copied().fold(f64::INFINITY, f64::min);
        let (mu, sigma): (Vec<f64>, Vec<f64>) = match &model.prior {
            Some(prior) => prior.iter().copied().unzip(),
            None => (vec![0.0; points.len()], vec![1.0; points.len()]),
        };
        let mut targets: Vec<f64> = model.warm.iter().map(|(_, target)| *target).collect();
        let rows = observations.rows.iter().map(|&row| row as usize);
        targets.extend(rows.zip(z).map(|(row, z)| (z - mu[row]) / sigma[row]));
        let process = fit.on(case, &observations.rows, &targets);
        let any_left = (0..points.len()).any(|row| !observations.evaluated[row] && candidate(row));
        assert_greatest(observations, chosen, model.tolerance, method, |row| {
            if any_left && !candidate(row) {
                return f64::NEG_INFINITY;
            }
            let mean = process.mean(&points[row]) * sigma[row] + mu[row];
            let std_dev = process.std_dev(&points[row]) * sigma[row];
            let belief = model.log_belief.as_ref().map_or(0.0, |belief| belief[row]);
            let power = 10.0 / observations.rows.len() as f64;
            log_expected_improvement(mean, std_dev, incumbent) + power * belief
        });
    })
}

/// The row of least objective.
fn best_row(values: &[f64]) -> usize {
    let rows = 0..values.len();
    rows.min_by(|&a, &b| values[a].total_cmp(&values[b]))
        .unwrap()
}

#[test]
fn gp_and_gcp_take_the_row_of_greatest_expected_improvement() {
    for (method, transform) in [
        ("gp", standardised as Transform),
        ("gcp", gaussian_quantiles),
    ] {
        let case = Case::of(method, 40);
        let fits = new_fits();
        let model = Model::new(&case, transform);
        let rows = assert_improves(&fits, method, &model, |_| true);
        assert_eq!(rows[..5], case.random_order(&fits)[..5]);
    }
}

#[test]
fn i_gp_improves_under_the_squared_exponential_kernel_from_the_second_row_on() {
    let case = Case::of("i-gp", 40);
    let fits = new_fits();
    let model = Model {
        kernel: kernel::Kernel::SquaredExponential,
        initial: 1,
        ..Model::new(&case, standardised)
    };
    let rows = assert_improves(&fits, "i-gp", &model, |_| true);
    assert_eq!(rows[0], case.random_order(&fits)[0]);
}

#[test]
fn ws_gp_has_seen_the_best_configuration_of_each_source() {
    let case = Case::of("ws-gp", 40);
    let fits = new_fits();
    let best = |values: &[f64]| {
        let z = standardised(values);
        (best_row(values), z[best_row(values)])
    };
    let warm = case.sources().into_iter().map(|source| {
        let (row, z) = best(&source.objective);
        (case.point(source, row), z)
    });
    let model = Model {
        warm: warm.collect(),
        initial: 1,
        ..Model::new(&case, standardised)
    };
    let rows = assert_improves(&fits, "ws-gp", &model, |_| true);
    assert_eq!(rows[0], case.random_order(&fits)[0]);
}

#[test]
fn ws_gp_all_has_seen_rows_of_all_sources() {
    let case = Case::of("ws-gp-all", 40);
    let fits = new_fits();
    // 200 rows of four sources, one of each in turn.
    let orders = case.sources().into_iter().map(|source| {
        let name = StreamName::new("sources", "sample of rows");
        let mut random = case.setting(&fits).random_of_task(name, source);
        let z = standardised(&source.objective);
        let order = random.permutation(source.rows() as u32).into_iter();
        let point = |row: u32| (case.point(source, row as usize), z[row as usize]);
        order.map(point).collect::<Vec<_>>()
    });
    let orders: Vec<Vec<(Vec<f64>, f64)>> = orders.collect();
    let rows = (0..50).flat_map(|place| orders.iter().map(move |order| order[place].clone()));
    let model = Model {
        warm: rows.collect(),
        initial: 1,
        ..Model::new(&case, standardised)
    };
    let rows = assert_improves(&fits, "ws-gp-all", &model, |_| true);
    assert_eq!(rows[0], case.random_order(&fits)[0]);
}

#[test]
fn autogp_chooses_within_the_box_of_the_sources_best_until_it_is_exhausted() {
    let case = Case::of("autogp", 60);
    let fits = new_fits();
    let best: Vec<Vec<f64>> = case
        .sources()
        .into_iter()
        .map(|source| case.point(source, best_row(&source.objective)))
        .collect();
    // A level that a best configuration has is 1 in it, so that the greatest of its coordinates is;
    // of the other levels all coordinates are 0.
    let side = |place: usize| {
        let values = best.iter().map(|point| point[place]);
        (
            values.clone().fold(f64::INFINITY, f64::min),
            values.fold(f64::NEG_INFINITY, f64::max),
        )
    };
    let points = case.points(case.target());
    let inside = |row: usize| {
        let coordinates = points[row].iter().enumerate();
        coordinates
            .map(|(place, value)| (side(place), value))
            .all(|((least, greatest), value)| least <= *value && *value <= greatest)
    };
    let size = (0..points.len()).filter(|&row| inside(row)).count();
    // So that the acquisition chooses most rows of the box, and some outside.
    assert!((12..50).contains(&size), "{size}");
    let model = Model::new(&case, standardised);
    let rows = assert_improves(&fits, "autogp", &model, inside);
    assert!(rows[..size].iter().all(|&row| inside(row as usize)));
    let order = case.random_order(&fits).into_iter();
    let initial: Vec<u32> = order.filter(|&row| inside(row as usize)).take(5).collect();
    assert_eq!(rows[..5], initial);

    // Random search in the same box, then outside of it.
    let order = case.random_order(&fits).into_iter();
    let (within, without): (Vec<u32>, Vec<u32>) = order.partition(|&row| inside(row as usize));
    let rows = case.run(&fits, "box-rs", &[], |_, _| ());
    assert_eq!(rows, [within, without].concat()[..60]);
}
