//! Decides which traces are exported, by the names that `OTEL_TRACES_SAMPLER` defines.

use crate::trace_context::TraceContext;

/// Rule that decides which traces are exported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampler {
    /// Follows the decision of a caller that sent its context.
    parent_based: bool,
    /// Share of the other traces, from 0 to 1.
    ratio: f64,
}

impl Default for Sampler {
    fn default() -> Self {
        Self { parent_based: true, ratio: 1.0 }
    }
}

impl Sampler {
    /// Parses the name of a sampler and its argument; `None` if one of them is invalid.
    pub fn parse(name: &str, argument: Option<&str>) -> Option<Self> {
        let (parent_based, rule) = match name.strip_prefix("parentbased_") {
            Some(rule) => (true, rule),
            None => (false, name),
        };
        let ratio = match rule {
            "always_on" => 1.0,
            "always_off" => 0.0,
            "traceidratio" => argument.map_or(Some(1.0), |text| text.trim().parse().ok())?,
            _ => return None,
        };
        (0.0..=1.0).contains(&ratio).then_some(Self { parent_based, ratio })
    }

    /// Decides on a trace that begins in this process, or continues that of a caller.
    pub fn is_sampled(self, context: TraceContext, caller: Option<TraceContext>) -> bool {
        match caller {
            Some(caller) if self.parent_based => caller.sampled,
            _ => fraction(context.trace_id) < self.ratio,
        }
    }
}

/// Maps a trace id to a number from 0 to 1. It is the same in every program, so that all of them
/// keep the same traces.
fn fraction(trace_id: [u8; 16]) -> f64 {
    // The seven rightmost bytes are those that the specification requires to be random.
    let random = trace_id[9..].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    random as f64 / (1_u64 << 56) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(sampler: Sampler, caller: Option<TraceContext>) -> f64 {
        let sampled = (0..2_000)
            .filter(|_| sampler.is_sampled(TraceContext::root().unwrap(), caller))
            .count();
        sampled as f64 / 2_000.0
    }

    #[test]
    fn a_ratio_samples_about_that_share_of_traces() {
        let sampler = Sampler::parse("traceidratio", Some("0.25")).unwrap();
        assert!((0.2..0.3).contains(&share(sampler, None)));
        assert!(share(Sampler::parse("always_on", None).unwrap(), None) == 1.0);
        assert!(share(Sampler::parse("always_off", None).unwrap(), None) == 0.0);
    }

    #[test]
    fn the_decision_of_a_caller_is_followed_where_the_sampler_says_so() {
        let caller = |sampled| Some(TraceContext { sampled, ..TraceContext::root().unwrap() });
        let followed = Sampler::parse("parentbased_always_off", None).unwrap();
        assert_eq!((share(followed, caller(true)), share(followed, caller(false))), (1.0, 0.0));
        assert_eq!(share(Sampler::default(), caller(false)), 0.0);
        let own = Sampler::parse("always_on", None).unwrap();
        assert_eq!(share(own, caller(false)), 1.0);
    }

    #[test]
    fn an_unknown_sampler_and_an_impossible_ratio_are_refused() {
        for (name, argument) in
            [("sometimes", None), ("traceidratio", Some("2")), ("traceidratio", Some("half"))]
        {
            assert_eq!(Sampler::parse(name, argument), None, "{name} {argument:?}");
        }
    }
}
