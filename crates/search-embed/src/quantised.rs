//! Scalar quantisation of a vector to int8 with one scale: a quarter of the size without measurable
//! loss of recall. Stores save this form and the index scans it; how to scan it fast is not known
//! here.

/// Largest level; -128 stays unused, so that the levels are symmetric around zero.
const TOP: f32 = 127.0;
/// Bytes of the scale in front of the levels.
const SCALE_BYTES: usize = 4;

/// A vector as integer levels of a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantised {
    /// Value of one level.
    pub scale: f32,
    /// One level per dimension, from -127 to 127.
    pub values: Box<[i8]>,
}

/// Error for bytes that are not a quantised vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("these bytes are not a quantised vector")]
pub struct NotQuantised;

impl Quantised {
    /// Quantises a vector of finite numbers to the nearest levels.
    pub fn new(vector: &[f32]) -> Self {
        let scale = vector.iter().fold(0.0f32, |max, value| max.max(value.abs())) / TOP;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        Self { scale, values: vector.iter().map(|value| (value * inverse).round() as i8).collect() }
    }

    /// Encodes the scale as a little-endian float, then one byte per dimension.
    pub fn to_bytes(&self) -> Vec<u8> {
        let levels = self.values.iter().map(|value| value.cast_unsigned());
        self.scale.to_le_bytes().into_iter().chain(levels).collect()
    }

    /// Decodes the output of [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotQuantised> {
        let (scale, levels) = bytes.split_first_chunk::<SCALE_BYTES>().ok_or(NotQuantised)?;
        let scale = f32::from_le_bytes(*scale);
        if !scale.is_finite() || scale < 0.0 {
            return Err(NotQuantised);
        }
        Ok(Self { scale, values: levels.iter().map(|level| level.cast_signed()).collect() })
    }

    /// Returns the vector, off by at most half a level in each dimension.
    pub fn to_vector(&self) -> Vec<f32> {
        self.values.iter().map(|value| f32::from(*value) * self.scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_vector_comes_back_within_half_a_level(
            vector in prop::collection::vec(-1.0f32..1.0, 0..300),
        ) {
            let quantised = Quantised::new(&vector);
            for (value, back) in vector.iter().zip(quantised.to_vector()) {
                prop_assert!((value - back).abs() <= quantised.scale * 0.5001);
            }
        }

        #[test]
        fn bytes_come_back_as_the_same_vector(
            vector in prop::collection::vec(-1.0f32..1.0, 0..300),
        ) {
            let quantised = Quantised::new(&vector);
            prop_assert_eq!(Quantised::from_bytes(&quantised.to_bytes()), Ok(quantised));
        }
    }

    #[test]
    fn a_zero_vector_stays_zero() {
        assert_eq!(Quantised::new(&[0.0; 4]).to_vector(), [0.0; 4]);
    }

    #[test]
    fn bytes_without_a_sound_scale_are_refused() {
        assert_eq!(Quantised::from_bytes(&[1, 2, 3]), Err(NotQuantised));
        assert_eq!(Quantised::from_bytes(&f32::NAN.to_le_bytes()), Err(NotQuantised));
        assert_eq!(Quantised::from_bytes(&(-1f32).to_le_bytes()), Err(NotQuantised));
    }
}
