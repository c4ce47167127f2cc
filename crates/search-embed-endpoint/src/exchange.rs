//! One request over HTTP: texts out, the answer or a fault back. No redirect is followed and no
//! proxy is taken from the environment: what is sent goes to the host that its owner named, or
//! nowhere.

use crate::KeySource;
use crate::answer::Answer;
use crate::fault::Fault;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

/// The most bytes of an answer for each text: the longest vector there may be, generously written.
const ANSWER_BYTES_A_TEXT: u64 = 256 * 1024;
/// The most bytes of an explanation.
const EXPLANATION_BYTES: u64 = 64 * 1024;

/// How an endpoint is asked.
#[derive(Debug)]
pub(crate) struct Exchange {
    agent: Agent,
    url: String,
    model: String,
    dimensions: Option<usize>,
    key: KeySource,
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

impl Exchange {
    pub fn new(url: String, model: String, dimensions: Option<usize>, key: KeySource) -> Self {
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

    /// Asks for the vectors of these texts, once.
    pub fn ask(&self, texts: &[&str], within: Duration) -> Result<Answer, Fault> {
        let (model, dimensions) = (self.model.as_str(), self.dimensions);
        let question = Question { model, input: texts, encoding_format: "float", dimensions };
        let body =
            serde_json::to_vec(&question).map_err(|error| Fault::Lasting(error.to_string()))?;
        let mut request = self.agent.post(&self.url).config().timeout_global(Some(within)).build();
        if let Some(key) = self.key.read().map_err(Fault::Lasting)? {
            request = request.header(header::AUTHORIZATION, key.bearer());
        }
        let answered = request.header(header::CONTENT_TYPE, "application/json").send(&body[..]);
        let mut response = answered.map_err(|error| unreachable(&error, within))?;
        if response.status() != StatusCode::OK {
            return Err(refused(&mut response));
        }
        let limit = EXPLANATION_BYTES + ANSWER_BYTES_A_TEXT * texts.len() as u64;
        let read = response.body_mut().with_config().limit(limit).read_to_vec();
        Answer::read(&read.map_err(|error| unreachable(&error, within))?, texts.len())
    }
}

/// No answer arrived. What the cause says is about the connection, never about what was sent.
fn unreachable(error: &ureq::Error, within: Duration) -> Fault {
    use ureq::Error;
    match error {
        Error::Timeout(_) => Fault::passing(format!(
            "it gave no answer within {} s; a larger timeout_seconds gives it more time",
            within.as_secs_f32().round()
        )),
        Error::HostNotFound => Fault::passing("its host is not known; check url, and the network"),
        Error::ConnectionFailed => Fault::passing("nobody answers there; is it running? check url"),
        Error::Io(cause) => Fault::passing(format!(
            "the connection failed ({}); is it running? check url",
            cause.kind()
        )),
        Error::BodyExceedsLimit(_) => {
            Fault::Lasting("its answer is far too long; check url and model".into())
        }
        Error::Tls(_) | Error::Rustls(_) => {
            Fault::Lasting(format!("no safe connection could be made ({error}); check url"))
        }
        other => Fault::passing(format!("the request failed ({other}); check url")),
    }
}

/// An answer that is none, with what to do about it.
fn refused(response: &mut Response<Body>) -> Fault {
    let status = response.status();
    let after = retry_after(response);
    let code = explained(response).map(|code| format!(" ({code})")).unwrap_or_default();
    let told = format!("it answered {}{code}", status.as_u16());
    match status.as_u16() {
        401 | 403 => {
            Fault::Lasting(format!("{told}: it does not take the key; check key_env or key_file"))
        }
        404 => Fault::Lasting(format!(
            "{told}: there is no such address or model; check url and model"
        )),
        400 | 413 | 422 => Fault::Texts(format!(
            "{told}: it does not take the request; check model, dimensions and window_chars"
        )),
        300..=399 => Fault::Lasting(format!(
            "{told}: it points elsewhere, and that is never followed; put the right address into url"
        )),
        429 => Fault::Passing {
            why: format!("{told}: it was asked too much; wait, or raise its limit"),
            after,
        },
        408 | 425 | 500..=599 => {
            Fault::Passing { why: format!("{told}: it failed on its side; look at its log"), after }
        }
        _ => Fault::Lasting(format!("{told}; check url and model")),
    }
}

/// How long the endpoint wants to be left alone: in seconds, or until a date.
fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let told = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    wanted_pause(told.trim(), SystemTime::now())
}

fn wanted_pause(told: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = told.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    Some(httpdate::parse_http_date(told).ok()?.duration_since(now).unwrap_or_default())
}

/// The code that an explanation names, such as `model_not_found`. Its sentences are left aside:
/// some repeat the key or the text that was sent.
fn explained(response: &mut Response<Body>) -> Option<String> {
    #[derive(Deserialize)]
    struct Explanation {
        error: Detail,
    }
    #[derive(Deserialize)]
    struct Detail {
        code: Option<serde_json::Value>,
        r#type: Option<serde_json::Value>,
    }
    const CHARS_MAX: usize = 60;
    let body = response.body_mut().with_config().limit(EXPLANATION_BYTES).read_to_vec().ok()?;
    let Detail { code, r#type } = serde_json::from_slice::<Explanation>(&body).ok()?.error;
    let named =
        [code, r#type].into_iter().flatten().find_map(|value| value.as_str().map(str::to_owned))?;
    let plain =
        named.len() <= CHARS_MAX && named.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (plain && !named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_told_in_seconds_or_as_a_date() {
        let now = httpdate::parse_http_date("Sun, 03 May 2026 12:00:00 GMT").unwrap();
        for (told, seconds) in
            [("7", Some(7)), ("Sun, 03 May 2026 12:00:30 GMT", Some(30)), ("soon", None)]
        {
            assert_eq!(wanted_pause(told, now), seconds.map(Duration::from_secs), "{told}");
        }
        assert_eq!(wanted_pause("Sat, 02 May 2026 12:00:00 GMT", now), Some(Duration::ZERO));
    }
}
