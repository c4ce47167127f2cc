//! Serialisation of moments: RFC 3339 to the microsecond, or the bare number of microseconds where
//! the calendar ends.

use model::Moment;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment as serialised in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timestamp(pub Moment);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.0.to_rfc3339();
        if Moment::parse(&text) == Ok(self.0) {
            serializer.serialize_str(&text)
        } else {
            serializer.serialize_i64(self.0.0)
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Encoded {
            Text(String),
            Micros(i64),
        }
        match Encoded::deserialize(deserializer)? {
            Encoded::Text(text) => Moment::parse(&text).map(Self).map_err(serde::de::Error::custom),
            Encoded::Micros(micros) => Ok(Self(Moment(micros))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_round_trips_exactly() {
        for micros in [0, 1, -1, 1_777_777_777_123_456, i64::MAX, i64::MIN] {
            let line = serde_json::to_string(&Timestamp(Moment(micros))).unwrap();
            assert_eq!(
                serde_json::from_str::<Timestamp>(&line).unwrap(),
                Timestamp(Moment(micros)),
                "{line}"
            );
        }
    }
}
