//! Kernel in plain Rust: correct on every processor, and as fast as the compiler makes it.

use super::float::{self, FloatPanel};
use super::{Isa, PanelScratch, TileSums};
use crate::bundled::elementwise::LaneArray;
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::WIDTH;
use crate::bundled::weights::Panel;

pub(super) fn run(pass: &mut ForwardPass) {
    forward::run::<_, 2>(PortableIsa, pass);
}

/// Instruction set of every processor.
#[derive(Clone, Copy)]
pub(in crate::bundled) struct PortableIsa;

impl Isa for PortableIsa {
    // The sums of a row take four 128-bit registers; half of all registers are used for sums.
    const ROWS: usize = if cfg!(target_arch = "aarch64") { 4 } else { 2 };
    type PreparedPanel = FloatPanel;
    type F32x16 = LaneArray;

    #[inline(always)]
    fn prepare_panel<'a>(
        self,
        panel: &'static Panel,
        scratch: &'a mut PanelScratch,
    ) -> &'a FloatPanel {
        float::panel_to_floats(panel, scratch)
    }

    #[inline(always)]
    fn multiply_tile(self, rows: &[[u8; WIDTH]], weights: &FloatPanel, sums: &mut TileSums) {
        match rows.len() {
            1 => multiply_rows::<1>(rows, weights, sums),
            2 => multiply_rows::<2>(rows, weights, sums),
            3 => multiply_rows::<3>(rows, weights, sums),
            _ => multiply_rows::<4>(rows, weights, sums),
        }
    }

    #[inline(always)]
    fn mul_add(self, a: f32, b: f32, c: f32) -> f32 {
        // Fusing is one instruction where the target always has it, and a slow call elsewhere.
        if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
            a.mul_add(b, c)
        } else {
            a * b + c
        }
    }

    #[inline(always)]
    fn load(self, lanes: &LaneArray) -> LaneArray {
        *lanes
    }

    #[inline(always)]
    fn store(self, wide: LaneArray, lanes: &mut LaneArray) {
        *lanes = wide;
    }

    #[inline(always)]
    fn add(self, a: LaneArray, b: LaneArray) -> LaneArray {
        std::array::from_fn(|lane| a[lane] + b[lane])
    }

    #[inline(always)]
    fn min(self, a: LaneArray, b: LaneArray) -> LaneArray {
        std::array::from_fn(|lane| if a[lane] < b[lane] { a[lane] } else { b[lane] })
    }

    #[inline(always)]
    fn max(self, a: LaneArray, b: LaneArray) -> LaneArray {
        std::array::from_fn(|lane| if a[lane] > b[lane] { a[lane] } else { b[lane] })
    }

    #[inline(always)]
    fn mul_add_scalar(self, sum: LaneArray, wide: LaneArray, factor: f32) -> LaneArray {
        std::array::from_fn(|lane| self.mul_add(wide[lane], factor, sum[lane]))
    }
}

#[inline(never)]
fn multiply_rows<const ROWS: usize>(
    rows: &[[u8; WIDTH]],
    weights: &FloatPanel,
    sums: &mut TileSums,
) {
    float::multiply_rows::<_, ROWS>(PortableIsa, rows, weights, sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        super::super::tests::check_exact_sums(PortableIsa);
    }
}
