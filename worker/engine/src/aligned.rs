//! Numbers that begin with a cache line.

use std::ops::{Deref, DerefMut, Range};

/// Bytes of a cache line, which are the most of a vector, too.
const LINE: usize = 64;

/// Numbers of which the first begins a cache line, so that no whole vector lies across two lines, which would take twice as long.
#[derive(Default)]
pub(crate) struct AlignedNumbers<T> {
    numbers: Vec<T>,
    range: Range<usize>,
}

impl<T: Copy + Default> AlignedNumbers<T> {
    /// Makes place for so many numbers, which may be any.
    pub(crate) fn resize(&mut self, count: usize) {
        let spare = LINE / size_of::<T>();
        // What is not needed now stays: filling it again takes time.
        let held = self.numbers.len().max(count + spare);
        self.numbers.resize(held, T::default());
        let first = self.numbers.as_ptr().align_offset(LINE);
        // Without an answer the numbers stay where they are.
        let first = if first <= spare { first } else { 0 };
        self.range = first..first + count;
    }
}

impl<T> Deref for AlignedNumbers<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.numbers[self.range.clone()]
    }
}

impl<T> DerefMut for AlignedNumbers<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.range.clone()]
    }
}
