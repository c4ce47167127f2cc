//! Kernel in plain Rust: correct on every processor, and as fast as the compiler makes it.

use super::float::{self, FloatPanel, FloatRow};
use super::lanes::portable::PortableLanes;
use super::{Isa, TileSums};
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::{COLUMNS, WIDTH};
use crate::bundled::weights::Panel;

pub(super) fn run(pass: &mut ForwardPass) {
    forward::run::<_, 2, 1>(PortableIsa, pass);
}

/// Instruction set of every processor.
#[derive(Clone, Copy)]
struct PortableIsa;

impl Isa for PortableIsa {
    // The sums of a row take four 128-bit registers; half of all registers are used for sums.
    const ROWS: usize = if cfg!(target_arch = "aarch64") { 4 } else { 2 };
    const SCRATCH: FloatPanel = [[0.0; COLUMNS]; WIDTH];
    type Scratch = FloatPanel;
    type PreparedPanel = FloatPanel;
    type PreparedRow = FloatRow;
    type Lanes = PortableLanes;

    #[inline(always)]
    fn lanes(self) -> PortableLanes {
        PortableLanes
    }

    #[inline(always)]
    fn prepare_panel<'a>(
        self,
        panel: &'static Panel,
        scratch: &'a mut FloatPanel,
    ) -> &'a FloatPanel {
        float::panel_to_floats(panel, scratch)
    }

    #[inline(always)]
    fn prepare_rows<'a>(
        self,
        rows: &'a [[u8; WIDTH]],
        scratch: &'a mut Vec<FloatRow>,
    ) -> &'a [FloatRow] {
        float::rows_to_floats(rows, scratch)
    }

    #[inline(always)]
    fn multiply_tile(self, rows: &[FloatRow], weights: &FloatPanel, sums: &mut TileSums) {
        match rows.len() {
            1 => multiply_rows::<1>(rows, weights, sums),
            2 => multiply_rows::<2>(rows, weights, sums),
            3 => multiply_rows::<3>(rows, weights, sums),
            _ => multiply_rows::<4>(rows, weights, sums),
        }
    }
}

#[inline(never)]
fn multiply_rows<const ROWS: usize>(rows: &[FloatRow], weights: &FloatPanel, sums: &mut TileSums) {
    float::multiply_rows::<_, ROWS>(PortableLanes, rows, weights, sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        super::super::tests::check_exact_sums(PortableIsa);
    }
}
