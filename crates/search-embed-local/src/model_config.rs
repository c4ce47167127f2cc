//! Architecture of a model from its `config.json`: width, depth, and the member of the BERT family.

use serde::Deserialize;

/// Maximum width. No useful model is larger, and a wrong number must not exhaust the memory.
const WIDTH_MAX: usize = 8_192;
const LAYERS_MAX: usize = 128;

/// Architecture of a model; the fields are named as in `config.json`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct BertConfig {
    pub model_type: String,
    pub vocab_size: usize,
    pub hidden_size: usize,
    pub num_hidden_layers: usize,
    pub num_attention_heads: usize,
    pub intermediate_size: usize,
    pub max_position_embeddings: usize,
    #[serde(default = "default_type_vocab_size")]
    pub type_vocab_size: usize,
    #[serde(default = "default_layer_norm_eps")]
    pub layer_norm_eps: f64,
    #[serde(default = "default_activation")]
    pub hidden_act: String,
    #[serde(default)]
    pub pad_token_id: u32,
    position_embedding_type: Option<String>,
}

/// Activation function of the feed-forward network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activation {
    /// Exact GELU, with the error function.
    Gelu,
    /// GELU with the tanh approximation.
    GeluTanh,
    Relu,
}

impl BertConfig {
    /// Checks that the model is supported and consistent; returns the problem as a sentence
    /// otherwise.
    pub fn validate(&self) -> Result<(), String> {
        if !["bert", "roberta", "xlm-roberta", "camembert"].contains(&self.model_type.as_str()) {
            return Err(format!("models of type `{}` are not supported", self.model_type));
        }
        if self.position_embedding_type.as_deref().is_some_and(|kind| kind != "absolute") {
            return Err("models with relative positions are not supported".to_owned());
        }
        let wide =
            [self.hidden_size, self.num_attention_heads, self.vocab_size, self.type_vocab_size];
        let fits = self.hidden_size <= WIDTH_MAX
            && self.num_hidden_layers <= LAYERS_MAX
            && wide.iter().all(|count| *count > 0)
            && self.hidden_size.is_multiple_of(self.num_attention_heads)
            && self.max_position_embeddings > self.first_position() as usize + 3;
        if !fits {
            return Err("the numbers in config.json are inconsistent".to_owned());
        }
        self.activation().map(|_| ())
    }

    /// Returns the position of the first token: RoBERTa counts positions from after the padding id.
    pub fn first_position(&self) -> u32 {
        if self.model_type == "bert" { 0 } else { self.pad_token_id + 1 }
    }

    /// Returns the number of tokens that the model can read at once.
    pub fn position_count(&self) -> usize {
        self.max_position_embeddings - self.first_position() as usize
    }

    /// Returns the activation function.
    pub fn activation(&self) -> Result<Activation, String> {
        match self.hidden_act.as_str() {
            "gelu" => Ok(Activation::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(Activation::GeluTanh),
            "relu" => Ok(Activation::Relu),
            other => Err(format!("the activation `{other}` is not supported")),
        }
    }
}

fn default_type_vocab_size() -> usize {
    2
}

fn default_layer_norm_eps() -> f64 {
    1e-12
}

fn default_activation() -> String {
    "gelu".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn config(more: serde_json::Value) -> BertConfig {
        let mut config = json!({
            "model_type": "bert",
            "vocab_size": 100,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "max_position_embeddings": 64
        });
        for (key, value) in more.as_object().unwrap() {
            config[key] = value.clone();
        }
        serde_json::from_value(config).unwrap()
    }

    #[test]
    fn other_families_and_inconsistent_configs_are_rejected_by_name() {
        assert_eq!(config(json!({})).validate(), Ok(()));
        for (more, part) in [
            (json!({"model_type": "mpnet"}), "mpnet"),
            (json!({"hidden_act": "silu"}), "silu"),
            (json!({"position_embedding_type": "relative_key"}), "relative"),
            (json!({"num_attention_heads": 5}), "inconsistent"),
            (json!({"num_attention_heads": 0}), "inconsistent"),
            (json!({"hidden_size": 1_000_000}), "inconsistent"),
        ] {
            assert!(config(more.clone()).validate().unwrap_err().contains(part), "{more}");
        }
    }

    #[test]
    fn roberta_positions_start_after_the_padding_id() {
        let roberta = config(json!({"model_type": "roberta", "pad_token_id": 1}));
        assert_eq!((roberta.first_position(), roberta.position_count()), (2, 62));
        assert_eq!(
            (config(json!({})).first_position(), config(json!({})).position_count()),
            (0, 64)
        );
    }
}
