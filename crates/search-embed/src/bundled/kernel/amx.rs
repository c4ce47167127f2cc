//! Kernel for processors with a matrix unit (AMX): Intel's servers since 2023, on Linux, which
//! permits a process to use it on request. Everything but the product is the AVX-512 code. The unit
//! has no stable intrinsics, so the product is one block of assembly.
#![expect(unsafe_code, reason = "the matrix unit is only reachable from assembly")]

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::LazyLock;

use super::lanes::avx512::Avx512Lanes;
use super::{Isa, TileSums, avx512};
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::WIDTH;
use crate::bundled::weights::Panel;

/// Rows of a tile; each has 64 bytes.
const TILE_ROWS: usize = 16;

/// Returns true if the processor has the unit and the system lets this process use it.
pub(super) fn is_supported() -> bool {
    static SUPPORTED: LazyLock<bool> =
        LazyLock::new(|| avx512::is_supported() && has_unit() && request_permission());
    *SUPPORTED
}

/// Returns true if the processor has tiles and their integer products.
#[expect(unused_unsafe, reason = "asking the processor is unsafe before Rust 1.94")]
fn has_unit() -> bool {
    const TILE_AND_INT8: u32 = 0b11 << 24;
    // SAFETY: every processor with AVX-512, which the caller looked for, answers this question.
    unsafe { __cpuid_count(7, 0) }.edx & TILE_AND_INT8 == TILE_AND_INT8
}

/// Asks Linux to let all threads of the process use tiles. It saves them with the other registers
/// of a thread from its first use on, and refuses where it cannot.
fn request_permission() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const ARCH_REQ_XCOMP_PERM: u64 = 0x1023;
    const TILE_DATA: u64 = 18;
    let result: i64;
    // SAFETY: this system call reads and writes no memory of the process; a kernel that does not
    // know the request returns an error.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") TILE_DATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack, nomem),
        );
    }
    result == 0
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
pub(super) fn run(pass: &mut ForwardPass) {
    // SAFETY: the kernel is only offered where `is_supported` returned true.
    let _configured = unsafe { ConfiguredTiles::new() };
    forward::run::<_, 6, 2>(Amx(Avx512Lanes::new()), pass);
}

/// Shapes of the tiles of this thread: all of full size. Without a configuration the tiles of a
/// thread need not be saved, so it is released with the value.
struct ConfiguredTiles;

impl ConfiguredTiles {
    /// # Safety
    ///
    /// [`is_supported`] must have returned true.
    unsafe fn new() -> Self {
        let mut shapes = [0u8; 64];
        shapes[0] = 1;
        for tile in 0..8 {
            shapes[16 + 2 * tile] = 64;
            shapes[48 + tile] = TILE_ROWS as u8;
        }
        // SAFETY: the caller vouches for the unit; the operand has the 64 bytes that are read.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &shapes, options(nostack, readonly)) }
        Self
    }
}

impl Drop for ConfiguredTiles {
    fn drop(&mut self) {
        // SAFETY: a value is only created where the unit may be used.
        unsafe { asm!("tilerelease", options(nostack, nomem)) }
    }
}

/// Proof of configured tiles and of AVX-512.
#[derive(Clone, Copy)]
struct Amx(Avx512Lanes);

impl Isa for Amx {
    // Four of the eight tiles hold sums: two of rows by two of columns.
    const ROWS: usize = 2 * TILE_ROWS;
    const ROW_GROUP: usize = TILE_ROWS;
    const SCRATCH: () = ();
    type Scratch = ();
    type PreparedPanel = Panel;
    type PreparedRow = [u8; WIDTH];
    type Lanes = Avx512Lanes;

    #[inline(always)]
    fn lanes(self) -> Avx512Lanes {
        self.0
    }

    #[inline(always)]
    fn prepare_panel<'a>(self, panel: &'static Panel, (): &'a mut ()) -> &'a Panel {
        panel
    }

    #[inline(always)]
    fn prepare_rows<'a>(
        self,
        rows: &'a [[u8; WIDTH]],
        _: &'a mut Vec<[u8; WIDTH]>,
    ) -> &'a [[u8; WIDTH]] {
        rows
    }

    #[inline(always)]
    fn multiply_tile(self, rows: &[[u8; WIDTH]], weights: &Panel, sums: &mut TileSums) {
        let (groups, _) = rows.as_chunks::<TILE_ROWS>();
        // SAFETY: `self` proves that the tiles are configured. The first block reads one group of
        // rows and the second block two, which are there; both read the panel, and write as many
        // rows of sums as they read.
        unsafe {
            match groups {
                [] => {}
                [group] => multiply_group(group, weights, sums),
                [first, second, ..] => multiply_groups([first, second], weights, sums),
            }
        }
    }
}

/// Assembly for a quarter of the depth: loads sixteen quads of both halves of the panel and one or
/// two groups of rows, and adds their products to the sums in tiles 0 to 3.
macro_rules! quarter {
    ($at:literal, one) => {
        concat!(
            "tileloadd tmm6, [{weights} + {line} + 2048 * ",
            $at,
            "]\n",
            "tileloadd tmm7, [{weights} + {line} + 2048 * ",
            $at,
            " + 64]\n",
            "tileloadd tmm4, [{first} + {row} + 64 * ",
            $at,
            "]\n",
            "tdpbusd tmm0, tmm4, tmm6\n",
            "tdpbusd tmm1, tmm4, tmm7",
        )
    };
    ($at:literal, two) => {
        concat!(
            quarter!($at, one),
            "\n",
            "tileloadd tmm5, [{second} + {row} + 64 * ",
            $at,
            "]\n",
            "tdpbusd tmm2, tmm5, tmm6\n",
            "tdpbusd tmm3, tmm5, tmm7",
        )
    };
}

/// # Safety
///
/// The tiles must be configured.
#[inline(always)]
unsafe fn multiply_group(group: &[[u8; WIDTH]; TILE_ROWS], weights: &Panel, sums: &mut TileSums) {
    // SAFETY: the caller vouches for the tiles; each operand has the size that is read or written.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            quarter!(0, one),
            quarter!(1, one),
            quarter!(2, one),
            quarter!(3, one),
            "tilestored [{sums} + {line}], tmm0",
            "tilestored [{sums} + {line} + 64], tmm1",
            weights = in(reg) weights,
            first = in(reg) group,
            sums = in(reg) sums,
            row = in(reg) WIDTH,
            line = in(reg) 128usize,
            out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// # Safety
///
/// The tiles must be configured.
#[inline(always)]
unsafe fn multiply_groups(
    [first, second]: [&[[u8; WIDTH]; TILE_ROWS]; 2],
    weights: &Panel,
    sums: &mut TileSums,
) {
    // SAFETY: the caller vouches for the tiles; each operand has the size that is read or written.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            quarter!(0, two),
            quarter!(1, two),
            quarter!(2, two),
            quarter!(3, two),
            "tilestored [{sums} + {line}], tmm0",
            "tilestored [{sums} + {line} + 64], tmm1",
            "tilestored [{sums} + {line} + 2048], tmm2",
            "tilestored [{sums} + {line} + 2048 + 64], tmm3",
            weights = in(reg) weights,
            first = in(reg) first,
            second = in(reg) second,
            sums = in(reg) sums,
            row = in(reg) WIDTH,
            line = in(reg) 128usize,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_where_the_system_permits_tiles() {
        if is_supported() {
            // SAFETY: detected.
            let (_configured, lanes) = unsafe { (ConfiguredTiles::new(), Avx512Lanes::new()) };
            super::super::tests::check_exact_sums(Amx(lanes));
        }
    }
}
