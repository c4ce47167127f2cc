//! Peak throughput of one core: dependent chains of one step, enough of them to hide its
//! latency, all in registers. Nothing is loaded, so no real kernel can be faster.
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

/// Iterations of a loop per run.
const ROUNDS: usize = 20_000;

/// A loop at the limit of the processor.
pub struct PeakLoop {
    /// Repeated instruction.
    pub name: &'static str,
    /// Multiplications and additions per run.
    pub operations: f64,
    run: unsafe fn(),
}

impl PeakLoop {
    /// Runs the loop once.
    pub fn run(&self) {
        // SAFETY: `available` only lists loops whose instructions this processor has.
        unsafe { (self.run)() }
    }
}

/// Returns the loop that bounds a kernel from above.
pub fn for_kernel(kernel: &str) -> Option<PeakLoop> {
    let name = match kernel {
        "avx512-vnni" => "vpdpbusd 512",
        "avx-vnni" => "vpdpbusd 256",
        "avx512" => "vpmaddwd 512",
        "avx2" => "vpmaddwd 256",
        _ => return None,
    };
    available().into_iter().find(|peak| peak.name == name)
}

/// Returns all loops that this processor supports.
#[cfg(target_arch = "x86_64")]
pub fn available() -> Vec<PeakLoop> {
    let mut peaks = Vec::new();
    let mut add = |found: bool, name, lanes: usize, run| {
        if found {
            peaks.push(PeakLoop {
                name,
                operations: (ROUNDS * x86::CHAINS * lanes * 2) as f64,
                run,
            });
        }
    };
    add(is_x86_feature_detected!("fma"), "vfmadd 256", 8, x86::fma_256 as unsafe fn());
    add(is_x86_feature_detected!("avx512f"), "vfmadd 512", 16, x86::fma_512);
    add(is_x86_feature_detected!("avx2"), "vpmaddwd 256", 16, x86::words_256);
    add(is_x86_feature_detected!("avx512bw"), "vpmaddwd 512", 32, x86::words_512);
    add(is_x86_feature_detected!("avxvnni"), "vpdpbusd 256", 32, x86::dot_256);
    add(is_x86_feature_detected!("avx512vnni"), "vpdpbusd 512", 64, x86::dot_512);
    peaks
}

/// Returns no loops: there are none for other processors.
#[cfg(not(target_arch = "x86_64"))]
pub fn available() -> Vec<PeakLoop> {
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! Loops for x86-64.

    use std::arch::x86_64::*;
    use std::hint::black_box;

    use super::ROUNDS;

    /// Number of independent chains.
    pub const CHAINS: usize = 12;

    macro_rules! peak_loop {
        ($name:ident, $features:literal, $zero:ident, $step:ident) => {
            #[target_feature(enable = $features)]
            pub fn $name() {
                let factor = black_box($zero());
                let mut chains = [$zero(); CHAINS];
                for _ in 0..ROUNDS {
                    for chain in &mut chains {
                        *chain = peak_loop!(@ $step, *chain, factor);
                    }
                }
                black_box(chains);
            }
        };
        (@ _mm256_fmadd_ps, $chain:expr, $factor:expr) => {
            _mm256_fmadd_ps($factor, $factor, $chain)
        };
        (@ _mm512_fmadd_ps, $chain:expr, $factor:expr) => {
            _mm512_fmadd_ps($factor, $factor, $chain)
        };
        (@ _mm256_madd_epi16, $chain:expr, $factor:expr) => {
            _mm256_add_epi32($chain, _mm256_madd_epi16($factor, $chain))
        };
        (@ _mm512_madd_epi16, $chain:expr, $factor:expr) => {
            _mm512_add_epi32($chain, _mm512_madd_epi16($factor, $chain))
        };
        (@ $step:ident, $chain:expr, $factor:expr) => { $step($chain, $factor, $factor) };
    }

    peak_loop!(fma_256, "avx,fma", _mm256_setzero_ps, _mm256_fmadd_ps);
    peak_loop!(fma_512, "avx512f", _mm512_setzero_ps, _mm512_fmadd_ps);
    peak_loop!(words_256, "avx2", _mm256_setzero_si256, _mm256_madd_epi16);
    peak_loop!(words_512, "avx512f,avx512bw", _mm512_setzero_si512, _mm512_madd_epi16);
    peak_loop!(dot_256, "avx,avxvnni", _mm256_setzero_si256, _mm256_dpbusd_avx_epi32);
    peak_loop!(dot_512, "avx512f,avx512vnni", _mm512_setzero_si512, _mm512_dpbusd_epi32);
}
