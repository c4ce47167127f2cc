//! Lanes in plain Rust, for every processor. Loops without closures, since those are not certain to
//! be inlined.

use super::{LANES, LaneArray, Lanes};

/// Lanes of every processor.
#[derive(Clone, Copy)]
pub(in crate::bundled) struct PortableLanes;

/// Defines operations on the lanes of two vectors.
macro_rules! lanewise {
    ($($name:ident($a:ident, $b:ident) = $result:expr;)+) => {$(
        #[inline(always)]
        fn $name(self, a: LaneArray, b: LaneArray) -> LaneArray {
            let mut out = a;
            for at in 0..LANES {
                let ($a, $b) = (a[at], b[at]);
                out[at] = $result;
            }
            out
        }
    )+};
}

impl Lanes for PortableLanes {
    type Wide = LaneArray;

    lanewise! {
        add(a, b) = a + b;
        sub(a, b) = a - b;
        mul(a, b) = a * b;
        min(a, b) = if a < b { a } else { b };
        max(a, b) = if a > b { a } else { b };
        scale_by_power(a, b) = f32::from_bits(a.to_bits().wrapping_add(b.to_bits() << 23));
    }

    #[inline(always)]
    fn splat(self, value: f32) -> LaneArray {
        [value; LANES]
    }

    #[inline(always)]
    fn load(self, lanes: &LaneArray) -> LaneArray {
        *lanes
    }

    #[inline(always)]
    fn load_integers(self, lanes: &[i32; LANES]) -> LaneArray {
        let mut out = [0.0; LANES];
        for at in 0..LANES {
            out[at] = lanes[at] as f32;
        }
        out
    }

    #[inline(always)]
    fn store(self, wide: LaneArray, lanes: &mut LaneArray) {
        *lanes = wide;
    }

    #[inline(always)]
    fn store_low_bytes(self, wide: LaneArray, bytes: &mut [u8; LANES]) {
        for at in 0..LANES {
            bytes[at] = wide[at].to_bits() as u8;
        }
    }

    #[inline(always)]
    fn mul_add(self, a: LaneArray, b: LaneArray, c: LaneArray) -> LaneArray {
        let mut out = c;
        for at in 0..LANES {
            // Fusing is one instruction where the target always has it, and a slow call elsewhere.
            out[at] = if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
                a[at].mul_add(b[at], c[at])
            } else {
                a[at] * b[at] + c[at]
            };
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_conversions, check_operations};
    use super::*;

    #[test]
    fn operations_are_those_on_single_floats() {
        check_operations(PortableLanes);
        check_conversions(PortableLanes);
    }
}
