//! What an endpoint answered, held against what it was asked: as many vectors as texts, all of one
//! length, all of them numbers. An endpoint that breaks this would spoil every comparison, so
//! nothing of its answer is used.

use crate::fault::Fault;
use model::limits;
use serde::Deserialize;

/// The vectors of a request, in its order, and what they cost.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub vectors: Vec<Vec<f32>>,
    /// How many tokens the endpoint counted, if it says.
    pub tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Told {
    data: Vec<One>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct One {
    embedding: Vec<f32>,
    #[serde(default)]
    index: Option<usize>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    total_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens: Option<u64>,
}

impl Answer {
    /// Reads the answer to a request of so many texts.
    pub fn read(body: &[u8], texts: usize) -> Result<Self, Fault> {
        let mut told: Told = serde_json::from_slice(body).map_err(|error| {
            // The place of the mistake, not what stands there: that may be anything.
            lasting(format!(
                "its answer is not one of an embeddings endpoint (line {})",
                error.line()
            ))
        })?;
        if told.data.len() != texts {
            return Err(lasting(format!(
                "it answered {} vectors for {texts} texts",
                told.data.len()
            )));
        }
        if told.data.iter().all(|one| one.index.is_some()) {
            told.data.sort_by_key(|one| one.index);
            if told.data.iter().enumerate().any(|(place, one)| one.index != Some(place)) {
                return Err(lasting("it numbered its vectors otherwise than the texts".to_owned()));
            }
        }
        let tokens = told.usage.and_then(|usage| usage.total_tokens.or(usage.prompt_tokens));
        let answer =
            Self { vectors: told.data.into_iter().map(|one| one.embedding).collect(), tokens };
        answer.check()?;
        Ok(answer)
    }

    /// How many numbers each vector has.
    pub fn dimensions(&self) -> usize {
        self.vectors.first().map_or(0, Vec::len)
    }

    fn check(&self) -> Result<(), Fault> {
        let dimensions = self.dimensions();
        if dimensions == 0 || dimensions > limits::VECTOR_DIMENSIONS {
            return Err(lasting(format!(
                "its vectors have {dimensions} numbers; 1 to {} are taken",
                limits::VECTOR_DIMENSIONS
            )));
        }
        if self.vectors.iter().any(|vector| vector.len() != dimensions) {
            return Err(lasting("its vectors are not all of one length".to_owned()));
        }
        if self.vectors.iter().flatten().any(|value| !value.is_finite()) {
            return Err(lasting("its vectors hold what is no number".to_owned()));
        }
        Ok(())
    }
}

fn lasting(found: String) -> Fault {
    Fault::Lasting(format!("{found}; check that url and model name an embedding model"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(body: &str, texts: usize) -> String {
        Answer::read(body.as_bytes(), texts).unwrap_err().why().to_owned()
    }

    #[test]
    fn vectors_come_in_the_order_of_their_numbers() {
        let body = r#"{"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}],
                       "usage": {"prompt_tokens": 7, "total_tokens": 7}, "model": "m"}"#;
        let answer = Answer::read(body.as_bytes(), 2).unwrap();
        assert_eq!(answer, Answer { vectors: vec![vec![1.0], vec![2.0]], tokens: Some(7) });
        let plain = Answer::read(br#"{"data": [{"embedding": [1, 2]}]}"#, 1).unwrap();
        assert_eq!((plain.dimensions(), plain.tokens), (2, None));
    }

    #[test]
    fn an_answer_that_lies_is_refused_whole() {
        for (body, texts, part) in [
            (r#"{"data": [{"embedding": [1]}]}"#, 2, "1 vectors for 2 texts"),
            (r#"{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}"#, 2, "one length"),
            (r#"{"data": [{"embedding": []}]}"#, 1, "0 numbers"),
            (r#"{"data": [{"embedding": [1e39]}]}"#, 1, "no number"),
            (r#"{"data": [{"embedding": [null]}]}"#, 1, "not one of an embeddings endpoint"),
            (r#"{"data": [{"embedding": [1], "index": 3}]}"#, 1, "numbered"),
            ("secret words", 1, "not one of an embeddings endpoint"),
        ] {
            let why = why(body, texts);
            assert!(why.contains(part) && !why.contains("secret"), "{body}: {why}");
        }
    }
}
