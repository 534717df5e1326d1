//! Bounds on what a process predicts for the candidates of a pool: those of [`super::grid_bounds`] where the pool is a full grid and
//! they are tight enough, else those of [`super::single_precision`].

use super::gaussian_process::Posterior;
use super::grid_bounds::{self, GridBounds};
use super::pool_columns::{LookUps, PoolColumns};
use super::single_precision::SingleProcess;
use crate::acquisition::maximisation::BLOCK;

const _: () = assert!(BLOCK == u8::MAX as usize + 1, "a place is one byte");

/// Bounds under one process.
#[derive(Default)]
pub(super) struct PoolBounds {
    grid: GridBounds,
    single: SingleProcess,
    /// Whether they are those for a grid.
    pub(super) is_on_grid: bool,
    /// Where the block last bounded begins.
    pub(super) first: usize,
}

impl PoolBounds {
    /// Begins with another process on `points`, with their look-ups.
    pub(super) fn set(
        &mut self,
        posterior: &Posterior,
        points: &[f64],
        columns: &PoolColumns,
        look_ups: &LookUps,
    ) {
        self.is_on_grid = self.grid.set(posterior, columns, look_ups);
        if !self.is_on_grid {
            self.single.set(posterior, points, columns, look_ups);
        }
    }

    /// Lower bounds on the means and upper bounds on the standard deviations of the candidates from `first` on.
    pub(super) fn bound(
        &mut self,
        posterior: &Posterior,
        columns: &PoolColumns,
        first: usize,
        means: &mut [f64],
        std_devs: &mut [f64],
    ) {
        self.first = first;
        if self.is_on_grid {
            self.grid.bound(posterior, first, means, std_devs);
        } else {
            self.single
                .bound(posterior, columns, first, means, std_devs);
        }
    }

    /// Appends the correlations of the `open` candidates of the block last bounded with the observations of these numbers, observation by
    /// observation.
    pub(super) fn append_correlations(
        &self,
        observed: &[usize],
        open: &[usize],
        correlations: &mut Vec<f32>,
    ) {
        // In this type no place is beyond a block: they are looked up without a check.
        let places: Vec<u8> = open.iter().map(|&place| place as u8).collect();
        if self.is_on_grid {
            self.grid
                .append_correlations(observed, (self.first, &places), correlations);
        } else {
            self.single
                .append_correlations(observed, &places, correlations);
        }
    }

    /// At least the error of a correlation.
    pub(super) fn margin(&self) -> f64 {
        if self.is_on_grid {
            grid_bounds::MARGIN
        } else {
            self.single.margin()
        }
    }
}
