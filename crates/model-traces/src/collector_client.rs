//! HTTP client of one collector. Redirects are not followed and proxies from the environment are
//! ignored: spans go to the host that was configured, or nowhere.

use crate::settings::TraceSettings;
use std::time::Duration;
use ureq::http::header::CONTENT_TYPE;
use ureq::http::{HeaderName, HeaderValue};
use ureq::{Agent, Error};

/// Client of the collector.
pub(crate) struct CollectorClient {
    agent: Agent,
    url: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    timeout: Duration,
}

impl CollectorClient {
    pub fn new(settings: &TraceSettings) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("quipu/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let (url, headers) = (settings.url.clone(), settings.headers.clone());
        Self { agent, url, headers, timeout: settings.timeout }
    }

    /// Sends a request once. Returns the reason if the collector did not accept it; the reason
    /// contains nothing that was sent.
    pub fn send(&self, body: &[u8], within: Duration) -> Result<(), String> {
        let timeout = self.timeout.min(within);
        let mut request = self.agent.post(&self.url).config().timeout_global(Some(timeout)).build();
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let sent = request.header(CONTENT_TYPE, "application/x-protobuf").send(body);
        let status = sent.map_err(|error| transport_fault(&error))?.status();
        match status.as_u16() {
            200..=299 => Ok(()),
            code => Err(format!("it answered {code}")),
        }
    }
}

fn transport_fault(error: &Error) -> String {
    match error {
        Error::Timeout(_) => "it did not answer in time".to_owned(),
        Error::HostNotFound => "its host name cannot be resolved".to_owned(),
        Error::ConnectionFailed => "no connection could be established".to_owned(),
        Error::Io(cause) => format!("the connection failed ({})", cause.kind()),
        other => format!("the request failed ({other})"),
    }
}
