//! Whether the embedder in this binary gives the vectors it was published with, on this very processor.

use super::check::Check;
use embed::{Bundled, Embedder};

/// A text, and the first numbers of its published vector.
const GOLDEN: (&str, [f32; 16]) = (
    "What did we decide about embeddings?",
    [
        0.088274, 0.1185, 0.095141, -0.040466, 0.129374, 0.009129, 0.048188, -0.038029, -0.021225, -0.011117,
        0.026556, 0.039368, 0.034917, 0.050369, -0.033006, -0.001246,
    ],
);
/// How far a number may be off: the kernels of different processors round differently.
const TOLERANCE: f32 = 0.01;

/// Whether it gives them.
pub(super) fn embedder() -> Check {
    let embedder = Bundled::new();
    let model = &embedder.model().id;
    let (text, golden) = GOLDEN;
    match embedder.embed(&[text]).map(|made| made.first().map(embed::Embedding::mean)) {
        Ok(Some(vector)) if is_near(&vector, &golden) => {
            Check::ok("embedder", format!("{model} gives the vectors it should"))
        }
        Ok(_) => Check::fail("embedder", format!("{model} gives other vectors than it should"), REPORT),
        Err(error) => Check::fail("embedder", format!("{model}: {error}"), REPORT),
    }
}

const REPORT: &str = "Words alone find memories meanwhile. Report it with the name of your processor.";

fn is_near(vector: &[f32], golden: &[f32]) -> bool {
    vector.len() >= golden.len()
        && vector.iter().zip(golden).all(|(one, other)| (one - other).abs() <= TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::super::check::State;
    use super::*;

    #[test]
    fn the_bundled_embedder_gives_the_vectors_it_was_published_with() {
        assert_eq!(embedder().state, State::Ok, "{:?}", embedder());
    }

    #[test]
    fn another_vector_is_noticed() {
        let mut wrong = GOLDEN.1;
        wrong[3] += 0.02;
        assert!(is_near(&GOLDEN.1, &GOLDEN.1) && !is_near(&wrong, &GOLDEN.1) && !is_near(&[], &GOLDEN.1));
    }
}
