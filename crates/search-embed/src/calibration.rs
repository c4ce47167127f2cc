//! Calibration of cosines across models. Some models give two unrelated texts a cosine of 0.1, some
//! 0.75; a ranking that weighs vectors against words would see agreement everywhere in the second
//! case. So every model embeds the same few questions and answers, and its cosines are mapped
//! linearly onto the scale of the bundled model, with which the ranking was measured.

use crate::Vector;

/// Everyday questions; the answers are at the same index in [`CALIBRATION_ANSWERS`].
pub const CALIBRATION_QUESTIONS: [&str; 12] = [
    "Which port does the booking service listen on?",
    "When is the dentist's appointment?",
    "Why did we choose SQLite for storage?",
    "What does Mira like to drink in the morning?",
    "How do I restart the deployment?",
    "Where did they spend the summer holidays?",
    "Who reviews changes to the payment code?",
    "What is the cat allowed to eat?",
    "How long does the bread have to rise?",
    "Which train goes to Leipzig in the evening?",
    "What was the result of the blood test?",
    "How is the garden watered while we are away?",
];

/// Answers to [`CALIBRATION_QUESTIONS`], with as few words in common as possible.
pub const CALIBRATION_ANSWERS: [&str; 12] = [
    "The reservations API is reachable at 8080.",
    "Teeth are checked on the third of May at nine.",
    "We keep everything in one embedded database file because nothing has to be administered.",
    "Mira starts her day with green tea.",
    "Run the release script again to bring the servers back up.",
    "In July the family stayed two weeks at a lake in Finland.",
    "Every pull request that touches billing is looked at by Jonas.",
    "Only the dry food from the vet, no fish for our tomcat.",
    "Leave the dough under a cloth for four hours.",
    "The last connection to Leipzig leaves at 21:14 from platform six.",
    "The laboratory says that the iron level is a little low.",
    "A timer opens the drip hose for ten minutes every morning when nobody is home.",
];

/// Typical cosines of a model for unrelated and for related texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Mean cosine of a question and the answer to another one.
    pub unrelated: f32,
    /// Mean cosine of a question and its own answer.
    pub related: f32,
}

/// Minimum difference between related and unrelated texts; anything less is noise.
const SPAN_MIN: f32 = 0.02;

impl Calibration {
    /// Calibration of the bundled model. A test compares it with a measurement.
    pub const BUNDLED: Self = Self { unrelated: 0.110, related: 0.437 };

    /// Computes the calibration from the vectors of questions and of their answers, in the same
    /// order.
    #[must_use]
    pub fn measure(questions: &[Vector], answers: &[Vector]) -> Self {
        let (mut own, mut other) = (RunningMean::default(), RunningMean::default());
        for (row, question) in questions.iter().enumerate() {
            for (column, answer) in answers.iter().enumerate() {
                let mean = if row == column { &mut own } else { &mut other };
                mean.add(cosine(question, answer));
            }
        }
        Self { unrelated: other.value(), related: own.value() }
    }

    /// Returns factor and summand that map a cosine onto the scale of the bundled model. A model
    /// that cannot tell an answer from anything else is not rescaled.
    #[must_use]
    pub fn to_bundled_scale(&self) -> (f32, f32) {
        let span = self.related - self.unrelated;
        if !span.is_finite() || span < SPAN_MIN {
            return (1.0, 0.0);
        }
        let slope = (Self::BUNDLED.related - Self::BUNDLED.unrelated) / span;
        (slope, Self::BUNDLED.unrelated - slope * self.unrelated)
    }
}

#[derive(Default)]
struct RunningMean {
    sum: f32,
    count: usize,
}

impl RunningMean {
    fn add(&mut self, value: f32) {
        self.sum += value;
        self.count += 1;
    }

    fn value(&self) -> f32 {
        self.sum / self.count.max(1) as f32
    }
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BundledEmbedder, Embedder, Embedding};

    #[test]
    fn the_constant_for_the_bundled_model_matches_a_measurement() {
        let embed_all = |texts: &[&str]| -> Vec<Vector> {
            BundledEmbedder::new().embed(texts).unwrap().iter().map(Embedding::mean).collect()
        };
        let measured = Calibration::measure(
            &embed_all(&CALIBRATION_QUESTIONS),
            &embed_all(&CALIBRATION_ANSWERS),
        );
        let near = |one: f32, other: f32| (one - other).abs() < 0.01;
        assert!(
            near(measured.unrelated, Calibration::BUNDLED.unrelated)
                && near(measured.related, Calibration::BUNDLED.related),
            "{measured:?}"
        );
    }

    #[test]
    fn the_cosines_of_the_bundled_model_are_not_rescaled() {
        let (slope, shift) = Calibration::BUNDLED.to_bundled_scale();
        assert!((slope - 1.0).abs() < 1e-6 && shift.abs() < 1e-6);
    }

    #[test]
    fn a_model_with_high_cosines_is_mapped_to_the_same_scale() {
        let narrow = Calibration { unrelated: 0.72, related: 0.86 };
        let (slope, shift) = narrow.to_bundled_scale();
        for (cosine, expected) in
            [(0.72, Calibration::BUNDLED.unrelated), (0.86, Calibration::BUNDLED.related)]
        {
            assert!((slope * cosine + shift - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn a_model_that_separates_nothing_is_not_rescaled() {
        for (unrelated, related) in [(0.5, 0.5), (0.9, 0.1), (f32::NAN, 0.5)] {
            assert_eq!(Calibration { unrelated, related }.to_bundled_scale(), (1.0, 0.0));
        }
    }

    #[test]
    fn pairs_at_the_same_index_are_related() {
        let axes = [vec![1.0, 0.0], vec![0.0, 1.0]];
        assert_eq!(
            Calibration::measure(&axes, &axes),
            Calibration { unrelated: 0.0, related: 1.0 }
        );
    }
}
