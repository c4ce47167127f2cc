//! How the vectors of a window's tokens become one: their mean, or the first one's. Whether the
//! model says that the result is to be brought to length 1 does not matter here: vectors are
//! compared by cosine, so all are.

use candle_core::{Result, Tensor};
use serde::Deserialize;
use std::collections::BTreeMap;

/// How the vectors of tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// That of the first token, which stands for the whole.
    Cls,
}

/// What `1_Pooling/config.json` says: one switch for each way.
#[derive(Debug, Deserialize)]
pub(crate) struct Told {
    #[serde(flatten)]
    switches: BTreeMap<String, serde_json::Value>,
}

impl Told {
    /// The one way that is on.
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
            _ => Err(format!("a model that pools by {on:?}")),
        }
    }
}

impl Pooling {
    /// One vector for each window, from `(windows, tokens, width)` and a mask of 1 for tokens that
    /// are there.
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
    fn one_way_must_be_on_and_be_understood() {
        let told =
            |value: serde_json::Value| serde_json::from_value::<Told>(value).unwrap().pooling();
        let mean = json!({"word_embedding_dimension": 8, "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false});
        assert_eq!(told(mean), Ok(Pooling::Mean));
        assert_eq!(
            told(json!({"pooling_mode_cls_token": true, "include_prompt": true})),
            Ok(Pooling::Cls)
        );
        assert!(told(json!({"pooling_mode_max_tokens": true})).unwrap_err().contains("max_tokens"));
        assert!(
            told(json!({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}))
                .is_err()
        );
        assert!(told(json!({})).is_err());
    }
}
