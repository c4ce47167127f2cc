//! Requests with everything around them: circuit breaker, budget, retries with exponential backoff
//! and accounting. A request with all its retries ends within the timeout.

use crate::Settings;
use crate::answer::Answer;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::ledger::{Cost, Ledger};
use crate::patience::Patience;
use crate::texts::tokens;
use model::Moment;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Number of attempts before a request counts as failed.
const TRIES: usize = 4;
/// Delay before the first retry; doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// Client of one endpoint with its budget and circuit breaker.
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

    /// Requests the vectors of some texts in one HTTP request.
    pub fn ask(&self, texts: &[&str]) -> Result<Answer, Fault> {
        self.patience.may_ask(Instant::now()).map_err(Fault::passing)?;
        // Reserved before the request and settled afterwards, so that several processes together
        // stay within the budget.
        let (day, reserved) = (today(), cost(texts, None));
        // An exhausted budget says nothing about the endpoint, so it does not open the breaker.
        self.ledger.book(&day, reserved).map_err(Fault::Lasting)?;
        let result = self.try_again(texts);
        let real = match &result {
            Ok(answer) => cost(texts, answer.tokens),
            Err(_) => Cost { tokens: 0, texts: 0 },
        };
        self.ledger.settle(&day, reserved, real);
        match &result {
            // An endpoint that rejects a text is evidently reachable.
            Ok(_) | Err(Fault::Texts(_)) => self.patience.answered(),
            Err(fault) => self.patience.failed(Instant::now(), fault),
        }
        result
    }

    fn try_again(&self, texts: &[&str]) -> Result<Answer, Fault> {
        let deadline = Instant::now() + self.timeout;
        let mut pause = FIRST_PAUSE;
        // The last attempt is outside of the loop: nothing is waited for after it.
        for _ in 1..TRIES {
            let result = self.exchange.ask(texts, left_until(deadline));
            let Err(fault) = &result else { return result };
            let Some(wait) =
                wait_before_next(fault, pause).filter(|wait| *wait < left_until(deadline))
            else {
                return result;
            };
            std::thread::sleep(wait);
            pause *= 2;
        }
        self.exchange.ask(texts, left_until(deadline))
    }
}

/// Returns the current UTC date, by which budgets are counted.
pub(crate) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX)).date()
}

/// Returns the delay before the next attempt; `None` when a retry would not help.
fn wait_before_next(fault: &Fault, pause: Duration) -> Option<Duration> {
    let Fault::Passing { after, .. } = fault else { return None };
    Some(after.map_or(pause, |requested| requested.max(pause)))
}

fn left_until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn cost(texts: &[&str], counted: Option<u64>) -> Cost {
    let estimated = || texts.iter().map(|text| tokens(text)).sum();
    Cost { tokens: counted.unwrap_or_else(estimated), texts: texts.len() as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_that_asks_for_time_gets_it_and_what_lasts_is_not_tried_again() {
        let pause = Duration::from_millis(200);
        let retry_after = |seconds| Fault::Passing {
            why: String::new(),
            after: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(wait_before_next(&retry_after(7), pause), Some(Duration::from_secs(7)));
        assert_eq!(wait_before_next(&retry_after(0), pause), Some(pause));
        assert_eq!(wait_before_next(&Fault::passing("away"), pause), Some(pause));
        assert_eq!(wait_before_next(&Fault::Lasting(String::new()), pause), None);
        assert_eq!(wait_before_next(&Fault::Texts(String::new()), pause), None);
    }
}
