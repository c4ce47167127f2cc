//! Whether the embedder answers. The bundled one must give the vectors it was published with, on
//! this very processor; any other must give vectors that tell an answer from something else.

use super::check::Check;
use crate::config::EmbedderConfig;
use crate::setup::Setup;
use embed::{Calibration, EmbedError, Embedder};

/// A text, and the first numbers of its published vector.
const GOLDEN: (&str, [f32; 16]) = (
    "What did we decide about embeddings?",
    [
        0.088274, 0.1185, 0.095141, -0.040466, 0.129374, 0.009129, 0.048188, -0.038029, -0.021225,
        -0.011117, 0.026556, 0.039368, 0.034917, 0.050369, -0.033006, -0.001246,
    ],
);
/// How far a number may be off: the kernels of different processors round differently.
const TOLERANCE: f32 = 0.01;
/// An embedder that gives an answer no more than this above any other text finds nothing by
/// meaning.
const TELLS_APART: f32 = 0.05;

const REPORT: &str =
    "Words alone find memories meanwhile. Report it with the name of your processor.";
const ANOTHER: &str = "Words alone find memories meanwhile. Correct `[embedder]` in config.toml, or take it out for the bundled one.";

/// Whether it does.
pub(super) async fn embedder(setup: &Setup) -> Check {
    let chosen = match setup.embedder() {
        Ok(chosen) => chosen,
        Err(problem) => return Check::fail("embedder", problem.message(), ANOTHER),
    };
    let published = setup.config.embedder == EmbedderConfig::default();
    let look =
        move || if published { golden(&*chosen.embedder) } else { sensible(&*chosen.embedder) };
    // It may compute or wait for an answer.
    let looked = tokio::task::spawn_blocking(look).await;
    looked.unwrap_or_else(|error| Check::fail("embedder", error.to_string(), REPORT))
}

fn golden(embedder: &dyn Embedder) -> Check {
    let model = &embedder.model().id;
    let (text, golden) = GOLDEN;
    match embedder.embed_question(text).map(|made| made.mean()) {
        Ok(vector) if is_near(&vector, &golden) => {
            Check::ok("embedder", format!("{model} gives the vectors it should"))
        }
        Ok(_) => {
            Check::fail("embedder", format!("{model} gives other vectors than it should"), REPORT)
        }
        Err(error) => Check::fail("embedder", error.to_string(), REPORT),
    }
}

/// Asks for a question and a text anew, and looks at what its cosines tell apart.
fn sensible(embedder: &dyn Embedder) -> Check {
    let asked = || -> Result<(), EmbedError> {
        embedder.embed(&[GOLDEN.0])?;
        embedder.embed_question(GOLDEN.0)?;
        Ok(())
    };
    if let Err(error) = asked() {
        return Check::fail("embedder", error.to_string(), ANOTHER);
    }
    let (model, Calibration { unrelated, related }) = (embedder.model(), embedder.calibration());
    let found = format!(
        "{} answers with {} numbers; an answer is {related:.2} like its question, any other text {unrelated:.2}",
        model.id, model.dimensions
    );
    if related - unrelated < TELLS_APART {
        let mend = "It hardly tells an answer from anything else. Is it a model for search, with the right prefixes?";
        return Check::warn("embedder", found, mend);
    }
    Check::ok("embedder", found)
}

fn is_near(vector: &[f32], golden: &[f32]) -> bool {
    vector.len() >= golden.len()
        && vector.iter().zip(golden).all(|(one, other)| (one - other).abs() <= TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::super::check::State;
    use super::*;
    use embed::{Bundled, Embedding};
    use model::VectorModel;

    #[test]
    fn the_bundled_embedder_gives_the_vectors_it_was_published_with() {
        let check = golden(&Bundled::new());
        assert_eq!(check.state, State::Ok, "{check:?}");
    }

    #[test]
    fn another_vector_is_noticed() {
        let mut wrong = GOLDEN.1;
        wrong[3] += 0.02;
        assert!(
            is_near(&GOLDEN.1, &GOLDEN.1)
                && !is_near(&wrong, &GOLDEN.1)
                && !is_near(&[], &GOLDEN.1)
        );
    }

    /// An embedder to which everything is alike, or which does not answer.
    struct Dull(VectorModel, Result<(), EmbedError>);

    impl Embedder for Dull {
        fn model(&self) -> &VectorModel {
            &self.0
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
            self.1.clone()?;
            Ok(texts.iter().map(|_| Embedding { windows: vec![vec![1.0]] }).collect())
        }

        fn calibration(&self) -> Calibration {
            Calibration { unrelated: 1.0, related: 1.0 }
        }
    }

    #[test]
    fn an_embedder_that_tells_nothing_apart_is_warned_of_and_one_that_is_away_fails() {
        let model = VectorModel { id: "dull".into(), dimensions: 1 };
        assert_eq!(sensible(&Dull(model.clone(), Ok(()))).state, State::Warn);
        let away = Dull(model.clone(), Err(EmbedError::unavailable(&model, "nobody answers")));
        let check = sensible(&away);
        assert!(check.state == State::Fail && check.found.contains("nobody answers"), "{check:?}");
    }
}
