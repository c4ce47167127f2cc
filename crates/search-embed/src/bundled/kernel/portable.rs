//! Kernel in plain Rust: correct on every processor, and as fast as the compiler makes it.

use super::float::{self, Weights};
use super::{Isa, Room, Sums};
use crate::bundled::forward::{self, Pass};
use crate::bundled::lanes::Lanes;
use crate::bundled::layout::WIDTH;
use crate::bundled::weights::Panel;

pub(super) fn run(pass: &mut Pass) {
    forward::run::<_, 2>(Portable, pass);
}

/// Instruction set of every processor.
#[derive(Clone, Copy)]
pub(in crate::bundled) struct Portable;

impl Isa for Portable {
    // The sums of a row take four 128-bit registers; half of all registers are used for sums.
    const ROWS: usize = if cfg!(target_arch = "aarch64") { 4 } else { 2 };
    type Weights = Weights;
    type Wide = Lanes;

    #[inline(always)]
    fn weights<'a>(self, panel: &'static Panel, scratch: &'a mut Room) -> &'a Weights {
        float::widen(panel, scratch)
    }

    #[inline(always)]
    fn tile(self, rows: &[[u8; WIDTH]], weights: &Weights, sums: &mut Sums) {
        match rows.len() {
            1 => exactly::<1>(rows, weights, sums),
            2 => exactly::<2>(rows, weights, sums),
            3 => exactly::<3>(rows, weights, sums),
            _ => exactly::<4>(rows, weights, sums),
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
    fn load(self, lanes: &Lanes) -> Lanes {
        *lanes
    }

    #[inline(always)]
    fn store(self, wide: Lanes, lanes: &mut Lanes) {
        *lanes = wide;
    }

    #[inline(always)]
    fn add(self, a: Lanes, b: Lanes) -> Lanes {
        std::array::from_fn(|lane| a[lane] + b[lane])
    }

    #[inline(always)]
    fn lower(self, a: Lanes, b: Lanes) -> Lanes {
        std::array::from_fn(|lane| if a[lane] < b[lane] { a[lane] } else { b[lane] })
    }

    #[inline(always)]
    fn higher(self, a: Lanes, b: Lanes) -> Lanes {
        std::array::from_fn(|lane| if a[lane] > b[lane] { a[lane] } else { b[lane] })
    }

    #[inline(always)]
    fn add_product(self, sum: Lanes, wide: Lanes, factor: f32) -> Lanes {
        std::array::from_fn(|lane| self.mul_add(wide[lane], factor, sum[lane]))
    }
}

#[inline(never)]
fn exactly<const ROWS: usize>(rows: &[[u8; WIDTH]], weights: &Weights, sums: &mut Sums) {
    float::tile::<_, ROWS>(Portable, rows, weights, sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        super::super::tests::check_sums(Portable);
    }
}
