//! Element-wise stages of the model (layer norm, GELU, exp), written over short arrays that the
//! compiler vectorises for the current instruction set. No branches and no tables, because those do
//! not vectorise.

use super::kernel::Isa;
use super::layout::WIDTH;

/// Number of floats processed together.
pub(super) const LANES: usize = 16;
/// [`LANES`] floats in memory.
pub(super) type LaneArray = [f32; LANES];

const EPSILON: f32 = 1e-5;

/// Layer normalisation: mean 0 and variance 1, then gain and shift.
#[inline(always)]
pub(super) fn layer_norm<I: Isa>(
    isa: I,
    row: &[f32; WIDTH],
    gain: &[f32; WIDTH],
    shift: &[f32; WIDTH],
) -> [f32; WIDTH] {
    let mean = sum(isa, row) / WIDTH as f32;
    let (mut out, mut squares) = ([0.0; WIDTH], [0.0; WIDTH]);
    for at in 0..WIDTH {
        out[at] = row[at] - mean;
        squares[at] = out[at] * out[at];
    }
    let inverse = 1.0 / (sum(isa, &squares) / WIDTH as f32 + EPSILON).sqrt();
    for at in 0..WIDTH {
        out[at] = isa.mul_add(out[at] * inverse, gain[at], shift[at]);
    }
    out
}

/// Returns the minimum and the maximum of a row.
#[inline(always)]
pub(super) fn min_max<I: Isa>(isa: I, row: &[f32; WIDTH]) -> (f32, f32) {
    let low = fold_row(isa, row, I::min);
    let high = fold_row(isa, row, I::max);
    (fold_lanes(low, f32::min), fold_lanes(high, f32::max))
}

#[inline(always)]
fn sum<I: Isa>(isa: I, row: &[f32; WIDTH]) -> f32 {
    fold_lanes(fold_row(isa, row, I::add), |a, b| a + b)
}

/// Reduces lanes to one number by halving.
#[inline(always)]
fn fold_lanes(mut lanes: LaneArray, fold: impl Fn(f32, f32) -> f32) -> f32 {
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = fold(lanes[lane], lanes[lane + half]);
        }
    }
    lanes[0]
}

/// Reduces a row to one number per lane.
#[inline(always)]
fn fold_row<I: Isa>(
    isa: I,
    row: &[f32; WIDTH],
    fold: impl Fn(I, I::F32x16, I::F32x16) -> I::F32x16,
) -> LaneArray {
    let chunks = row.as_chunks::<LANES>().0;
    let mut accumulator = isa.load(&chunks[0]);
    for chunk in &chunks[1..] {
        accumulator = fold(isa, accumulator, isa.load(chunk));
    }
    let mut lanes = [0.0; LANES];
    isa.store(accumulator, &mut lanes);
    lanes
}

/// Exact GELU of each number, `x / 2 · (1 + erf(x / √2))`.
#[inline(always)]
pub(super) fn gelu<I: Isa>(isa: I, row: &[f32; WIDTH]) -> [f32; WIDTH] {
    let mut out = [0.0; WIDTH];
    for at in 0..WIDTH {
        out[at] = gelu_of(isa, row[at]);
    }
    out
}

/// GELU with the complementary error function by Abramowitz and Stegun 7.1.26, accurate to 1.5e-7.
#[inline(always)]
fn gelu_of<I: Isa>(isa: I, x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / isa.mul_add(size, 0.327_591_1 * std::f32::consts::FRAC_1_SQRT_2, 1.0);
    let mut tail = 1.061_405_4;
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        tail = isa.mul_add(tail, t, coefficient);
    }
    let complement = tail * t * exp(isa, -0.5 * size * size);
    let positive = if x > 0.0 { x } else { 0.0 };
    positive - 0.5 * size * complement
}

/// e to the power of a number at or below 0; clamped just above the smallest normal float.
#[inline(always)]
pub(super) fn exp<I: Isa>(isa: I, x: f32) -> f32 {
    // 1.5 · 2²³: adding it rounds to an integer in the low mantissa bits, negative ones included.
    const ROUND_MAGIC: f32 = 12_582_912.0;
    // ln 2 in two parts (Cody-Waite), so that the reduction loses no precision.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x > -87.0 { x } else { -87.0 };
    let rounded = isa.mul_add(x, std::f32::consts::LOG2_E, ROUND_MAGIC);
    let whole = rounded - ROUND_MAGIC;
    let rest = isa.mul_add(whole, -LN_2_LOW, isa.mul_add(whole, -LN_2_HIGH, x));
    let mut series = 1.0 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = isa.mul_add(series, rest, coefficient);
    }
    // Multiplies by 2^whole by adding the integer to the exponent bits.
    f32::from_bits(series.to_bits().wrapping_add(rounded.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::kernel::PortableIsa;

    #[test]
    fn gelu_is_the_exact_one() {
        let known = [
            (0.0, 0.0),
            (1.0, 0.841_344_8),
            (-1.0, -0.158_655_25),
            (0.1, 0.053_982_78),
            (2.0, 1.954_499_7),
            (-3.0, -0.004_049_695),
            (9.0, 9.0),
            (-30.0, 0.0),
        ];
        for (x, expected) in known {
            assert!((gelu_of(PortableIsa, x) - expected).abs() < 1e-6, "gelu({x})");
        }
    }

    #[test]
    fn exp_is_right_from_zero_down_to_the_smallest_float() {
        for step in 0..8700 {
            let x = -(step as f32) / 100.0;
            let (got, expected) = (exp(PortableIsa, x), x.exp());
            assert!((got / expected - 1.0).abs() < 1e-6, "exp({x}) = {got}, not {expected}");
        }
        assert!(exp(PortableIsa, -1e9) < 1e-37);
    }

    #[test]
    fn a_normalised_row_has_mean_zero_and_variance_one() {
        let row = std::array::from_fn(|at| (at * at % 37) as f32);
        let out = layer_norm(PortableIsa, &row, &[1.0; WIDTH], &[0.0; WIDTH]);
        let mean = out.iter().sum::<f32>() / WIDTH as f32;
        let variance = out.iter().map(|value| value * value).sum::<f32>() / WIDTH as f32;
        assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-3, "{mean} {variance}");
    }

    #[test]
    fn a_constant_row_normalises_to_its_shift() {
        assert_eq!(
            layer_norm(PortableIsa, &[4.0; WIDTH], &[2.0; WIDTH], &[0.5; WIDTH]),
            [0.5; WIDTH]
        );
    }

    #[test]
    fn extremes_are_found_at_every_index() {
        for at in [0, 1, 15, 16, 100, WIDTH - 1] {
            let mut row = [0.5; WIDTH];
            row[at] = -3.0;
            assert_eq!(min_max(PortableIsa, &row), (-3.0, 0.5));
            row[at] = 3.0;
            assert_eq!(min_max(PortableIsa, &row), (0.5, 3.0));
        }
    }
}
