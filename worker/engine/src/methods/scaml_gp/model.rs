//! The weighted sum of the sources' processes and the target's own, fitted to what was observed.

use super::likelihood::{Factorised, OWN_KERNEL, Observed, Values};
use super::source_covariances::SourceCovariances;
use crate::accumulation::accumulate;
use crate::acquisition::maximisation::BlockPredictions;
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::lbfgs;
use crate::setting::Setting;
use crate::sources::process::SourceProcess;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::{FIT, Posterior};
use crate::table::encoding::{Column, Space};

const WEIGHT_BOUNDS: (f64, f64) = (1e-10, 10.0);
const LENGTHSCALE_BOUNDS: (f64, f64) = (1e-3, 100.0);
const SIGNAL_BOUNDS: (f64, f64) = (1e-3, 100.0);
const NOISE_BOUNDS: (f64, f64) = (1e-4, 1.0);

/// Where the first fit starts, beside weights of 1 / M.
const START_LENGTHSCALE: f64 = 1.0;
const START_SIGNAL: f64 = 0.1;
const START_NOISE: f64 = 1e-3;

/// Where a fit starts at least, as a share of 1 / M: on the logarithm a weight that has come close to 0 feels nothing.
const LEAST_START_WEIGHT: f64 = 0.1;

/// The sum, with the rows observed so far.
pub(super) struct ScamlModel<'a> {
    space: &'a Space,
    columns: &'a [Column],
    pool: CandidatePool,
    sources: Vec<SourceCovariances>,
    /// Encoded configurations of the observed rows.
    points: Vec<Vec<f64>>,
    /// By observation and source, the covariance with every row.
    covariances: Vec<Vec<Vec<f32>>>,
    observed: Observed,
    logarithms: Vec<f64>,
    bounds: (Vec<f64>, Vec<f64>),
}

impl<'a> ScamlModel<'a> {
    /// Of the sources' processes, with nothing observed.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if a source's kernel matrix cannot be factorised.
    pub(super) fn new(
        setting: &Setting<'a>,
        processes: &[SourceProcess],
    ) -> Result<Self, EngineError> {
        let (space, columns) = (setting.space(), setting.columns());
        let rows = (0..setting.rows() as u32).collect();
        let mut pool = CandidatePool::new(space, columns, rows);
        let sources = processes
            .iter()
            .map(|process| SourceCovariances::new(setting, process, &mut pool));
        let sources: Vec<SourceCovariances> = sources.collect::<Result<_, EngineError>>()?;
        let (count, width) = (sources.len(), space.width());
        let repeated = |weight, lengthscale, signal, noise| {
            let weights = std::iter::repeat_n(weight, count);
            let lengthscales = std::iter::repeat_n(lengthscale, width);
            let all = weights.chain(lengthscales).chain([signal, noise]);
            all.map(libm::log).collect::<Vec<f64>>()
        };
        let bounds = [
            WEIGHT_BOUNDS,
            LENGTHSCALE_BOUNDS,
            SIGNAL_BOUNDS,
            NOISE_BOUNDS,
        ];
        let [lower, upper] = [bounds.map(|side| side.0), bounds.map(|side| side.1)].map(
            |[weight, lengthscale, signal, noise]| repeated(weight, lengthscale, signal, noise),
        );
        let share = 1.0 / count as f64;
        Ok(Self {
            space,
            columns,
            pool,
            points: Vec::new(),
            covariances: Vec::new(),
            observed: Observed {
                targets: Vec::new(),
                means: vec![Vec::new(); count],
                covariances: vec![Vec::new(); count],
                squares: vec![Vec::new(); width],
            },
            logarithms: repeated(share, START_LENGTHSCALE, START_SIGNAL, START_NOISE),
            bounds: (lower, upper),
            sources,
        })
    }

    /// Number of observed rows.
    pub(super) fn count(&self) -> usize {
        self.points.len()
    }

    /// Adds an observed row; its value is given to [`Self::fit`].
    pub(super) fn observe(&mut self, row: usize) {
        let mut point = vec![0.0; self.space.width()];
        self.space.encode(self.columns, row, &mut point);
        let pool = &mut self.pool;
        let of_sources = self.sources.iter();
        let of_sources: Vec<Vec<f32>> = of_sources
            .map(|source| source.covariances(row, &point, pool))
            .collect();
        self.covariances.push(of_sources);
        self.points.push(point);
        let point = &self.points[self.points.len() - 1];
        for (number, source) in self.sources.iter().enumerate() {
            self.observed.means[number].push(source.means[row]);
            // The covariance with an earlier row is in that row's column.
            let earlier = self.covariances.iter();
            let earlier = earlier.map(|columns| f64::from(columns[number][row]));
            self.observed.covariances[number].extend(earlier);
        }
        for (coordinate, squares) in self.observed.squares.iter_mut().enumerate() {
            let differences = self.points.iter();
            let differences = differences.map(|other| point[coordinate] - other[coordinate]);
            squares.extend(differences.map(|difference| difference * difference));
        }
    }

    /// Fits weights and hyperparameters to a value per observed row, from where the last fit ended.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the covariance cannot be factorised.
    pub(super) fn fit(&mut self, targets: &[f64]) -> Result<(), EngineError> {
        self.observed.targets = targets.to_vec();
        let least = libm::log(LEAST_START_WEIGHT / self.sources.len() as f64);
        for logarithm in &mut self.logarithms[..self.sources.len()] {
            *logarithm = logarithm.max(least);
        }
        let observed = &self.observed;
        lbfgs::minimise(
            |logarithms, gradient| observed.evaluate(logarithms, gradient),
            &mut self.logarithms,
            (&self.bounds.0, &self.bounds.1),
            FIT,
        )?;
        Ok(())
    }

    /// The weighted sum of the sources' means at every row, before a fit with the weights that it starts from.
    pub(super) fn prior_means(&self) -> Vec<f64> {
        let values = self.values();
        let mut means = vec![0.0; self.rows()];
        for (source, weight) in self.sources.iter().zip(&values.weights) {
            accumulate(*weight, &source.means, &mut means);
        }
        means
    }

    /// What the last fit predicts.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the covariance cannot be factorised.
    pub(super) fn predictions(&mut self) -> Result<Predictions, EngineError> {
        let values = self.values();
        let rows = self.rows();
        let own = Posterior {
            kernel: OWN_KERNEL,
            weights: values.scales.clone(),
            signal: values.signal,
            ..Posterior::default()
        };
        let mut cross = vec![0.0; self.count() * rows];
        let columns = cross.chunks_exact_mut(rows).zip(&self.points);
        for ((column, point), of_sources) in columns.zip(&self.covariances) {
            self.pool.covariances(&own, point, column);
            for entry in column.iter_mut() {
                *entry += 1.0;
            }
            for (covariances, weight) in of_sources.iter().zip(&values.weights) {
                let square = weight * weight;
                for (entry, covariance) in column.iter_mut().zip(covariances) {
                    *entry = square.mul_add(f64::from(*covariance), *entry);
                }
            }
        }
        let mut variances = vec![values.signal + 1.0; rows];
        for (source, weight) in self.sources.iter().zip(&values.weights) {
            accumulate(weight * weight, &source.variances, &mut variances);
        }
        let Factorised { factor, alpha, .. } = self.observed.factorise(&values)?;
        Ok(Predictions {
            prior_means: self.prior_means(),
            variances,
            cross,
            factor,
            alpha,
            noise: values.noise,
            diagonal: self.observed_variances(&values),
            first: 0,
        })
    }

    fn observed_variances(&self, values: &Values) -> Vec<f64> {
        let at = |row: usize| {
            let place = row * (row + 1) / 2 + row;
            let sources = self.observed.covariances.iter().zip(&values.weights);
            let of_sources = sources.map(|(entries, weight)| weight * weight * entries[place]);
            values.signal + 1.0 + of_sources.sum::<f64>()
        };
        (0..self.count()).map(at).collect()
    }

    fn values(&self) -> Values {
        Values::new(&self.logarithms, self.sources.len())
    }

    fn rows(&self) -> usize {
        self.sources.first().map_or(0, |source| source.means.len())
    }

    /// The logarithms of weights and hyperparameters, in the order of [`Values::new`].
    #[cfg(test)]
    pub(super) fn logarithms(&self) -> &[f64] {
        &self.logarithms
    }
}

/// Mean and variance of every row, the offset's included.
pub(super) struct Predictions {
    prior_means: Vec<f64>,
    /// Before the observations.
    variances: Vec<f64>,
    /// By observation, the covariance with every row.
    cross: Vec<f64>,
    factor: Vec<f64>,
    alpha: Vec<f64>,
    noise: f64,
    /// The variance of each observed row before the observations.
    diagonal: Vec<f64>,
    /// Where the block last bounded begins.
    first: usize,
}

impl Predictions {
    /// The greatest standard deviation that a row can have.
    pub(super) fn largest_std_dev(&self) -> f64 {
        self.variances.iter().copied().fold(0.0, f64::max).sqrt()
    }
}

impl BlockPredictions for Predictions {
    fn bound(&mut self, first: usize, means: &mut [f64], bounds: &mut [f64]) {
        let (rows, size) = (self.variances.len(), means.len());
        self.first = first;
        means.copy_from_slice(&self.prior_means[first..first + size]);
        bounds.copy_from_slice(&self.variances[first..first + size]);
        let columns = self
            .cross
            .chunks_exact(rows)
            .zip(&self.alpha)
            .zip(&self.diagonal);
        for ((column, alpha), variance) in columns {
            let column = &column[first..first + size];
            let total = variance + self.noise;
            for (place, entry) in column.iter().enumerate() {
                means[place] = alpha.mul_add(*entry, means[place]);
                let left = self.variances[first + place] - entry * entry / total;
                bounds[place] = bounds[place].min(left);
            }
        }
        // A little above, as the standard deviation itself is rounded.
        for (bound, variance) in bounds.iter_mut().zip(&self.variances[first..]) {
            *bound = (bound.max(0.0) + 1e-9 * (1.0 + variance)).sqrt();
        }
    }

    fn solve(&mut self, open: &[usize], std_devs: &mut [f64]) {
        let count = self.alpha.len();
        let columns = self.cross.chunks_exact(self.variances.len());
        let of_open = columns.flat_map(|column| open.iter().map(|&row| column[self.first + row]));
        let mut block: Vec<f64> = of_open.collect();
        let right = MatrixMut::new(&mut block, open.len(), count, open.len());
        let factor = MatrixRef::square(&self.factor, count, count);
        blas::solve_triangular(Triangular::Rows, factor, right);
        for (place, (&row, std_dev)) in open.iter().zip(std_devs.iter_mut()).enumerate() {
            let column = block.iter().skip(place).step_by(open.len());
            let known: f64 = column.map(|entry| entry * entry).sum();
            *std_dev = (self.variances[self.first + row] - known).max(1e-12).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One observation, and rows whose covariance with it is nearly as great as it can be.
    fn predictions(variance: f64, noise: f64, rows: usize) -> Predictions {
        let variances = (0..rows).map(|row| variance * (1.0 + row as f64 / rows as f64));
        let variances: Vec<f64> = variances.collect();
        let observed = 1.37 * variance;
        let cross = variances
            .iter()
            .map(|variance| (variance * observed).sqrt());
        Predictions {
            prior_means: vec![0.0; rows],
            cross: cross.collect(),
            variances,
            factor: vec![(observed + noise).sqrt()],
            alpha: vec![0.0],
            noise,
            diagonal: vec![observed],
            first: 0,
        }
    }

    #[test]
    fn no_deviation_is_above_its_bound_however_great_the_variances_are() {
        for variance in [1e-3, 1.0, 1e4, 1e7, 1e10] {
            let rows = 5000;
            let mut predictions = predictions(variance, 1e-4, rows);
            let (mut means, mut bounds) = (vec![0.0; rows], vec![0.0; rows]);
            predictions.bound(0, &mut means, &mut bounds);
            let open: Vec<usize> = (0..rows).collect();
            let mut std_devs = vec![0.0; rows];
            predictions.solve(&open, &mut std_devs);
            for (std_dev, bound) in std_devs.iter().zip(&bounds) {
                assert!(std_dev <= bound, "{variance}: {std_dev} above {bound}");
            }
        }
    }
}
