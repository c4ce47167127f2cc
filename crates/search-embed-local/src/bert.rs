//! Forward pass of a BERT-family encoder with candle: embeddings, then layers of self-attention and
//! feed-forward network, each with a residual connection and a layer norm (post-norm).

use crate::shape::{Bend, Shape};
use candle_core::{D, DType, Device, Module, Result, Tensor};
use candle_nn::{Embedding, LayerNorm, Linear, VarBuilder, ops};

/// Added to the attention score of a padding token: its softmax weight becomes 0.
const NOT_THERE: f64 = -1e9;

/// A BERT encoder with its weights.
pub(crate) struct Bert {
    words: Embedding,
    positions: Embedding,
    kinds: Embedding,
    norm: LayerNorm,
    layers: Vec<Layer>,
    first_position: u32,
}

struct Layer {
    attention: Attention,
    attention_norm: LayerNorm,
    widen: Linear,
    narrow: Linear,
    bend: Bend,
    norm: LayerNorm,
}

struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    heads: usize,
}

impl Bert {
    /// Loads the encoder from the bytes of a safetensors file.
    pub fn load(weights: Vec<u8>, shape: &Shape) -> Result<Self> {
        let all = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
        let all = rooted(all);
        let embeddings = all.pp("embeddings");
        let table = |name: &str, rows: usize| -> Result<Embedding> {
            let weight = embeddings.pp(name).get((rows, shape.hidden_size), "weight")?;
            Ok(Embedding::new(weight, shape.hidden_size))
        };
        let layers = (0..shape.num_hidden_layers)
            .map(|at| Layer::load(&all.pp("encoder.layer").pp(at), shape));
        Ok(Self {
            words: table("word_embeddings", shape.vocab_size)?,
            positions: table("position_embeddings", shape.max_position_embeddings)?,
            kinds: table("token_type_embeddings", shape.type_vocab_size)?,
            norm: norm(&embeddings.pp("LayerNorm"), shape)?,
            layers: layers.collect::<Result<_>>()?,
            first_position: shape.first_position(),
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
        let sum = sum.add(&self.kinds.forward(&ids.zeros_like()?)?)?;
        let mut tokens = self.norm.forward(&sum)?;
        let mask_bias = ((1.0 - mask)? * NOT_THERE)?.unsqueeze(1)?.unsqueeze(1)?;
        for layer in &self.layers {
            tokens = layer.forward(&tokens, &mask_bias)?;
        }
        Ok(tokens)
    }
}

impl Layer {
    fn load(at: &VarBuilder<'_>, shape: &Shape) -> Result<Self> {
        let (width, inner) = (shape.hidden_size, shape.intermediate_size);
        let attention = Attention {
            query: linear(&at.pp("attention.self.query"), width, width)?,
            key: linear(&at.pp("attention.self.key"), width, width)?,
            value: linear(&at.pp("attention.self.value"), width, width)?,
            out: linear(&at.pp("attention.output.dense"), width, width)?,
            heads: shape.num_attention_heads,
        };
        Ok(Self {
            attention,
            attention_norm: norm(&at.pp("attention.output.LayerNorm"), shape)?,
            widen: linear(&at.pp("intermediate.dense"), width, inner)?,
            narrow: linear(&at.pp("output.dense"), inner, width)?,
            bend: shape.bend().map_err(candle_core::Error::Msg)?,
            norm: norm(&at.pp("output.LayerNorm"), shape)?,
        })
    }

    fn forward(&self, tokens: &Tensor, mask_bias: &Tensor) -> Result<Tensor> {
        let attended =
            self.attention_norm.forward(&(tokens + self.attention.forward(tokens, mask_bias)?)?)?;
        let wide = self.widen.forward(&attended)?;
        let activated = match self.bend {
            Bend::Gelu => wide.gelu_erf()?,
            Bend::GeluTanh => wide.gelu()?,
            Bend::Relu => wide.relu()?,
        };
        self.norm.forward(&(attended + self.narrow.forward(&activated)?)?)
    }
}

impl Attention {
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
fn rooted(all: VarBuilder<'_>) -> VarBuilder<'_> {
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
fn norm(at: &VarBuilder<'_>, shape: &Shape) -> Result<LayerNorm> {
    let (weight, bias) =
        if at.contains_tensor("gamma") { ("gamma", "beta") } else { ("weight", "bias") };
    let width = shape.hidden_size;
    Ok(LayerNorm::new(at.get(width, weight)?, at.get(width, bias)?, shape.layer_norm_eps))
}
