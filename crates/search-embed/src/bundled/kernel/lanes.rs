//! Sixteen floats at a time, in the registers of an instruction set: everything that the forward
//! pass computes outside of the integer products. Written in instructions and not left to the
//! compiler's vectoriser, so that the speed does not depend on how a build divides the crate.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod portable;

/// Number of floats processed together.
pub(in crate::bundled) const LANES: usize = 16;
/// [`LANES`] floats in memory.
pub(in crate::bundled) type LaneArray = [f32; LANES];

/// Operations on [`LANES`] floats.
///
/// A value of such a type is proof that the processor supports the instructions: only a pass
/// compiled for them creates one.
pub(in crate::bundled) trait Lanes: Copy {
    /// [`LANES`] floats in registers.
    type Wide: Copy;

    /// Returns the same number in all lanes.
    fn splat(self, value: f32) -> Self::Wide;

    /// Loads floats into registers.
    fn load(self, lanes: &LaneArray) -> Self::Wide;

    /// Loads integers and converts them to floats.
    fn load_integers(self, lanes: &[i32; LANES]) -> Self::Wide;

    /// Stores floats from registers.
    fn store(self, wide: Self::Wide, lanes: &mut LaneArray);

    /// Stores the lowest eight bits of each float.
    fn store_low_bytes(self, wide: Self::Wide, bytes: &mut [u8; LANES]);

    fn add(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    fn sub(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    fn mul(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    fn min(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    fn max(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// Returns `a * b + c`, fused where the set supports it.
    fn mul_add(self, a: Self::Wide, b: Self::Wide, c: Self::Wide) -> Self::Wide;

    /// Adds the lowest nine bits of `power` to sign and exponent: a multiplication by two to that
    /// power.
    fn scale_by_power(self, wide: Self::Wide, power: Self::Wide) -> Self::Wide;

    /// Writes the columns of sixteen rows.
    #[inline(always)]
    fn transpose(self, rows: [&LaneArray; LANES], columns: &mut [LaneArray; LANES]) {
        for (lane, row) in rows.iter().enumerate() {
            for at in 0..LANES {
                columns[at][lane] = row[at];
            }
        }
    }

    /// Returns the sum of all lanes.
    #[inline(always)]
    fn sum(self, wide: Self::Wide) -> f32 {
        let mut lanes = [0.0; LANES];
        self.store(wide, &mut lanes);
        for half in [8, 4, 2, 1] {
            for at in 0..half {
                lanes[at] += lanes[at + half];
            }
        }
        lanes[0]
    }

    /// Returns the highest lane.
    #[inline(always)]
    fn highest(self, wide: Self::Wide) -> f32 {
        let mut lanes = [0.0; LANES];
        self.store(wide, &mut lanes);
        for half in [8, 4, 2, 1] {
            for at in 0..half {
                let (a, b) = (lanes[at], lanes[at + half]);
                lanes[at] = if a > b { a } else { b };
            }
        }
        lanes[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares each operation with the same on single floats.
    pub(super) fn check_operations<L: Lanes>(lanes: L) {
        let (a, b, c): (LaneArray, LaneArray, LaneArray) = (
            std::array::from_fn(|at| at as f32 * 0.75 - 5.0),
            std::array::from_fn(|at| 3.5 - (at * 5 % 16) as f32),
            std::array::from_fn(|at| (at * 7 % 16) as f32 * 0.25),
        );
        let [wide_a, wide_b, wide_c] = [a, b, c].map(|array| lanes.load(&array));
        let of = |wide| {
            let mut out = [0.0; LANES];
            lanes.store(wide, &mut out);
            out
        };
        let each = |operation: fn(f32, f32, f32) -> f32| -> LaneArray {
            std::array::from_fn(|at| operation(a[at], b[at], c[at]))
        };
        assert_eq!(of(lanes.splat(2.5)), [2.5; LANES]);
        assert_eq!(of(lanes.add(wide_a, wide_b)), each(|a, b, _| a + b));
        assert_eq!(of(lanes.sub(wide_a, wide_b)), each(|a, b, _| a - b));
        assert_eq!(of(lanes.mul(wide_a, wide_b)), each(|a, b, _| a * b));
        assert_eq!(of(lanes.min(wide_a, wide_b)), each(|a, b, _| a.min(b)));
        assert_eq!(of(lanes.max(wide_a, wide_b)), each(|a, b, _| a.max(b)));
        // Exact in quarters, so fused and not fused are the same.
        assert_eq!(of(lanes.mul_add(wide_a, wide_b, wide_c)), each(|a, b, c| a * b + c));
        assert_eq!(lanes.sum(wide_a), a.iter().sum::<f32>());
        assert_eq!(lanes.highest(wide_b), 3.5);
        assert_eq!(lanes.highest(lanes.sub(lanes.splat(0.0), wide_b)), 11.5);
    }

    /// Compares conversions, bit operations and moves with the same on single numbers.
    pub(super) fn check_conversions<L: Lanes>(lanes: L) {
        let integers: [i32; LANES] = std::array::from_fn(|at| (at as i32 - 8) * 900_001);
        let mut out = [0.0; LANES];
        lanes.store(lanes.load_integers(&integers), &mut out);
        assert_eq!(out, integers.map(|integer| integer as f32));

        let bits: LaneArray =
            std::array::from_fn(|at| f32::from_bits(0x4b00_0011 + at as u32 * 15));
        let mut bytes = [0; LANES];
        lanes.store_low_bytes(lanes.load(&bits), &mut bytes);
        assert_eq!(bytes, bits.map(|bits| bits.to_bits() as u8));

        let rows: [LaneArray; LANES] =
            std::array::from_fn(|row| std::array::from_fn(|at| (row * LANES + at) as f32));
        let mut columns = [[0.0; LANES]; LANES];
        lanes.transpose(rows.each_ref(), &mut columns);
        assert_eq!(columns, std::array::from_fn(|at| rows.map(|row| row[at])));

        let powers: LaneArray = std::array::from_fn(|at| 12_582_912.0 + at as f32 - 8.0);
        lanes.store(lanes.scale_by_power(lanes.splat(1.5), lanes.load(&powers)), &mut out);
        assert_eq!(out, std::array::from_fn(|at| 1.5 * 2f32.powi(at as i32 - 8)));
    }
}
