//! Stages of the model that work on each number or row by itself: layer norm, GELU, exp. No
//! branches and no tables, because those do not vectorise.

use super::kernel::{LANES, Lanes};
use super::layout::WIDTH;

/// Number of vectors in a row.
const WIDES: usize = WIDTH / LANES;
/// A row in registers, as far as there are enough.
pub(super) type WideRow<L> = [<L as Lanes>::Wide; WIDES];

const EPSILON: f32 = 1e-5;

/// Loads a row.
#[inline(always)]
pub(super) fn load_row<L: Lanes>(lanes: L, row: &[f32; WIDTH]) -> WideRow<L> {
    let mut wide = [lanes.splat(0.0); WIDES];
    for (wide, row) in wide.iter_mut().zip(row.as_chunks().0) {
        *wide = lanes.load(row);
    }
    wide
}

/// Computes the mean of at least one row.
#[inline(always)]
pub(super) fn average<L: Lanes>(lanes: L, rows: &[[f32; WIDTH]], mean: &mut [f32; WIDTH]) {
    let mut sum = [lanes.splat(0.0); WIDES];
    for row in rows {
        for (sum, row) in sum.iter_mut().zip(row.as_chunks().0) {
            *sum = lanes.add(*sum, lanes.load(row));
        }
    }
    let share = lanes.splat(1.0 / rows.len() as f32);
    for (mean, sum) in mean.as_chunks_mut().0.iter_mut().zip(sum) {
        lanes.store(lanes.mul(sum, share), mean);
    }
}

/// Layer normalisation: mean 0 and variance 1, then gain and shift.
#[inline(always)]
pub(super) fn layer_norm<L: Lanes>(
    lanes: L,
    mut row: WideRow<L>,
    gain: &WideRow<L>,
    shift: &WideRow<L>,
) -> WideRow<L> {
    let mean = lanes.splat(sum(lanes, row) / WIDTH as f32);
    let mut squares = row;
    for at in 0..WIDES {
        row[at] = lanes.sub(row[at], mean);
        squares[at] = lanes.mul(row[at], row[at]);
    }
    let variance = sum(lanes, squares) / WIDTH as f32;
    let inverse = lanes.splat(1.0 / (variance + EPSILON).sqrt());
    for at in 0..WIDES {
        row[at] = lanes.mul_add(lanes.mul(row[at], inverse), gain[at], shift[at]);
    }
    row
}

/// Returns the minimum and the maximum of a row.
#[inline(always)]
pub(super) fn min_max<L: Lanes>(lanes: L, row: &WideRow<L>) -> (f32, f32) {
    let (mut low, mut high) = (*row, *row);
    for half in [8, 4, 2, 1] {
        for at in 0..half {
            low[at] = lanes.min(low[at], low[at + half]);
            high[at] = lanes.max(high[at], high[at + half]);
        }
    }
    (-lanes.highest(lanes.sub(lanes.splat(0.0), low[0])), lanes.highest(high[0]))
}

/// Adds in pairs, so that no addition waits for all before it.
#[inline(always)]
fn sum<L: Lanes>(lanes: L, mut row: WideRow<L>) -> f32 {
    for half in [8, 4, 2, 1] {
        for at in 0..half {
            row[at] = lanes.add(row[at], row[at + half]);
        }
    }
    lanes.sum(row[0])
}

/// Size of a number above which the normal distribution counts as 0 or 1.
const GELU_EDGE: f32 = 5.0;
/// Polynomial for (Φ(x) − ½) / x, in 2·(x/5)² − 1, highest power first: interpolated at the
/// Chebyshev nodes.
const GELU_SERIES: [f32; 13] = [
    7.05953e-04,
    -1.674031e-03,
    1.4626316e-03,
    -2.5343224e-03,
    6.667809e-03,
    -1.1299743e-02,
    1.628707e-02,
    -2.3216344e-02,
    3.146487e-02,
    -4.045071e-02,
    5.1518943e-02,
    -7.029594e-02,
    1.413638e-01,
];

/// Exact GELU of each number, x · Φ(x) with the distribution Φ of the normal distribution, to
/// within 2e-6: without a division and without exp, which cost more than the polynomial.
#[inline(always)]
pub(super) fn gelu<L: Lanes>(lanes: L, x: L::Wide) -> L::Wide {
    let above = lanes.max(x, lanes.splat(-GELU_EDGE));
    let inside = lanes.min(above, lanes.splat(GELU_EDGE));
    let square = lanes.mul(inside, inside);
    let at = lanes.mul_add(square, lanes.splat(2.0 / (GELU_EDGE * GELU_EDGE)), lanes.splat(-1.0));
    let mut series = lanes.splat(GELU_SERIES[0]);
    for coefficient in &GELU_SERIES[1..] {
        series = lanes.mul_add(series, at, lanes.splat(*coefficient));
    }
    lanes.mul(above, lanes.mul_add(inside, series, lanes.splat(0.5)))
}

/// e to the power of each number, which must be at or below 0; clamped just above the smallest
/// normal float.
#[inline(always)]
pub(super) fn exp<L: Lanes>(lanes: L, x: L::Wide) -> L::Wide {
    // 1.5 · 2²³: adding it rounds to an integer in the low mantissa bits, negative ones included.
    const ROUND_MAGIC: f32 = 12_582_912.0;
    // ln 2 in two parts (Cody-Waite), so that the reduction loses no precision.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = lanes.max(x, lanes.splat(-87.0));
    let rounded = lanes.mul_add(x, lanes.splat(std::f32::consts::LOG2_E), lanes.splat(ROUND_MAGIC));
    let whole = lanes.sub(rounded, lanes.splat(ROUND_MAGIC));
    let rest = lanes.mul_add(whole, lanes.splat(-LN_2_HIGH), x);
    let rest = lanes.mul_add(whole, lanes.splat(-LN_2_LOW), rest);
    let mut series = lanes.splat(1.0 / 720.0);
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = lanes.mul_add(series, rest, lanes.splat(coefficient));
    }
    lanes.scale_by_power(series, rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::kernel::{LaneArray, PortableLanes};

    #[test]
    fn gelu_is_the_exact_one() {
        let known = [
            (0.0, 0.0),
            (1.0, 0.841_344_8),
            (-1.0, -0.158_655_25),
            (0.1, 0.053_982_78),
            (2.0, 1.954_499_7),
            (-3.0, -0.004_049_695),
            (-4.97, -1.663_9e-6),
            (9.0, 9.0),
            (-30.0, 0.0),
        ];
        for (x, expected) in known {
            let got = gelu(PortableLanes, [x; LANES])[0];
            assert!((got - expected).abs() < 2e-6, "gelu({x}) = {got}");
        }
    }

    #[test]
    fn exp_is_right_from_zero_down_to_the_smallest_float() {
        for step in 0..8700 {
            let x = -(step as f32) / 100.0;
            let (got, expected) = (exp(PortableLanes, [x; LANES])[0], x.exp());
            assert!((got / expected - 1.0).abs() < 1e-6, "exp({x}) = {got}, not {expected}");
        }
        assert!(exp(PortableLanes, [-1e9; LANES])[0] < 1e-37);
    }

    fn normalised(row: [f32; WIDTH], gain: f32, shift: f32) -> [f32; WIDTH] {
        let wide = |row| load_row(PortableLanes, &row);
        let (gain, shift) = (wide([gain; WIDTH]), wide([shift; WIDTH]));
        let row: [LaneArray; WIDES] = layer_norm(PortableLanes, wide(row), &gain, &shift);
        std::array::from_fn(|at| row[at / LANES][at % LANES])
    }

    #[test]
    fn a_normalised_row_has_mean_zero_and_variance_one() {
        let out = normalised(std::array::from_fn(|at| (at * at % 37) as f32), 1.0, 0.0);
        let mean = out.iter().sum::<f32>() / WIDTH as f32;
        let variance = out.iter().map(|value| value * value).sum::<f32>() / WIDTH as f32;
        assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-3, "{mean} {variance}");
    }

    #[test]
    fn a_constant_row_normalises_to_its_shift() {
        assert_eq!(normalised([4.0; WIDTH], 2.0, 0.5), [0.5; WIDTH]);
    }

    #[test]
    fn extremes_are_found_at_every_index() {
        for at in [0, 1, 15, 16, 100, WIDTH - 1] {
            let mut row = [0.5; WIDTH];
            row[at] = -3.0;
            assert_eq!(min_max(PortableLanes, &load_row(PortableLanes, &row)), (-3.0, 0.5));
            row[at] = 3.0;
            assert_eq!(min_max(PortableLanes, &load_row(PortableLanes, &row)), (0.5, 3.0));
        }
    }
}
