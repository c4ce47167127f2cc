//! Reader for safetensors files: a length, a JSON header, raw little-endian bytes. It does not know
//! the meaning of the tensors.

use std::error::Error;

use serde_json::{Map, Value};

/// Tensors of one file by name.
pub struct Tensors<'a> {
    header: Map<String, Value>,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    /// Parses the header; the data is not copied.
    pub fn parse(file: &'a [u8]) -> Result<Self, Box<dyn Error>> {
        let (length, rest) = file.split_first_chunk::<8>().ok_or("the weights have no header")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (header, data) =
            rest.split_at_checked(length).ok_or("the header of the weights is truncated")?;
        Ok(Self { header: serde_json::from_slice(header)?, data })
    }

    /// Returns the bytes of one tensor, which must have this type and shape.
    pub fn raw(
        &self,
        name: &str,
        dtype: &str,
        shape: &[usize],
    ) -> Result<&'a [u8], Box<dyn Error>> {
        let entry =
            self.header.get(name).ok_or_else(|| format!("the weights have no tensor {name}"))?;
        if entry["dtype"] != dtype || entry["shape"] != Value::from(shape) {
            return Err(format!("{name} is not {dtype} {shape:?}").into());
        }
        let edge = |at: usize| {
            entry["data_offsets"][at].as_u64().and_then(|edge| usize::try_from(edge).ok())
        };
        let range = edge(0).zip(edge(1)).ok_or_else(|| format!("{name} has no data offsets"))?;
        self.data.get(range.0..range.1).ok_or_else(|| format!("{name} is truncated").into())
    }

    /// Returns a half-precision tensor as floats.
    pub fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Box<dyn Error>> {
        let (halves, _) = self.raw(name, "F16", shape)?.as_chunks::<2>();
        Ok(halves.iter().map(|half| half_to_single(u16::from_le_bytes(*half))).collect())
    }
}

/// Converts half to single precision. The exponent is rebased by a multiplication, which also
/// handles subnormal numbers.
fn half_to_single(half: u16) -> f32 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    sign * f32::from_bits(u32::from(half & 0x7fff) << 13) * 2f32.powi(112)
}
