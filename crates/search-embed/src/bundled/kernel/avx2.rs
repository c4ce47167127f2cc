//! Kernel for processors with AVX2 and FMA but without an integer dot product (since about 2013).
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use super::float::{self, FloatPanel};
use super::lanes::avx2::Avx2Lanes;
use super::{Isa, PanelScratch, TileSums};
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::WIDTH;
use crate::bundled::weights::Panel;

pub(super) fn is_supported() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn run(pass: &mut ForwardPass) {
    forward::run::<_, 6, 1>(Avx2(Avx2Lanes::new()), pass);
}

#[derive(Clone, Copy)]
struct Avx2(Avx2Lanes);

impl Isa for Avx2 {
    // Twelve of the sixteen registers hold sums, two per row.
    const ROWS: usize = 6;
    type PreparedPanel = FloatPanel;
    type Lanes = Avx2Lanes;

    #[inline(always)]
    fn lanes(self) -> Avx2Lanes {
        self.0
    }

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
        // SAFETY: `self` proves that the processor supports the set.
        unsafe {
            match rows.len() {
                1 => multiply_rows::<1>(self.0, rows, weights, sums),
                2 => multiply_rows::<2>(self.0, rows, weights, sums),
                3 => multiply_rows::<3>(self.0, rows, weights, sums),
                4 => multiply_rows::<4>(self.0, rows, weights, sums),
                5 => multiply_rows::<5>(self.0, rows, weights, sums),
                _ => multiply_rows::<6>(self.0, rows, weights, sums),
            }
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn multiply_rows<const ROWS: usize>(
    lanes: Avx2Lanes,
    rows: &[[u8; WIDTH]],
    weights: &FloatPanel,
    sums: &mut TileSums,
) {
    float::multiply_rows::<_, ROWS>(lanes, rows, weights, sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_where_the_processor_has_the_instructions() {
        if is_supported() {
            // SAFETY: detected.
            let isa = Avx2(unsafe { Avx2Lanes::new() });
            super::super::tests::check_exact_sums(isa);
        }
    }
}
