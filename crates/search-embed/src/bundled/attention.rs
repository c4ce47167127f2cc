//! Multi-head self-attention inside one window. Sixteen queries occupy the lanes of a vector
//! through scores, softmax and the weighted sum of values, so that no stage needs a horizontal sum.

use super::elementwise::{LANES, LaneArray, exp};
use super::kernel::Isa;
use super::layout::{WIDTH, WINDOW};

const HEADS: usize = 4;
const HEAD_WIDTH: usize = WIDTH / HEADS;
/// 1 / √HEAD_WIDTH.
const SCORE_SCALE: f32 = 0.125;

/// Queries, keys and values of one token, concatenated.
pub(super) type Qkv = [f32; 3 * WIDTH];

/// Computes the attention output of each token of a window. `TILE` sums are held in registers at
/// once.
#[inline(always)]
pub(super) fn attend<I: Isa, const TILE: usize>(
    isa: I,
    tokens: &[Qkv],
    out_rows: &mut [[f32; WIDTH]],
) {
    let mut weights = [[0.0; LANES]; WINDOW];
    let weights = &mut weights[..tokens.len()];
    for head in (0..WIDTH).step_by(HEAD_WIDTH) {
        for (query_rows, out_rows) in tokens.chunks(LANES).zip(out_rows.chunks_mut(LANES)) {
            score_keys::<I, TILE>(
                isa,
                &transpose_queries(query_rows, head),
                tokens,
                WIDTH + head,
                weights,
            );
            // The division by the softmax total is postponed to the output, where it is done once
            // per value instead of once per weight.
            let totals = softmax(isa, weights);
            let sums = weighted_values::<I, TILE>(isa, weights, tokens, 2 * WIDTH + head);
            for (lane, row) in out_rows.iter_mut().enumerate() {
                let share = 1.0 / totals[lane];
                for (out, sum) in row[head..head + HEAD_WIDTH].iter_mut().zip(&sums) {
                    *out = sum[lane] * share;
                }
            }
        }
    }
}

/// Transposes the head's part of up to sixteen queries, one query per lane.
#[inline(always)]
fn transpose_queries(rows: &[Qkv], head: usize) -> [LaneArray; HEAD_WIDTH] {
    let mut transposed = [[0.0; LANES]; HEAD_WIDTH];
    for (lane, row) in rows.iter().enumerate() {
        for (transposed, value) in transposed.iter_mut().zip(&row[head..head + HEAD_WIDTH]) {
            transposed[lane] = value * SCORE_SCALE;
        }
    }
    transposed
}

/// Computes the dot product of each key with each query.
#[inline(always)]
fn score_keys<I: Isa, const TILE: usize>(
    isa: I,
    queries: &[LaneArray; HEAD_WIDTH],
    tokens: &[Qkv],
    column: usize,
    scores: &mut [LaneArray],
) {
    let (tiles, rest) = tokens.as_chunks::<TILE>();
    let (tile_scores, rest_scores) = scores.as_chunks_mut::<TILE>();
    for (keys, scores) in tiles.iter().zip(tile_scores) {
        score_tile(isa, queries, keys, column, scores);
    }
    for (key, score) in rest.as_chunks::<1>().0.iter().zip(rest_scores.as_chunks_mut().0) {
        score_tile(isa, queries, key, column, score);
    }
}

#[inline(always)]
fn score_tile<I: Isa, const TILE: usize>(
    isa: I,
    queries: &[LaneArray; HEAD_WIDTH],
    keys: &[Qkv; TILE],
    column: usize,
    scores: &mut [LaneArray; TILE],
) {
    let mut sums = [isa.load(&[0.0; LANES]); TILE];
    let keys: [&[f32]; TILE] = keys.each_ref().map(|key| &key[column..column + HEAD_WIDTH]);
    for depth in 0..HEAD_WIDTH {
        let query = isa.load(&queries[depth]);
        for at in 0..TILE {
            sums[at] = isa.mul_add_scalar(sums[at], query, keys[at][depth]);
        }
    }
    for (sum, score) in sums.into_iter().zip(scores) {
        isa.store(sum, score);
    }
}

/// Turns scores into unnormalised softmax weights and returns their totals.
#[inline(always)]
fn softmax<I: Isa>(isa: I, scores: &mut [LaneArray]) -> LaneArray {
    // Subtracting the maximum keeps the exponents at or below 0, as `exp` requires.
    let mut maxima = isa.load(&scores[0]);
    for score in scores.iter() {
        maxima = isa.max(maxima, isa.load(score));
    }
    let mut highest = [0.0; LANES];
    isa.store(maxima, &mut highest);
    let mut totals = [0.0; LANES];
    for score in scores {
        for lane in 0..LANES {
            score[lane] = exp(isa, score[lane] - highest[lane]);
            totals[lane] += score[lane];
        }
    }
    totals
}

/// Computes the weighted sum of the values, still with one query per lane.
#[inline(always)]
fn weighted_values<I: Isa, const TILE: usize>(
    isa: I,
    weights: &[LaneArray],
    tokens: &[Qkv],
    column: usize,
) -> [LaneArray; HEAD_WIDTH] {
    let mut values = [[0.0; LANES]; HEAD_WIDTH];
    for (tile, out) in values.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
        let mut sums = [isa.load(&[0.0; LANES]); TILE];
        for (weight, token) in weights.iter().zip(tokens) {
            let (weight, values) = (isa.load(weight), &token[column + tile * TILE..][..TILE]);
            for at in 0..TILE {
                sums[at] = isa.mul_add_scalar(sums[at], weight, values[at]);
            }
        }
        for (sum, out) in sums.into_iter().zip(out) {
            isa.store(sum, out);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::kernel::PortableIsa;

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
        for length in [1, 2, 15, 16, 17, 33, WINDOW] {
            let value = |row: usize, at: usize| ((row * 769 + at * 131) % 211) as f32 / 105.0 - 1.0;
            let tokens: Vec<Qkv> =
                (0..length).map(|row| std::array::from_fn(|at| value(row, at))).collect();
            let mut out_rows = vec![[0.0; WIDTH]; length];
            attend::<_, 2>(PortableIsa, &tokens, &mut out_rows);
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
