//! Scalar quantisation of a vector to int8 with one scale: a quarter of the size without measurable
//! loss of recall. Stores save this form and the index scans it; how to scan it fast is not known
//! here.

/// Largest level; -128 stays unused, so that the levels are symmetric around zero.
const LEVEL_MAX: f32 = 127.0;
/// Bytes of the scale in front of the levels.
const SCALE_BYTES: usize = 4;

/// A vector as integer levels of a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantisedVector {
    /// Value of one level.
    pub scale: f32,
    /// One level per dimension, from -127 to 127.
    pub levels: Box<[i8]>,
}

/// Error for bytes that are not a quantised vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("these bytes are not a quantised vector")]
pub struct InvalidVectorBytes;

impl QuantisedVector {
    /// Quantises a vector of finite numbers to the nearest levels.
    pub fn new(vector: &[f32]) -> Self {
        let scale = vector.iter().fold(0.0f32, |max, value| max.max(value.abs())) / LEVEL_MAX;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        Self { scale, levels: vector.iter().map(|value| (value * inverse).round() as i8).collect() }
    }

    /// Encodes the scale as a little-endian float, then one byte per dimension.
    pub fn to_bytes(&self) -> Vec<u8> {
        let levels = self.levels.iter().map(|value| value.cast_unsigned());
        self.scale.to_le_bytes().into_iter().chain(levels).collect()
    }

    /// Decodes the output of [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidVectorBytes> {
        let (scale, levels) = bytes.split_first_chunk::<SCALE_BYTES>().ok_or(InvalidVectorBytes)?;
        let scale = f32::from_le_bytes(*scale);
        if !scale.is_finite() || scale < 0.0 {
            return Err(InvalidVectorBytes);
        }
        Ok(Self { scale, levels: levels.iter().map(|level| level.cast_signed()).collect() })
    }

    /// Returns the vector, off by at most half a level in each dimension.
    pub fn to_vector(&self) -> Vec<f32> {
        self.levels.iter().map(|value| f32::from(*value) * self.scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quantisation_is_off_by_at_most_half_a_level(
            vector in prop::collection::vec(-1.0f32..1.0, 0..300),
        ) {
            let quantised = QuantisedVector::new(&vector);
            for (value, back) in vector.iter().zip(quantised.to_vector()) {
                prop_assert!((value - back).abs() <= quantised.scale * 0.5001);
            }
        }

        #[test]
        fn bytes_round_trip(
            vector in prop::collection::vec(-1.0f32..1.0, 0..300),
        ) {
            let quantised = QuantisedVector::new(&vector);
            prop_assert_eq!(QuantisedVector::from_bytes(&quantised.to_bytes()), Ok(quantised));
        }
    }

    #[test]
    fn a_zero_vector_stays_zero() {
        assert_eq!(QuantisedVector::new(&[0.0; 4]).to_vector(), [0.0; 4]);
    }

    #[test]
    fn bytes_without_a_valid_scale_are_rejected() {
        assert_eq!(QuantisedVector::from_bytes(&[1, 2, 3]), Err(InvalidVectorBytes));
        assert_eq!(QuantisedVector::from_bytes(&f32::NAN.to_le_bytes()), Err(InvalidVectorBytes));
        assert_eq!(QuantisedVector::from_bytes(&(-1f32).to_le_bytes()), Err(InvalidVectorBytes));
    }
}
