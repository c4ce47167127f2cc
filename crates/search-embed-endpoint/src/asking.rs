//! Asking with everything around it: whether the endpoint is left alone, whether the budget allows
//! it, trying again where that helps, and counting what it cost. A request with all its tries ends
//! within the timeout.

use crate::Settings;
use crate::answer::Answer;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::ledger::{Cost, Ledger};
use crate::patience::Patience;
use crate::texts::tokens;
use model::Moment;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often a request is made before it counts as failed.
const TRIES: usize = 4;
/// How long the first pause between two tries is; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// An endpoint, and how it was with it so far.
#[derive(Debug)]
pub(crate) struct Asking {
    exchange: Exchange,
    pub ledger: Ledger,
    patience: Patience,
    timeout: Duration,
}

impl Asking {
    pub fn new(url: String, settings: &Settings) -> Self {
        let exchange = Exchange::new(
            url,
            settings.model.trim().to_owned(),
            settings.dimensions,
            settings.key.clone(),
        );
        Self {
            exchange,
            ledger: Ledger::new(settings.ledger.clone(), settings.budget),
            patience: Patience::default(),
            timeout: settings.timeout,
        }
    }

    /// The vectors of some texts, in one request.
    pub fn ask(&self, texts: &[&str]) -> Result<Answer, Fault> {
        self.patience.may_ask(Instant::now()).map_err(Fault::passing)?;
        let (day, booked) = (today(), cost(texts, None));
        // A spent budget says nothing about the endpoint, so it is not left alone for it.
        self.ledger.book(&day, booked).map_err(Fault::Lasting)?;
        let asked = self.try_again(texts);
        let real = match &asked {
            Ok(answer) => cost(texts, answer.tokens),
            Err(_) => Cost { tokens: 0, texts: 0 },
        };
        self.ledger.settle(&day, booked, real);
        match &asked {
            // That it refuses a text shows that it is there.
            Ok(_) | Err(Fault::Texts(_)) => self.patience.answered(),
            Err(fault) => self.patience.failed(Instant::now(), fault),
        }
        asked
    }

    fn try_again(&self, texts: &[&str]) -> Result<Answer, Fault> {
        let deadline = Instant::now() + self.timeout;
        let mut pause = FIRST_PAUSE;
        for _ in 1..TRIES {
            let asked = self.exchange.ask(texts, left_until(deadline));
            let Err(fault) = &asked else { return asked };
            let Some(wait) =
                wait_before_next(fault, pause).filter(|wait| *wait < left_until(deadline))
            else {
                return asked;
            };
            std::thread::sleep(wait);
            pause *= 2;
        }
        self.exchange.ask(texts, left_until(deadline))
    }
}

/// The calendar day, by which budgets are counted.
pub(crate) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX)).date()
}

/// How long to wait before it is tried again; `None` when that would not help.
fn wait_before_next(fault: &Fault, pause: Duration) -> Option<Duration> {
    let Fault::Passing { after, .. } = fault else { return None };
    Some(after.map_or(pause, |asked_for| asked_for.max(pause)))
}

fn left_until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn cost(texts: &[&str], told: Option<u64>) -> Cost {
    let estimated = || texts.iter().map(|text| tokens(text)).sum();
    Cost { tokens: told.unwrap_or_else(estimated), texts: texts.len() as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_that_asks_for_time_gets_it_and_what_lasts_is_not_tried_again() {
        let pause = Duration::from_millis(200);
        let asks = |seconds| Fault::Passing {
            why: String::new(),
            after: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(wait_before_next(&asks(7), pause), Some(Duration::from_secs(7)));
        assert_eq!(wait_before_next(&asks(0), pause), Some(pause));
        assert_eq!(wait_before_next(&Fault::passing("away"), pause), Some(pause));
        assert_eq!(wait_before_next(&Fault::Lasting(String::new()), pause), None);
        assert_eq!(wait_before_next(&Fault::Texts(String::new()), pause), None);
    }
}
