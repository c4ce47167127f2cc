//! Pooling of token vectors into one vector per window: the mean, or the vector of the first token.
//! A normalisation step in the model's configuration makes no difference: vectors are compared by
//! cosine, so all are normalised.

use candle_core::{Result, Tensor};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Method of combining token vectors. The names of the variants are part of model ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Mean of all tokens.
    Mean,
    /// Vector of the first token (`[CLS]`), which represents the whole window.
    Cls,
}

/// Content of `1_Pooling/config.json`: one switch per mode.
#[derive(Debug, Deserialize)]
pub(crate) struct PoolingModuleConfig {
    #[serde(flatten)]
    switches: BTreeMap<String, serde_json::Value>,
}

impl PoolingModuleConfig {
    /// Returns the only mode that is switched on.
    pub fn pooling(&self) -> std::result::Result<Pooling, String> {
        let on: Vec<&str> = self
            .switches
            .iter()
            .filter(|(name, value)| {
                name.starts_with("pooling_mode_") && value.as_bool() == Some(true)
            })
            .map(|(name, _)| name.as_str())
            .collect();
        match on[..] {
            ["pooling_mode_mean_tokens"] => Ok(Pooling::Mean),
            ["pooling_mode_cls_token"] => Ok(Pooling::Cls),
            _ => Err(format!("the model uses the unsupported pooling {on:?}")),
        }
    }
}

impl Pooling {
    /// Computes one vector per window from `(windows, tokens, width)` and a mask that is 1 for real
    /// tokens.
    pub(crate) fn pool(self, tokens: &Tensor, mask: &Tensor) -> Result<Tensor> {
        match self {
            Self::Cls => tokens.narrow(1, 0, 1)?.squeeze(1),
            Self::Mean => {
                let mask = mask.unsqueeze(2)?;
                let sum = tokens.broadcast_mul(&mask)?.sum(1)?;
                sum.broadcast_div(&mask.sum(1)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn exactly_one_supported_mode_must_be_on() {
        let pooling_of = |value: serde_json::Value| {
            serde_json::from_value::<PoolingModuleConfig>(value).unwrap().pooling()
        };
        let mean = json!({
            "word_embedding_dimension": 8,
            "pooling_mode_mean_tokens": true,
            "pooling_mode_cls_token": false
        });
        assert_eq!(pooling_of(mean), Ok(Pooling::Mean));
        assert_eq!(
            pooling_of(json!({"pooling_mode_cls_token": true, "include_prompt": true})),
            Ok(Pooling::Cls)
        );
        assert!(
            pooling_of(json!({"pooling_mode_max_tokens": true}))
                .unwrap_err()
                .contains("max_tokens")
        );
        assert!(
            pooling_of(json!({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}))
                .is_err()
        );
        assert!(pooling_of(json!({})).is_err());
    }
}
