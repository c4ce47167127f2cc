//! Multi-head self-attention inside one window. Sixteen keys occupy the lanes of a vector in the
//! scores, sixteen dimensions of the values in the weighted sum; a few queries go through together,
//! so that what is loaded is used several times.

use super::elementwise::exp;
use super::kernel::{LANES, LaneArray, Lanes};
use super::layout::{WIDTH, WINDOW};

const HEADS: usize = 4;
const HEAD_WIDTH: usize = WIDTH / HEADS;
/// 1 / √HEAD_WIDTH.
const SCORE_SCALE: f32 = 0.125;
/// Number of vectors that the keys of a full window occupy.
const KEY_BLOCKS: usize = WINDOW / LANES;
/// Largest number of queries that go through together on any instruction set.
const QUERIES_MAX: usize = 6;

/// Queries, keys and values of one token, concatenated.
pub(super) type Qkv = [f32; 3 * WIDTH];

/// Keys of one head, one key per lane.
type KeyBlock = [LaneArray; HEAD_WIDTH];
/// KeyScores of one query; later, its softmax weights.
type KeyScores = [LaneArray; KEY_BLOCKS];

/// Intermediate results of attention. What they held before is never read.
#[repr(C, align(64))]
pub(super) struct AttentionBuffers {
    /// Keys of a head.
    keys: [KeyBlock; KEY_BLOCKS],
    /// Scores of the queries that go through together.
    scores: [KeyScores; QUERIES_MAX],
}

impl AttentionBuffers {
    pub fn new() -> Self {
        Self {
            keys: [[[0.0; LANES]; HEAD_WIDTH]; KEY_BLOCKS],
            scores: [[[0.0; LANES]; KEY_BLOCKS]; QUERIES_MAX],
        }
    }
}

/// Computes the attention output of each token of a window. The sums of `QUERIES` queries and
/// `BLOCKS` vectors are held in registers at once.
#[inline(always)]
pub(super) fn attend<L: Lanes, const QUERIES: usize, const BLOCKS: usize>(
    lanes: L,
    tokens: &[Qkv],
    out_rows: &mut [[f32; WIDTH]],
    AttentionBuffers { keys, scores }: &mut AttentionBuffers,
) {
    let keys = &mut keys[..tokens.len().div_ceil(LANES)];
    for head in (0..WIDTH).step_by(HEAD_WIDTH) {
        transpose_keys(lanes, tokens, WIDTH + head, keys);
        for first in (0..tokens.len()).step_by(QUERIES) {
            if tokens.len() < QUERIES {
                for query in 0..tokens.len() {
                    attend_head::<L, 1, BLOCKS>(lanes, tokens, keys, head, query, out_rows, scores);
                }
            } else {
                // The last queries go with some before them, which get the same output again.
                let first = first.min(tokens.len() - QUERIES);
                attend_head::<L, QUERIES, BLOCKS>(
                    lanes, tokens, keys, head, first, out_rows, scores,
                );
            }
        }
    }
}

/// Transposes the keys of a head.
#[inline(always)]
fn transpose_keys<L: Lanes>(lanes: L, tokens: &[Qkv], column: usize, keys: &mut [KeyBlock]) {
    for (block, keys) in keys.iter_mut().enumerate() {
        for (part, columns) in keys.as_chunks_mut().0.iter_mut().enumerate() {
            let mut rows = [&[0.0; LANES]; LANES];
            for (lane, row) in rows.iter_mut().enumerate() {
                // Lanes without a token hold the last one again; their scores are not used.
                let token = &tokens[(block * LANES + lane).min(tokens.len() - 1)];
                *row = &token.as_chunks().0[column / LANES + part];
            }
            lanes.transpose(rows, columns);
        }
    }
}

/// Computes one head of the attention output of `QUERIES` tokens from `first`.
#[inline(always)]
fn attend_head<L: Lanes, const QUERIES: usize, const BLOCKS: usize>(
    lanes: L,
    tokens: &[Qkv],
    keys: &[KeyBlock],
    head: usize,
    first: usize,
    out_rows: &mut [[f32; WIDTH]],
    scores: &mut [KeyScores; QUERIES_MAX],
) {
    let scores = &mut scores[..QUERIES];
    let queries = &tokens[first..first + QUERIES];
    let grouped = keys.len() - keys.len() % BLOCKS;
    for block in (0..grouped).step_by(BLOCKS) {
        score_keys::<L, QUERIES, BLOCKS>(lanes, queries, head, keys, block, scores);
    }
    for block in grouped..keys.len() {
        score_keys::<L, QUERIES, 1>(lanes, queries, head, keys, block, scores);
    }
    let mut shares = [0.0; QUERIES];
    for query in 0..QUERIES {
        shares[query] = 1.0 / softmax(lanes, &mut scores[query], tokens.len());
    }
    let out_rows = &mut out_rows[first..first + QUERIES];
    for part in (head..head + HEAD_WIDTH).step_by(BLOCKS * LANES) {
        weigh_values::<L, QUERIES, BLOCKS>(lanes, tokens, part, scores, &shares, out_rows);
    }
}

/// Computes the scaled dot product of each query with the keys of `BLOCKS` blocks from `block`.
#[inline(always)]
fn score_keys<L: Lanes, const QUERIES: usize, const BLOCKS: usize>(
    lanes: L,
    queries: &[Qkv],
    head: usize,
    keys: &[KeyBlock],
    block: usize,
    scores: &mut [KeyScores],
) {
    let keys = &keys[block..block + BLOCKS];
    let (queries, scores) = (&queries[..QUERIES], &mut scores[..QUERIES]);
    let mut sums = [[lanes.splat(0.0); BLOCKS]; QUERIES];
    for depth in 0..HEAD_WIDTH {
        let mut wide = [lanes.splat(0.0); BLOCKS];
        for at in 0..BLOCKS {
            wide[at] = lanes.load(&keys[at][depth]);
        }
        for query in 0..QUERIES {
            let value = lanes.splat(queries[query][head + depth]);
            for at in 0..BLOCKS {
                sums[query][at] = lanes.mul_add(value, wide[at], sums[query][at]);
            }
        }
    }
    let scale = lanes.splat(SCORE_SCALE);
    for query in 0..QUERIES {
        for at in 0..BLOCKS {
            lanes.store(lanes.mul(sums[query][at], scale), &mut scores[query][block + at]);
        }
    }
}

/// Turns the scores of the first `count` keys into unnormalised softmax weights and returns their
/// total. The division by it is postponed to the output, where there are fewer numbers.
#[inline(always)]
fn softmax<L: Lanes>(lanes: L, scores: &mut KeyScores, count: usize) -> f32 {
    let blocks = count.div_ceil(LANES);
    for score in &mut scores.as_flattened_mut()[count..blocks * LANES] {
        *score = f32::MIN;
    }
    let scores = &mut scores[..blocks];
    // Subtracting the maximum keeps the exponents at or below 0, as `exp` requires.
    let mut highest = lanes.load(&scores[0]);
    for score in scores.iter() {
        highest = lanes.max(highest, lanes.load(score));
    }
    let highest = lanes.splat(lanes.highest(highest));
    let mut total = lanes.splat(0.0);
    for score in scores.iter_mut() {
        let weight = exp(lanes, lanes.sub(lanes.load(score), highest));
        total = lanes.add(total, weight);
        lanes.store(weight, score);
    }
    lanes.sum(total)
}

/// Writes `BLOCKS` vectors of the sum of the values, weighted for each query.
#[inline(always)]
fn weigh_values<L: Lanes, const QUERIES: usize, const BLOCKS: usize>(
    lanes: L,
    tokens: &[Qkv],
    column: usize,
    weights: &[KeyScores],
    shares: &[f32; QUERIES],
    out_rows: &mut [[f32; WIDTH]],
) {
    assert!(tokens.len() <= WINDOW, "no window is longer");
    let weights = &weights[..QUERIES];
    let mut sums = [[lanes.splat(0.0); BLOCKS]; QUERIES];
    for (key, token) in tokens.iter().enumerate() {
        let values = &token[2 * WIDTH + column..][..BLOCKS * LANES].as_chunks().0;
        let mut wide = [lanes.splat(0.0); BLOCKS];
        for at in 0..BLOCKS {
            wide[at] = lanes.load(&values[at]);
        }
        for query in 0..QUERIES {
            let weight = lanes.splat(weights[query].as_flattened()[key]);
            for at in 0..BLOCKS {
                sums[query][at] = lanes.mul_add(weight, wide[at], sums[query][at]);
            }
        }
    }
    for query in 0..QUERIES {
        let share = lanes.splat(shares[query]);
        let out = out_rows[query][column..][..BLOCKS * LANES].as_chunks_mut().0;
        for at in 0..BLOCKS {
            lanes.store(lanes.mul(sums[query][at], share), &mut out[at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::kernel::PortableLanes;

    /// Computes the attention of one token and head directly from its definition.
    fn naive_attention(tokens: &[Qkv], query: usize, head: usize) -> Vec<f32> {
        let part = |token: usize, which: usize| {
            &tokens[token][which * WIDTH + head * HEAD_WIDTH..][..HEAD_WIDTH]
        };
        let product =
            |key| part(query, 0).iter().zip(part(key, 1)).map(|(q, k)| q * k).sum::<f32>();
        let weights: Vec<f32> =
            (0..tokens.len()).map(|key| (product(key) * SCORE_SCALE).exp()).collect();
        let total: f32 = weights.iter().sum();
        (0..HEAD_WIDTH)
            .map(|at| {
                weights.iter().enumerate().map(|(key, w)| w * part(key, 2)[at]).sum::<f32>() / total
            })
            .collect()
    }

    #[test]
    fn attention_matches_its_definition_for_every_window_length() {
        for length in [1, 2, 3, 15, 16, 17, 33, WINDOW] {
            let value = |row: usize, at: usize| ((row * 769 + at * 131) % 211) as f32 / 105.0 - 1.0;
            let tokens: Vec<Qkv> =
                (0..length).map(|row| std::array::from_fn(|at| value(row, at))).collect();
            let mut out_rows = vec![[0.0; WIDTH]; length];
            attend::<_, 2, 1>(PortableLanes, &tokens, &mut out_rows, &mut AttentionBuffers::new());
            for (row, out) in out_rows.iter().enumerate() {
                let expected = (0..HEADS).flat_map(|head| naive_attention(&tokens, row, head));
                assert!(
                    out.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4),
                    "{length} tokens, row {row}"
                );
            }
        }
    }
}
