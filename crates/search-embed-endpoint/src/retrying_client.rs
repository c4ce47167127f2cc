//! Requests with everything around them: circuit breaker, budget, retries with exponential backoff
//! and accounting. A request with all its retries ends within the timeout.

use crate::EndpointSettings;
use crate::circuit_breaker::CircuitBreaker;
use crate::fault::RequestFault;
use crate::http_client::EmbeddingsClient;
use crate::response::EndpointResponse;
use crate::text_windows::estimate_token_count;
use crate::usage_file::{RequestCost, UsageFile};
use model::Moment;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Number of attempts before a request counts as failed.
const ATTEMPTS_MAX: usize = 4;
/// Delay before the first retry; doubles with each further one.
const FIRST_BACKOFF: Duration = Duration::from_millis(200);

/// Client of one endpoint with its budget and circuit breaker.
#[derive(Debug)]
pub(crate) struct RetryingClient {
    client: EmbeddingsClient,
    pub usage: UsageFile,
    breaker: CircuitBreaker,
    timeout: Duration,
}

impl RetryingClient {
    pub fn new(url: String, settings: &EndpointSettings) -> Self {
        let client = EmbeddingsClient::new(
            url,
            settings.model.trim().to_owned(),
            settings.dimensions,
            settings.key.clone(),
        );
        Self {
            client,
            usage: UsageFile::new(settings.usage_file.clone(), settings.budget),
            breaker: CircuitBreaker::default(),
            timeout: settings.timeout,
        }
    }

    /// Requests the vectors of some texts in one HTTP request.
    pub fn request(&self, texts: &[&str]) -> Result<EndpointResponse, RequestFault> {
        self.breaker.check(Instant::now()).map_err(RequestFault::transient)?;
        // Reserved before the request and settled afterwards, so that several processes together
        // stay within the budget.
        let (day, reserved) = (today(), request_cost(texts, None));
        // An exhausted budget says nothing about the endpoint, so it does not open the breaker.
        self.usage.reserve(&day, reserved).map_err(RequestFault::Permanent)?;
        let result = self.request_with_retries(texts);
        let real = match &result {
            Ok(answer) => request_cost(texts, answer.tokens),
            Err(_) => RequestCost { tokens: 0, texts: 0 },
        };
        self.usage.settle(&day, reserved, real);
        match &result {
            // An endpoint that rejects a text is evidently reachable.
            Ok(_) | Err(RequestFault::RejectedTexts(_)) => self.breaker.record_success(),
            Err(fault) => self.breaker.record_failure(Instant::now(), fault),
        }
        result
    }

    fn request_with_retries(&self, texts: &[&str]) -> Result<EndpointResponse, RequestFault> {
        let deadline = Instant::now() + self.timeout;
        let mut pause = FIRST_BACKOFF;
        // The last attempt is outside of the loop: nothing is waited for after it.
        for _ in 1..ATTEMPTS_MAX {
            let result = self.client.request(texts, remaining_until(deadline));
            let Err(fault) = &result else { return result };
            let Some(wait) =
                retry_delay(fault, pause).filter(|wait| *wait < remaining_until(deadline))
            else {
                return result;
            };
            std::thread::sleep(wait);
            pause *= 2;
        }
        self.client.request(texts, remaining_until(deadline))
    }
}

/// Returns the current UTC date, by which budgets are counted.
pub(crate) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX)).date()
}

/// Returns the delay before the next attempt; `None` when a retry would not help.
fn retry_delay(fault: &RequestFault, pause: Duration) -> Option<Duration> {
    let RequestFault::Transient { retry_after: after, .. } = fault else { return None };
    Some(after.map_or(pause, |requested| requested.max(pause)))
}

fn remaining_until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn request_cost(texts: &[&str], counted: Option<u64>) -> RequestCost {
    let estimated = || texts.iter().map(|text| estimate_token_count(text)).sum();
    RequestCost { tokens: counted.unwrap_or_else(estimated), texts: texts.len() as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_respected_and_permanent_faults_are_not_retried() {
        let pause = Duration::from_millis(200);
        let retry_after = |seconds| RequestFault::Transient {
            reason: String::new(),
            retry_after: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(retry_delay(&retry_after(7), pause), Some(Duration::from_secs(7)));
        assert_eq!(retry_delay(&retry_after(0), pause), Some(pause));
        assert_eq!(retry_delay(&RequestFault::transient("away"), pause), Some(pause));
        assert_eq!(retry_delay(&RequestFault::Permanent(String::new()), pause), None);
        assert_eq!(retry_delay(&RequestFault::RejectedTexts(String::new()), pause), None);
    }
}
