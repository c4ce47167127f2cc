//! The same arithmetic in the instruction sets that processors have, and the choice among them at
//! run time. A set only supplies the integer product of a few rows with a panel of weights; all
//! else is plain code that is compiled once for each set. Integer sums are exact, so every kernel
//! gives the same vectors up to the rounding of floats.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avxvnni;
mod float;
mod portable;

#[cfg(test)]
pub(super) use portable::Portable;

use std::fmt;

use super::forward::Pass;
use super::lanes::Lanes;
use super::layout::{COLUMNS, WIDTH};
use super::weights::Panel;

/// The most rows that any kernel multiplies with a panel at once.
pub(super) const MAX_ROWS: usize = 12;

/// The sums of a few rows with each column of a panel: whole numbers, exact.
pub(super) type Sums = [[f32; COLUMNS]; MAX_ROWS];

/// Where a kernel may put a panel in a form of its own.
pub(super) type Room = float::Weights;

/// An instruction set, as far as the forward pass needs to know it.
///
/// A value of such a type is the proof that the processor has the set: only the pass compiled for
/// it makes one.
pub(super) trait Isa: Copy {
    /// Rows in a full tile, at most [`MAX_ROWS`]: as many as the registers hold sums for.
    const ROWS: usize;
    /// A panel of weights as the tiles take it.
    type Weights;
    /// [`LANES`](super::lanes::LANES) numbers in registers.
    type Wide: Copy;

    /// Makes a panel ready for any number of tiles, in `room` if it has to change.
    fn weights<'a>(self, panel: &'static Panel, room: &'a mut Room) -> &'a Self::Weights;

    /// Multiplies 1 to `ROWS` rows with a panel.
    fn tile(self, rows: &[[u8; WIDTH]], weights: &Self::Weights, sums: &mut Sums);

    /// `a * b + c`, fused where the set can.
    fn mul_add(self, a: f32, b: f32, c: f32) -> f32;

    /// Takes numbers into registers.
    fn load(self, lanes: &Lanes) -> Self::Wide;

    /// Writes them back.
    fn store(self, wide: Self::Wide, lanes: &mut Lanes);

    /// The sum in every lane.
    fn add(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// The lower number of every lane.
    fn lower(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// The higher number of every lane.
    fn higher(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// `sum + wide * factor` in every lane.
    fn add_product(self, sum: Self::Wide, wide: Self::Wide, factor: f32) -> Self::Wide;
}

/// A forward pass that this processor can run.
///
/// There is no way to name one that it cannot, which is what makes running it sound.
#[derive(Clone, Copy)]
pub struct Kernel {
    name: &'static str,
    run: unsafe fn(&mut Pass),
}

impl Kernel {
    /// The fastest one here.
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// The one that runs everywhere.
    pub fn portable() -> Self {
        Self { name: "portable", run: portable::run }
    }

    /// All that this processor can run, the fastest first.
    pub fn available() -> Vec<Self> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::detected() {
                kernels.push(Self { name: "avx512-vnni", run: avx512::run });
            }
            if avxvnni::detected() {
                kernels.push(Self { name: "avx-vnni", run: avxvnni::run });
            }
            if avx2::detected() {
                kernels.push(Self { name: "avx2", run: avx2::run });
            }
        }
        kernels.push(Self::portable());
        kernels
    }

    /// The instruction set's name.
    pub fn name(self) -> &'static str {
        self.name
    }

    #[expect(
        unsafe_code,
        reason = "the passes are compiled for instruction sets that not all processors have"
    )]
    pub(super) fn run(self, pass: &mut Pass) {
        // SAFETY: a `Kernel` only comes from the functions above, which look for its instruction
        // set first.
        unsafe { (self.run)(pass) }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    //! Kernels against plain integer arithmetic.

    use super::*;
    use crate::bundled::layout::{PANEL, QUAD};

    static SMALL: Panel = panel(false);
    static EXTREME: Panel = panel(true);

    /// A panel of varied weights, or one whose sums are as large as they can be.
    const fn panel(extreme: bool) -> Panel {
        let mut panel = [0; PANEL];
        let mut at = 0;
        while at < PANEL {
            let varied = (at * 89 % 255) as i32 - 127;
            let largest = if (at / QUAD).is_multiple_of(2) { 127 } else { -127 };
            panel[at] = (if extreme { largest } else { varied }) as u8;
            at += 1;
        }
        panel
    }

    /// Holds a kernel's sums of every possible number of rows against integers.
    pub(super) fn check_sums<I: Isa>(isa: I) {
        let rows: Vec<[u8; WIDTH]> = (0..I::ROWS)
            .map(|row| std::array::from_fn(|at| ((row + 3) * at * 31 % 256) as u8))
            .collect();
        for rows in (1..=I::ROWS).map(|count| &rows[..count]).chain([&[[255; WIDTH]][..]]) {
            for panel in [&SMALL, &EXTREME] {
                let mut sums = [[0.0; COLUMNS]; MAX_ROWS];
                isa.tile(rows, isa.weights(panel, &mut [[0.0; COLUMNS]; WIDTH]), &mut sums);
                for (row, sums) in rows.iter().zip(sums) {
                    assert_eq!(
                        sums,
                        std::array::from_fn(|column| expected(row, panel, column) as f32)
                    );
                }
            }
        }
    }

    fn expected(row: &[u8; WIDTH], panel: &Panel, column: usize) -> i32 {
        let weight = |depth: usize| {
            panel[(depth / QUAD * COLUMNS + column) * QUAD + depth % QUAD].cast_signed()
        };
        (0..WIDTH).map(|depth| i32::from(row[depth]) * i32::from(weight(depth))).sum()
    }

    #[test]
    fn the_portable_kernel_is_always_there_and_comes_last() {
        assert_eq!(Kernel::available().last().map(|kernel| kernel.name()), Some("portable"));
    }
}
