//! Forward pass of a BERT-family encoder with candle: embeddings, then layers of self-attention and
//! feed-forward network, each with a residual connection and a layer norm (post-norm).

use crate::model_config::{Activation, BertConfig};
use candle_core::{D, DType, Device, Module, Result, Tensor};
use candle_nn::{Embedding, LayerNorm, Linear, VarBuilder, ops};

/// Added to the attention score of a padding token: its softmax weight becomes 0.
const MASKED_SCORE: f64 = -1e9;

/// A BERT encoder with its weights.
pub(crate) struct BertEncoder {
    words: Embedding,
    positions: Embedding,
    token_types: Embedding,
    norm: LayerNorm,
    layers: Vec<BertLayer>,
    first_position: u32,
}

struct BertLayer {
    attention: SelfAttention,
    attention_norm: LayerNorm,
    up: Linear,
    down: Linear,
    activation: Activation,
    norm: LayerNorm,
}

struct SelfAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    heads: usize,
}

impl BertEncoder {
    /// Loads the encoder from the bytes of a safetensors file.
    pub fn load(weights: Vec<u8>, config: &BertConfig) -> Result<Self> {
        let all = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
        let all = strip_model_prefix(all);
        let embeddings = all.pp("embeddings");
        let table = |name: &str, rows: usize| -> Result<Embedding> {
            let weight = embeddings.pp(name).get((rows, config.hidden_size), "weight")?;
            Ok(Embedding::new(weight, config.hidden_size))
        };
        let layers = (0..config.num_hidden_layers)
            .map(|at| BertLayer::load(&all.pp("encoder.layer").pp(at), config));
        Ok(Self {
            words: table("word_embeddings", config.vocab_size)?,
            positions: table("position_embeddings", config.max_position_embeddings)?,
            token_types: table("token_type_embeddings", config.type_vocab_size)?,
            norm: norm(&embeddings.pp("LayerNorm"), config)?,
            layers: layers.collect::<Result<_>>()?,
            first_position: config.first_position(),
        })
    }

    /// Computes the vectors of all tokens, `(windows, tokens, width)`, from ids and a mask that is
    /// 1 for real tokens and 0 for padding.
    pub fn forward(&self, ids: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let (_, length) = ids.dims2()?;
        // A window never has more tokens than the model has positions, far below what a u32 holds.
        let last = self.first_position + length as u32;
        let positions = Tensor::arange(self.first_position, last, ids.device())?;
        let sum = self.words.forward(ids)?.broadcast_add(&self.positions.forward(&positions)?)?;
        // All tokens are of type 0: only models for sentence pairs use the second type.
        let sum = sum.add(&self.token_types.forward(&ids.zeros_like()?)?)?;
        let mut tokens = self.norm.forward(&sum)?;
        let mask_bias = ((1.0 - mask)? * MASKED_SCORE)?.unsqueeze(1)?.unsqueeze(1)?;
        for layer in &self.layers {
            tokens = layer.forward(&tokens, &mask_bias)?;
        }
        Ok(tokens)
    }
}

impl BertLayer {
    fn load(at: &VarBuilder<'_>, config: &BertConfig) -> Result<Self> {
        let (width, inner) = (config.hidden_size, config.intermediate_size);
        let attention = SelfAttention {
            query: linear(&at.pp("attention.self.query"), width, width)?,
            key: linear(&at.pp("attention.self.key"), width, width)?,
            value: linear(&at.pp("attention.self.value"), width, width)?,
            out: linear(&at.pp("attention.output.dense"), width, width)?,
            heads: config.num_attention_heads,
        };
        Ok(Self {
            attention,
            attention_norm: norm(&at.pp("attention.output.LayerNorm"), config)?,
            up: linear(&at.pp("intermediate.dense"), width, inner)?,
            down: linear(&at.pp("output.dense"), inner, width)?,
            activation: config.activation().map_err(candle_core::Error::Msg)?,
            norm: norm(&at.pp("output.LayerNorm"), config)?,
        })
    }

    fn forward(&self, tokens: &Tensor, mask_bias: &Tensor) -> Result<Tensor> {
        let attended =
            self.attention_norm.forward(&(tokens + self.attention.forward(tokens, mask_bias)?)?)?;
        let wide = self.up.forward(&attended)?;
        let activated = match self.activation {
            Activation::Gelu => wide.gelu_erf()?,
            Activation::GeluTanh => wide.gelu()?,
            Activation::Relu => wide.relu()?,
        };
        self.norm.forward(&(attended + self.down.forward(&activated)?)?)
    }
}

impl SelfAttention {
    fn forward(&self, tokens: &Tensor, mask_bias: &Tensor) -> Result<Tensor> {
        let (windows, length, width) = tokens.dims3()?;
        let each = width / self.heads;
        let by_head = |linear: &Linear| -> Result<Tensor> {
            let projected = linear.forward(tokens)?.reshape((windows, length, self.heads, each))?;
            projected.transpose(1, 2)?.contiguous()
        };
        let (query, key, value) =
            (by_head(&self.query)?, by_head(&self.key)?, by_head(&self.value)?);
        let scores = (query.matmul(&key.transpose(D::Minus1, D::Minus2)?)? / (each as f64).sqrt())?;
        let weights = ops::softmax_last_dim(&scores.broadcast_add(mask_bias)?)?;
        let attended =
            weights.matmul(&value)?.transpose(1, 2)?.reshape((windows, length, width))?;
        self.out.forward(&attended)
    }
}

/// Strips the name of the outer model under which the encoder's weights were saved.
fn strip_model_prefix(all: VarBuilder<'_>) -> VarBuilder<'_> {
    let found = ["bert", "roberta", "model"]
        .into_iter()
        .find(|name| all.contains_tensor(&format!("{name}.embeddings.word_embeddings.weight")));
    match found {
        Some(name) => all.pp(name),
        None => all,
    }
}

fn linear(at: &VarBuilder<'_>, from: usize, to: usize) -> Result<Linear> {
    Ok(Linear::new(at.get((to, from), "weight")?, Some(at.get(to, "bias")?)))
}

/// Loads a layer norm; old files call its weight and bias gamma and beta.
fn norm(at: &VarBuilder<'_>, config: &BertConfig) -> Result<LayerNorm> {
    let (weight, bias) =
        if at.contains_tensor("gamma") { ("gamma", "beta") } else { ("weight", "bias") };
    let width = config.hidden_size;
    Ok(LayerNorm::new(at.get(width, weight)?, at.get(width, bias)?, config.layer_norm_eps))
}
