//! Checks the embedder. The bundled model must produce its published vectors on this processor; any
//! other must produce vectors that separate an answer from unrelated text.

use super::check::DoctorCheck;
use crate::config::EmbedderConfig;
use crate::setup::Setup;
use embed::{Calibration, EmbedError, Embedder};

/// A text, and the first components of its published vector.
const GOLDEN: (&str, [f32; 16]) = (
    "When did Caroline go to the LGBTQ support group?",
    [
        -0.102032, 0.093867, 0.144792, 0.01141, -0.138992, -0.063227, 0.112745, 0.058858, 0.011169,
        0.148149, 0.04582, 0.162147, -0.014377, 0.04415, -0.104501, 0.058481,
    ],
);
/// Allowed deviation of a component: the kernels of different processors round differently.
const TOLERANCE: f32 = 0.01;
/// Smallest useful difference between the cosine of an answer and that of unrelated text; below it,
/// search by meaning finds nothing.
const SEPARATION_MIN: f32 = 0.05;

const ADVICE_REPORT: &str = "Until this is fixed, recall searches by words only. Report it, with \
    the name of your processor.";
const ADVICE_SETTINGS: &str = "Until this is fixed, recall searches by words only. Correct \
    `[embedder]` in config.toml, or remove it to use the bundled model.";

/// Checks that the configured embedder works.
pub(super) async fn check_embedder(setup: &Setup) -> DoctorCheck {
    let configured = match setup.embedder() {
        Ok(configured) => configured,
        Err(problem) => return DoctorCheck::fail("embedder", problem.message(), ADVICE_SETTINGS),
    };
    let published = setup.config.embedder == EmbedderConfig::default();
    let check = move || {
        if published {
            check_published_vector(&*configured.embedder)
        } else {
            check_separation(&*configured.embedder)
        }
    };
    // Off the async thread: it computes a vector, or waits for an endpoint.
    let checked = tokio::task::spawn_blocking(check).await;
    checked.unwrap_or_else(|error| DoctorCheck::fail("embedder", error.to_string(), ADVICE_REPORT))
}

fn check_published_vector(embedder: &dyn Embedder) -> DoctorCheck {
    let model = &embedder.model().id;
    let (text, golden) = GOLDEN;
    match embedder.embed_question(text).map(|embedding| embedding.mean()) {
        Ok(vector) if is_near(&vector, &golden) => {
            DoctorCheck::ok("embedder", format!("{model} produces the expected vectors"))
        }
        Ok(_) => {
            DoctorCheck::fail("embedder", format!("{model} produces wrong vectors"), ADVICE_REPORT)
        }
        Err(error) => DoctorCheck::fail("embedder", error.to_string(), ADVICE_REPORT),
    }
}

/// Embeds a text and a question, and checks how well the calibrated cosines separate an answer from
/// unrelated text.
fn check_separation(embedder: &dyn Embedder) -> DoctorCheck {
    let try_both = || -> Result<(), EmbedError> {
        embedder.embed(&[GOLDEN.0])?;
        embedder.embed_question(GOLDEN.0)?;
        Ok(())
    };
    if let Err(error) = try_both() {
        return DoctorCheck::fail("embedder", error.to_string(), ADVICE_SETTINGS);
    }
    let (model, Calibration { unrelated, related }) = (embedder.model(), embedder.calibration());
    let found = format!(
        "{} returns {} dimensions; cosine {related:.2} for an answer, {unrelated:.2} for unrelated \
         text",
        model.id, model.dimensions
    );
    if related - unrelated < SEPARATION_MIN {
        let advice = "It hardly separates an answer from unrelated text. Use a model made for \
                      search, with the prefixes it expects.";
        return DoctorCheck::warn("embedder", found, advice);
    }
    DoctorCheck::ok("embedder", found)
}

fn is_near(vector: &[f32], golden: &[f32]) -> bool {
    vector.len() >= golden.len()
        && vector.iter().zip(golden).all(|(one, other)| (one - other).abs() <= TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckState;
    use super::*;
    use embed::{BundledEmbedder, Embedding};
    use model::VectorModel;

    #[test]
    fn the_bundled_embedder_produces_its_published_vectors() {
        let check = check_published_vector(&BundledEmbedder::new());
        assert_eq!(check.state, CheckState::Ok, "{check:?}");
    }

    #[test]
    fn a_different_vector_is_detected() {
        let mut wrong = GOLDEN.1;
        wrong[3] += 0.02;
        assert!(
            is_near(&GOLDEN.1, &GOLDEN.1)
                && !is_near(&wrong, &GOLDEN.1)
                && !is_near(&[], &GOLDEN.1)
        );
    }

    /// An embedder that returns the same vector for every text, or fails.
    struct ConstantEmbedder(VectorModel, Result<(), EmbedError>);

    impl Embedder for ConstantEmbedder {
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
    fn a_model_without_separation_warns_and_an_unavailable_one_fails() {
        let model = VectorModel { id: "dull".into(), dimensions: 1 };
        assert_eq!(
            check_separation(&ConstantEmbedder(model.clone(), Ok(()))).state,
            CheckState::Warn
        );
        let away =
            ConstantEmbedder(model.clone(), Err(EmbedError::unavailable(&model, "nobody answers")));
        let check = check_separation(&away);
        assert!(
            check.state == CheckState::Fail && check.finding.contains("nobody answers"),
            "{check:?}"
        );
    }
}
