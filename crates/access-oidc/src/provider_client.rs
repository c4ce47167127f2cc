//! HTTP to the provider: documents in, a code out for tokens. Time and sizes are bounded, and no
//! redirect or proxy takes a secret elsewhere. Nothing that was sent ends up in an error.

use crate::SignInError;
use crate::settings::is_allowed;
use serde::de::DeserializeOwned;
use std::time::Duration;
use ureq::http::{Response, header};
use ureq::{Agent, Body};

/// Maximum time of one request.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a response.
const RESPONSE_BYTES: u64 = 1 << 20;

/// HTTP client of one provider. Clones share connections.
#[derive(Debug, Clone)]
pub(crate) struct ProviderClient(Agent);

impl ProviderClient {
    pub fn new() -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("quipu/", env!("CARGO_PKG_VERSION")))
            .build();
        Self(config.new_agent())
    }

    /// Fetches a JSON document.
    pub async fn get<T>(&self, url: &str) -> Result<T, SignInError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let agent = self.0.clone();
        self.run(url, move |url| {
            let response = agent.get(url).header(header::ACCEPT, "application/json").call();
            read_json(response)
        })
        .await
    }

    /// Sends a form and reads a JSON document. Returns the status with it: an error has one, too.
    pub async fn post_form<T>(
        &self,
        url: &str,
        form: String,
        authorization: Option<String>,
    ) -> Result<(u16, T), SignInError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let agent = self.0.clone();
        self.run(url, move |url| {
            let mut request = agent
                .post(url)
                .header(header::ACCEPT, "application/json")
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
            if let Some(authorization) = authorization {
                request = request.header(header::AUTHORIZATION, authorization);
            }
            let response = request.send(form.as_bytes());
            let status = response.as_ref().map_or(0, |response| response.status().as_u16());
            Ok((status, read_body(response)?))
        })
        .await
    }

    /// Runs a request on a blocking thread.
    async fn run<T: Send + 'static>(
        &self,
        url: &str,
        send: impl FnOnce(&str) -> Result<T, SignInError> + Send + 'static,
    ) -> Result<T, SignInError> {
        if !is_allowed(url) {
            return Err(SignInError::Provider("one of its addresses is not https".to_owned()));
        }
        let url = url.to_owned();
        let sent = tokio::task::spawn_blocking(move || send(&url)).await;
        sent.unwrap_or_else(|_| Err(SignInError::Provider("the request was ended".to_owned())))
    }
}

fn read_json<T: DeserializeOwned>(
    response: Result<Response<Body>, ureq::Error>,
) -> Result<T, SignInError> {
    match &response {
        Ok(found) if found.status().as_u16() != 200 => {
            let problem = format!("a document was answered with {}", found.status().as_u16());
            Err(SignInError::Provider(problem))
        }
        _ => read_body(response),
    }
}

fn read_body<T: DeserializeOwned>(
    response: Result<Response<Body>, ureq::Error>,
) -> Result<T, SignInError> {
    let mut response = response.map_err(|error| transport_error(&error))?;
    let read = response.body_mut().with_config().limit(RESPONSE_BYTES).read_to_vec();
    let bytes = read.map_err(|error| transport_error(&error))?;
    serde_json::from_slice(&bytes)
        .map_err(|_| SignInError::Provider("an answer is not the expected JSON".to_owned()))
}

fn transport_error(error: &ureq::Error) -> SignInError {
    use ureq::Error;
    let reason = match error {
        Error::Timeout(_) => "it took too long",
        Error::BodyExceedsLimit(_) => "an answer is too large",
        Error::HostNotFound => "its name cannot be resolved",
        _ => "it cannot be reached",
    };
    SignInError::Provider(reason.to_owned())
}
