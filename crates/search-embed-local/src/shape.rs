//! The shape of a model, as its `config.json` tells: how wide, how deep, and which of the BERT
//! family it is.

use serde::Deserialize;

/// No model that an owner would want is larger; a wrong number must not take all memory.
const WIDTH_MAX: usize = 8_192;
const LAYERS_MAX: usize = 128;

/// The shape of a model.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Shape {
    pub model_type: String,
    pub vocab_size: usize,
    pub hidden_size: usize,
    pub num_hidden_layers: usize,
    pub num_attention_heads: usize,
    pub intermediate_size: usize,
    pub max_position_embeddings: usize,
    #[serde(default = "two")]
    pub type_vocab_size: usize,
    #[serde(default = "usual_eps")]
    pub layer_norm_eps: f64,
    #[serde(default = "gelu")]
    pub hidden_act: String,
    #[serde(default)]
    pub pad_token_id: u32,
    position_embedding_type: Option<String>,
}

/// What bends the lines between two layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bend {
    /// By the error function, exactly.
    Gelu,
    /// By its usual approximation.
    GeluTanh,
    /// What is below zero is zero.
    Relu,
}

impl Shape {
    /// Refuses what is not understood, in a sentence.
    pub fn check(&self) -> Result<(), String> {
        if !["bert", "roberta", "xlm-roberta", "camembert"].contains(&self.model_type.as_str()) {
            return Err(format!("a model of type `{}`", self.model_type));
        }
        if self.position_embedding_type.as_deref().is_some_and(|told| told != "absolute") {
            return Err("a model with relative positions".to_owned());
        }
        let wide =
            [self.hidden_size, self.num_attention_heads, self.vocab_size, self.type_vocab_size];
        let fits = self.hidden_size <= WIDTH_MAX
            && self.num_hidden_layers <= LAYERS_MAX
            && wide.iter().all(|count| *count > 0)
            && self.hidden_size.is_multiple_of(self.num_attention_heads)
            && self.max_position_embeddings > self.first_position() as usize + 3;
        if !fits {
            return Err("a config.json whose numbers do not fit together".to_owned());
        }
        self.bend().map(|_| ())
    }

    /// The position of the first token: RoBERTa counts from behind its padding.
    pub fn first_position(&self) -> u32 {
        if self.model_type == "bert" { 0 } else { self.pad_token_id + 1 }
    }

    /// How many tokens it can read at once.
    pub fn positions(&self) -> usize {
        self.max_position_embeddings - self.first_position() as usize
    }

    /// What bends the lines.
    pub fn bend(&self) -> Result<Bend, String> {
        match self.hidden_act.as_str() {
            "gelu" => Ok(Bend::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(Bend::GeluTanh),
            "relu" => Ok(Bend::Relu),
            other => Err(format!("a model that uses `{other}`")),
        }
    }
}

fn two() -> usize {
    2
}

fn usual_eps() -> f64 {
    1e-12
}

fn gelu() -> String {
    "gelu".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shape(more: serde_json::Value) -> Shape {
        let mut told = json!({"model_type": "bert", "vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 2,
            "num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 64});
        for (key, value) in more.as_object().unwrap() {
            told[key] = value.clone();
        }
        serde_json::from_value(told).unwrap()
    }

    #[test]
    fn other_families_and_shapes_that_cannot_be_are_refused_by_name() {
        assert_eq!(shape(json!({})).check(), Ok(()));
        for (more, part) in [
            (json!({"model_type": "mpnet"}), "mpnet"),
            (json!({"hidden_act": "silu"}), "silu"),
            (json!({"position_embedding_type": "relative_key"}), "relative"),
            (json!({"num_attention_heads": 5}), "fit together"),
            (json!({"num_attention_heads": 0}), "fit together"),
            (json!({"hidden_size": 1_000_000}), "fit together"),
        ] {
            assert!(shape(more.clone()).check().unwrap_err().contains(part), "{more}");
        }
    }

    #[test]
    fn roberta_counts_its_positions_from_behind_its_padding() {
        let roberta = shape(json!({"model_type": "roberta", "pad_token_id": 1}));
        assert_eq!((roberta.first_position(), roberta.positions()), (2, 62));
        assert_eq!((shape(json!({})).first_position(), shape(json!({})).positions()), (0, 64));
    }
}
