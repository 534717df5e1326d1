//! Many blocks of ChaCha8 at a time (Bernstein 2008, ChaCha, a variant of Salsa20), one in each lane of a vector. The generator, whose
//! vectors hold parts of few blocks, takes 1.5 times as long with AVX2 and 2.7 times with AVX-512.

use std::array;

use pulp::Simd;
use pulp::bytemuck;

/// Words of a block.
pub(super) const WORDS: usize = 16;

/// Bytes of a block.
pub(super) const BLOCK: usize = 4 * WORDS;

const DOUBLE_ROUNDS: usize = 4;

/// The words that every block begins with: "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Fills `bytes`, whole blocks, with those of the stream of that key from the block of number `first` on.
#[pulp::with_simd(fill_blocks = pulp::Arch::new())]
#[inline(always)]
pub(super) fn fill_blocks_with<S: Simd>(simd: S, key: &[u32; 8], first: u64, bytes: &mut [u8]) {
    let lanes = size_of::<S::u32s>() / size_of::<u32>();
    let mut number = first;
    for blocks in bytes.chunks_mut(BLOCK * lanes) {
        let mut initial = [simd.splat_u32s(0); WORDS];
        for (word, constant) in initial.iter_mut().zip(CONSTANTS.iter().chain(key)) {
            *word = simd.splat_u32s(*constant);
        }
        // The number of each block, in two words. A vector has sixteen lanes at most.
        let of_lanes: [u64; 16] = array::from_fn(|lane| number.wrapping_add(lane as u64));
        let low = of_lanes.map(|number| number as u32);
        let high = of_lanes.map(|number| (number >> 32) as u32);
        initial[12] = simd.partial_load_u32s(&low[..lanes]);
        initial[13] = simd.partial_load_u32s(&high[..lanes]);
        let mut state = initial;
        for _ in 0..DOUBLE_ROUNDS {
            // Not a loop, which would keep the state in memory. First the columns, then the diagonals.
            mix(simd, &mut state, [0, 4, 8, 12]);
            mix(simd, &mut state, [1, 5, 9, 13]);
            mix(simd, &mut state, [2, 6, 10, 14]);
            mix(simd, &mut state, [3, 7, 11, 15]);
            mix(simd, &mut state, [0, 5, 10, 15]);
            mix(simd, &mut state, [1, 6, 11, 12]);
            mix(simd, &mut state, [2, 7, 8, 13]);
            mix(simd, &mut state, [3, 4, 9, 14]);
        }
        for (word, added) in state.iter_mut().zip(initial) {
            *word = simd.add_u32s(*word, added);
        }
        let words: &[u32] = bytemuck::cast_slice(&state);
        for (lane, block) in blocks.chunks_exact_mut(BLOCK).enumerate() {
            for (word, place) in block.as_chunks_mut().0.iter_mut().enumerate() {
                *place = words[word * lanes + lane].to_le_bytes();
            }
        }
        number = number.wrapping_add(lanes as u64);
    }
}

/// A quarter round.
#[inline(always)]
fn mix<S: Simd>(simd: S, state: &mut [S::u32s; WORDS], [a, b, c, d]: [usize; 4]) {
    for (sum, added, turned, bits) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        state[sum] = simd.add_u32s(state[sum], state[added]);
        let mixed = simd.xor_u32s(state[turned], state[sum]);
        let left = simd.wrapping_dyn_shl_u32s(mixed, simd.splat_u32s(bits));
        let right = simd.wrapping_dyn_shr_u32s(mixed, simd.splat_u32s(32 - bits));
        state[turned] = simd.or_u32s(left, right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_the_same_without_vectors() {
        let key = [1, 2, 3, 4, 5, 6, 7, 8];
        // The number of a block takes both of its words.
        let first = u64::from(u32::MAX) - 3;
        let (mut found, mut expected) = ([0; 21 * BLOCK], [0; 21 * BLOCK]);
        fill_blocks(&key, first, &mut found);
        fill_blocks_with(pulp::Scalar::new(), &key, first, &mut expected);
        assert_eq!(found, expected);
    }
}
