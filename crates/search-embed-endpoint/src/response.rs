//! Parsing and validation of a response: as many vectors as texts, all of one length, all finite. A
//! response that violates this would spoil every comparison, so nothing of it is used.

use crate::fault::RequestFault;
use model::limits;
use serde::Deserialize;

/// Vectors in the order of the request, and their cost.
#[derive(Debug, PartialEq)]
pub(crate) struct EndpointResponse {
    pub vectors: Vec<Vec<f32>>,
    /// Number of tokens counted by the endpoint, if stated.
    pub tokens: Option<u64>,
}

#[derive(Deserialize)]
struct EmbeddingsBody {
    data: Vec<ResponseItem>,
    #[serde(default)]
    usage: Option<ResponseUsage>,
}

#[derive(Deserialize)]
struct ResponseItem {
    embedding: Vec<f32>,
    #[serde(default)]
    index: Option<usize>,
}

#[derive(Deserialize)]
struct ResponseUsage {
    #[serde(default)]
    total_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens: Option<u64>,
}

impl EndpointResponse {
    /// Parses the response to a request of this many texts.
    pub fn parse(bytes: &[u8], texts: usize) -> Result<Self, RequestFault> {
        let mut body: EmbeddingsBody = serde_json::from_slice(bytes).map_err(|error| {
            // Only the position of the error: the content itself could be anything, even a text
            // that was sent.
            permanent(format!(
                "its response is not that of an embeddings endpoint (line {})",
                error.line()
            ))
        })?;
        if body.data.len() != texts {
            return Err(permanent(format!(
                "it returned {} vectors for {texts} texts",
                body.data.len()
            )));
        }
        // The index is part of OpenAI's API, but some servers leave it out and answer in order.
        if body.data.iter().all(|one| one.index.is_some()) {
            body.data.sort_by_key(|one| one.index);
            if body.data.iter().enumerate().any(|(at, one)| one.index != Some(at)) {
                return Err(permanent(
                    "the indices of its vectors do not match the texts".to_owned(),
                ));
            }
        }
        let tokens = body.usage.and_then(|usage| usage.total_tokens.or(usage.prompt_tokens));
        let answer =
            Self { vectors: body.data.into_iter().map(|one| one.embedding).collect(), tokens };
        answer.validate()?;
        Ok(answer)
    }

    /// Returns the number of dimensions of the vectors.
    pub fn dimensions(&self) -> usize {
        self.vectors.first().map_or(0, Vec::len)
    }

    fn validate(&self) -> Result<(), RequestFault> {
        let dimensions = self.dimensions();
        if dimensions == 0 || dimensions > limits::VECTOR_DIMENSIONS {
            return Err(permanent(format!(
                "its vectors have {dimensions} dimensions; 1 to {} are supported",
                limits::VECTOR_DIMENSIONS
            )));
        }
        if self.vectors.iter().any(|vector| vector.len() != dimensions) {
            return Err(permanent("its vectors do not all have the same length".to_owned()));
        }
        if self.vectors.iter().flatten().any(|value| !value.is_finite()) {
            return Err(permanent("its vectors contain values that are not finite".to_owned()));
        }
        Ok(())
    }
}

fn permanent(problem: String) -> RequestFault {
    RequestFault::Permanent(format!("{problem}; check that url and model name an embedding model"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(body: &str, texts: usize) -> String {
        EndpointResponse::parse(body.as_bytes(), texts).unwrap_err().reason().to_owned()
    }

    #[test]
    fn vectors_come_in_the_order_of_their_numbers() {
        let body = r#"{"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}],
                       "usage": {"prompt_tokens": 7, "total_tokens": 7}, "model": "m"}"#;
        let answer = EndpointResponse::parse(body.as_bytes(), 2).unwrap();
        assert_eq!(
            answer,
            EndpointResponse { vectors: vec![vec![1.0], vec![2.0]], tokens: Some(7) }
        );
        let plain = EndpointResponse::parse(br#"{"data": [{"embedding": [1, 2]}]}"#, 1).unwrap();
        assert_eq!((plain.dimensions(), plain.tokens), (2, None));
    }

    #[test]
    fn an_invalid_response_is_rejected_as_a_whole() {
        for (body, texts, part) in [
            (r#"{"data": [{"embedding": [1]}]}"#, 2, "1 vectors for 2 texts"),
            (r#"{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}"#, 2, "same length"),
            (r#"{"data": [{"embedding": []}]}"#, 1, "0 dimensions"),
            (r#"{"data": [{"embedding": [1e39]}]}"#, 1, "not finite"),
            (r#"{"data": [{"embedding": [null]}]}"#, 1, "not that of an embeddings endpoint"),
            (r#"{"data": [{"embedding": [1], "index": 3}]}"#, 1, "do not match"),
            ("secret words", 1, "not that of an embeddings endpoint"),
        ] {
            let why = reason(body, texts);
            assert!(why.contains(part) && !why.contains("secret"), "{body}: {why}");
        }
    }
}
