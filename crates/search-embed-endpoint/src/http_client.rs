//! One HTTP request: texts out, response or fault back. Redirects are not followed and proxies from
//! the environment are ignored: a request goes to the host that its owner configured, or nowhere.

use crate::KeySource;
use crate::fault::RequestFault;
use crate::response::EndpointResponse;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

/// Maximum number of response bytes per text: enough for the longest vector in decimal notation.
const RESPONSE_BYTES_PER_TEXT: u64 = 256 * 1024;
/// Maximum number of bytes of an error response.
const ERROR_BODY_BYTES: u64 = 64 * 1024;

/// HTTP client of one endpoint.
#[derive(Debug)]
pub(crate) struct EmbeddingsClient {
    agent: Agent,
    url: String,
    model: String,
    dimensions: Option<usize>,
    key: KeySource,
}

#[derive(Serialize)]
struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

impl EmbeddingsClient {
    pub fn new(url: String, model: String, dimensions: Option<usize>, key: KeySource) -> Self {
        // A redirect or a proxy would carry texts and the key to a host that nobody configured.
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("quipu/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Self { agent, url, model, dimensions, key }
    }

    /// Requests the vectors of these texts, without retries.
    pub fn request(
        &self,
        texts: &[&str],
        within: Duration,
    ) -> Result<EndpointResponse, RequestFault> {
        let (model, dimensions) = (self.model.as_str(), self.dimensions);
        let payload =
            EmbeddingsRequest { model, input: texts, encoding_format: "float", dimensions };
        let body = serde_json::to_vec(&payload)
            .map_err(|error| RequestFault::Permanent(error.to_string()))?;
        let mut request = self.agent.post(&self.url).config().timeout_global(Some(within)).build();
        if let Some(key) = self.key.read().map_err(RequestFault::Permanent)? {
            request = request.header(header::AUTHORIZATION, key.bearer());
        }
        let sent = request.header(header::CONTENT_TYPE, "application/json").send(&body[..]);
        let mut response = sent.map_err(|error| transport_fault(&error, within))?;
        if response.status() != StatusCode::OK {
            return Err(status_fault(&mut response));
        }
        let limit = ERROR_BODY_BYTES + RESPONSE_BYTES_PER_TEXT * texts.len() as u64;
        let read = response.body_mut().with_config().limit(limit).read_to_vec();
        EndpointResponse::parse(
            &read.map_err(|error| transport_fault(&error, within))?,
            texts.len(),
        )
    }
}

/// Converts a transport error. The message describes the connection, never what was sent.
fn transport_fault(error: &ureq::Error, within: Duration) -> RequestFault {
    use ureq::Error;
    match error {
        Error::Timeout(_) => RequestFault::transient(format!(
            "no response within {} s; increase timeout_seconds to wait longer",
            within.as_secs_f32().round()
        )),
        Error::HostNotFound => {
            RequestFault::transient("its host name cannot be resolved; check url and the network")
        }
        Error::ConnectionFailed => {
            RequestFault::transient("no connection could be established; is it running? check url")
        }
        Error::Io(cause) => RequestFault::transient(format!(
            "the connection failed ({}); is it running? check url",
            cause.kind()
        )),
        Error::BodyExceedsLimit(_) => {
            RequestFault::Permanent("its response is too long; check url and model".into())
        }
        Error::Tls(_) | Error::Rustls(_) => RequestFault::Permanent(format!(
            "no secure connection could be established ({error}); check url"
        )),
        other => RequestFault::transient(format!("the request failed ({other}); check url")),
    }
}

/// Converts an error status into a fault with advice.
fn status_fault(response: &mut Response<Body>) -> RequestFault {
    let status = response.status();
    let after = retry_after(response);
    let code = error_code(response).map(|code| format!(" ({code})")).unwrap_or_default();
    let answer = format!("it answered {}{code}", status.as_u16());
    match status.as_u16() {
        401 | 403 => RequestFault::Permanent(format!(
            "{answer}: it rejected the key; check key_env or key_file"
        )),
        404 => RequestFault::Permanent(format!(
            "{answer}: there is no such address or model; check url and model"
        )),
        400 | 413 | 422 => RequestFault::RejectedTexts(format!(
            "{answer}: it rejected the request; check model, dimensions and window_chars"
        )),
        300..=399 => RequestFault::Permanent(format!(
            "{answer}: redirects are never followed; set url to the final address"
        )),
        429 => RequestFault::Transient {
            reason: format!("{answer}: too many requests; wait, or raise its limit"),
            retry_after: after,
        },
        408 | 425 | 500..=599 => RequestFault::Transient {
            reason: format!("{answer}: it failed internally; see its log"),
            retry_after: after,
        },
        _ => RequestFault::Permanent(format!("{answer}; check url and model")),
    }
}

/// Returns the delay that the endpoint requests with `Retry-After`.
fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let value = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    parse_retry_after(value.trim(), SystemTime::now())
}

fn parse_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    Some(httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or_default())
}

/// Returns the error code of the response body, such as `model_not_found`. The message is ignored:
/// some servers repeat the key or the text that was sent.
fn error_code(response: &mut Response<Body>) -> Option<String> {
    #[derive(Deserialize)]
    struct ErrorBody {
        error: ErrorDetail,
    }
    #[derive(Deserialize)]
    struct ErrorDetail {
        code: Option<serde_json::Value>,
        r#type: Option<serde_json::Value>,
    }
    const CHARS_MAX: usize = 60;
    let body = response.body_mut().with_config().limit(ERROR_BODY_BYTES).read_to_vec().ok()?;
    let ErrorDetail { code, r#type } = serde_json::from_slice::<ErrorBody>(&body).ok()?.error;
    let named =
        [code, r#type].into_iter().flatten().find_map(|value| value.as_str().map(str::to_owned))?;
    let is_identifier =
        named.len() <= CHARS_MAX && named.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (is_identifier && !named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 03 May 2026 12:00:00 GMT").unwrap();
        for (value, seconds) in
            [("7", Some(7)), ("Sun, 03 May 2026 12:00:30 GMT", Some(30)), ("soon", None)]
        {
            assert_eq!(parse_retry_after(value, now), seconds.map(Duration::from_secs), "{value}");
        }
        assert_eq!(parse_retry_after("Sat, 02 May 2026 12:00:00 GMT", now), Some(Duration::ZERO));
    }
}
