mod made_up {
    include!("/tmp/idx-scratch/made_up_nodoc.rs");
}
use made_up::*;
use model::*;
use quipu_index::*;
use std::time::*;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e3
}
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let m = MadeUp::new(n);
    for mode in ["all", "novec", "notext", "bare"] {
        let mut v = View::new(Some(m.model()));
        let t = cpu();
        let w = Instant::now();
        for f in (0..n).step_by(4000) {
            v.apply(
                (f..n.min(f + 4000)).map(|i| {
                    let mut e = m.entry(i);
                    if mode == "novec" || mode == "bare" {
                        e.vector = None;
                    }
                    if mode == "notext" || mode == "bare" {
                        e.texts.clear();
                    }
                    e
                }),
                [],
                Seq(1),
            );
        }
        let a = cpu();
        v.compact();
        let b = cpu();
        println!(
            "{mode}: {:.2} us each, compact {:.2} ms, wall {:?}",
            (a - t) / n as f64,
            (b - a) / 1e3,
            w.elapsed()
        );
    }
}
