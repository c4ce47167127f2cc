//! Kernels for the instruction sets of different processors, and the choice among them at run time.
//! An instruction set only supplies the integer product of a few rows with a panel of weights; the
//! rest is plain code that is compiled once per set. Integer sums are exact, so all kernels give
//! the same vectors up to float rounding.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512bw;
#[cfg(target_arch = "x86_64")]
mod avxvnni;
mod float;
mod lanes;
mod portable;
#[cfg(target_arch = "x86_64")]
mod words;

#[cfg(test)]
pub(super) use lanes::portable::PortableLanes;
pub(super) use lanes::{LANES, LaneArray, Lanes};

use std::fmt;

use super::forward::ForwardPass;
use super::layout::{COLUMNS, WIDTH, WINDOW};
use super::weights::Panel;

/// Maximum number of rows that any kernel multiplies with a panel at once.
pub(super) const MAX_ROWS: usize = 32;

/// Products of a few rows with each column of a panel: exact integers.
pub(super) type TileSums = [[i32; COLUMNS]; MAX_ROWS];

/// An instruction set, as far as the forward pass needs it.
///
/// A value of such a type is proof that the processor supports the set: only the pass compiled for
/// it creates one.
pub(super) trait Isa: Copy {
    /// Number of rows in a full tile, at most [`MAX_ROWS`]: limited by the registers for the sums.
    const ROWS: usize;
    /// Number of rows that are multiplied at the cost of one; tiles are multiples of it.
    const ROW_GROUP: usize = 1;
    /// Number of rows that go through a layer together. Their intermediate results and the weights
    /// of one layer fit the L2 cache; the weights of all layers would not, which is why all rows of
    /// a pass go through a layer before the next.
    const PART_ROWS: usize = WINDOW / 2;
    /// Buffer for a panel in the form that the set needs; empty where that is the stored one.
    type Scratch;
    /// Buffer without a panel.
    const SCRATCH: Self::Scratch;
    /// Panel of weights in the form that [`multiply_tile`](Self::multiply_tile) reads.
    type PreparedPanel;
    /// Levels of a row in the form that [`multiply_tile`](Self::multiply_tile) reads.
    type PreparedRow;
    /// Registers for everything but the products.
    type Lanes: Lanes;

    /// Returns the proof of support for the lanes.
    fn lanes(self) -> Self::Lanes;

    /// Prepares a panel for any number of tiles, in `scratch` if its form has to change.
    fn prepare_panel<'a>(
        self,
        panel: &'static Panel,
        scratch: &'a mut Self::Scratch,
    ) -> &'a Self::PreparedPanel;

    /// Prepares rows for any number of panels, in `scratch` if their form has to change.
    fn prepare_rows<'a>(
        self,
        rows: &'a [[u8; WIDTH]],
        scratch: &'a mut Vec<Self::PreparedRow>,
    ) -> &'a [Self::PreparedRow];

    /// Multiplies up to `ROWS` rows, whole groups, with a panel.
    fn multiply_tile(
        self,
        rows: &[Self::PreparedRow],
        weights: &Self::PreparedPanel,
        sums: &mut TileSums,
    );
}

/// A forward pass compiled for an instruction set of this processor.
///
/// No value exists for an unsupported set, which is what makes running it sound.
#[derive(Clone, Copy)]
pub struct Kernel {
    name: &'static str,
    run: unsafe fn(&mut ForwardPass),
}

impl Kernel {
    /// Returns the fastest kernel on this processor.
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// Returns the kernel that runs on every processor.
    pub fn portable() -> Self {
        Self { name: "portable", run: portable::run }
    }

    /// Returns all kernels that this processor supports, fastest first.
    pub fn available() -> Vec<Self> {
        let mut kernels = Vec::new();
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        if amx::is_supported() {
            kernels.push(Self { name: "amx-int8", run: amx::run });
        }
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::is_supported() {
                kernels.push(Self { name: "avx512-vnni", run: avx512::run });
            }
            if avxvnni::is_supported() {
                kernels.push(Self { name: "avx-vnni", run: avxvnni::run });
            }
            if avx512bw::is_supported() {
                kernels.push(Self { name: "avx512", run: avx512bw::run });
            }
            if avx2::is_supported() {
                kernels.push(Self { name: "avx2", run: avx2::run });
            }
        }
        kernels.push(Self::portable());
        kernels
    }

    /// Returns the name of the instruction set.
    pub fn name(self) -> &'static str {
        self.name
    }

    #[expect(
        unsafe_code,
        reason = "the passes are compiled for instruction sets that not all processors have"
    )]
    pub(super) fn run(self, pass: &mut ForwardPass) {
        // SAFETY: a `Kernel` is only created by the functions above, which detect its instruction
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
    //! Kernels compared with plain integer arithmetic.

    use super::*;
    use crate::bundled::layout::{PANEL, QUAD};

    static SMALL: Panel = panel(false);
    static EXTREME: Panel = panel(true);

    /// Returns a panel of varied weights, or one with the largest possible sums.
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

    /// Compares a kernel's sums with integer arithmetic for every number of rows.
    pub(super) fn check_exact_sums<I: Isa>(isa: I) {
        let rows: Vec<[u8; WIDTH]> = (0..I::ROWS)
            .map(|row| std::array::from_fn(|at| ((row + 3) * at * 31 % 256) as u8))
            .collect();
        let extreme = [[255; WIDTH]; MAX_ROWS];
        let counts = (I::ROW_GROUP..=I::ROWS).step_by(I::ROW_GROUP);
        for rows in counts.map(|count| &rows[..count]).chain([&extreme[..I::ROW_GROUP]]) {
            for panel in [&SMALL, &EXTREME] {
                let (mut scratch, mut sums) = (I::SCRATCH, [[0; COLUMNS]; MAX_ROWS]);
                isa.multiply_tile(
                    isa.prepare_rows(rows, &mut Vec::new()),
                    isa.prepare_panel(panel, &mut scratch),
                    &mut sums,
                );
                for (row, sums) in rows.iter().zip(sums) {
                    assert_eq!(sums, std::array::from_fn(|column| expected(row, panel, column)));
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
    fn the_portable_kernel_is_always_available_and_comes_last() {
        assert_eq!(Kernel::available().last().map(|kernel| kernel.name()), Some("portable"));
    }
}
