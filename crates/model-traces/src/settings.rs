//! Settings of the export, from the setting `traces` of Quipu or from the variables that
//! OpenTelemetry defines. An invalid value is an error, because traces that silently go nowhere are
//! found out when they are needed.

use crate::sampler::Sampler;
use percent_encoding::percent_decode_str;
use std::time::Duration;
use ureq::http::{HeaderName, HeaderValue, Uri};

/// Path of traces below the address of a collector.
const TRACES_PATH: &str = "/v1/traces";
/// Value that turns traces off.
const OFF: &str = "off";
const OWN_SETTING: &str = "traces";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const PROTOBUF: &str = "http/protobuf";
const DEFAULT_DELAY: Duration = Duration::from_secs(5);
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Settings of the export.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceSettings {
    /// Full address that spans are sent to.
    pub(crate) url: String,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// Attributes of this process.
    pub(crate) resource: Vec<(String, String)>,
    pub(crate) sampler: Sampler,
    /// Longest time that a span waits for others.
    pub(crate) delay: Duration,
    /// Timeout of one request.
    pub(crate) timeout: Duration,
}

/// Error for an invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is invalid: {why}")]
pub struct TraceSettingsError {
    name: &'static str,
    why: String,
}

impl TraceSettings {
    /// Reads the settings; `None` if no endpoint is set. `own` is the address in Quipu's own
    /// setting, which is more specific than the variables.
    ///
    /// # Errors
    /// Fails when a value is invalid; the message names the setting.
    pub fn read(
        own: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, TraceSettingsError> {
        let variables = Variables(&variable);
        let Some(url) = read_url(own, &variables)? else { return Ok(None) };
        variables.check_protocol()?;
        Ok(Some(Self {
            url,
            headers: variables.headers()?,
            resource: variables.resource()?,
            sampler: variables.sampler()?,
            delay: variables.milliseconds(&["OTEL_BSP_SCHEDULE_DELAY"], DEFAULT_DELAY)?,
            timeout: variables.milliseconds(
                &["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"],
                DEFAULT_TIMEOUT,
            )?,
        }))
    }
}

fn read_url(
    own: Option<&str>,
    variables: &Variables<'_>,
) -> Result<Option<String>, TraceSettingsError> {
    let below = |address: &str| format!("{}{TRACES_PATH}", address.trim_end_matches('/'));
    if let Some(own) = own.map(str::trim) {
        return match own {
            OFF => Ok(None),
            own => check_url(OWN_SETTING, below(own)).map(Some),
        };
    }
    if variables.is_disabled() {
        return Ok(None);
    }
    if let Some(whole) = variables.get(TRACES_ENDPOINT) {
        return check_url(TRACES_ENDPOINT, whole).map(Some);
    }
    variables.get(ENDPOINT).map(|address| check_url(ENDPOINT, below(&address))).transpose()
}

fn check_url(name: &'static str, url: String) -> Result<String, TraceSettingsError> {
    let invalid = |why: &str| Err(TraceSettingsError { name, why: why.to_owned() });
    let uri = url.parse::<Uri>().ok();
    let parts = uri.as_ref().and_then(|uri| Some((uri.scheme_str()?, uri.authority()?)));
    match parts {
        None => invalid("it must be an address such as http://127.0.0.1:4318"),
        Some((_, authority)) if authority.as_str().contains('@') => invalid(
            "it must not contain a user name or password; use OTEL_EXPORTER_OTLP_HEADERS for a key",
        ),
        Some(("http" | "https", _)) => Ok(url),
        Some(_) => invalid("only http:// and https:// are supported"),
    }
}

/// The variables of OpenTelemetry. One that is set but empty counts as unset.
struct Variables<'v>(&'v dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    fn get(&self, name: &str) -> Option<String> {
        let value = (self.0)(name)?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// Returns the first of several variables that is set, with its name.
    fn first(&self, names: &[&'static str]) -> Option<(&'static str, String)> {
        names.iter().find_map(|name| Some((*name, self.get(name)?)))
    }

    fn is_disabled(&self) -> bool {
        let is = |name, value: &str| {
            self.get(name).is_some_and(|set: String| set.eq_ignore_ascii_case(value))
        };
        is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none")
    }

    fn check_protocol(&self) -> Result<(), TraceSettingsError> {
        let names = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
        match self.first(&names) {
            Some((name, protocol)) if protocol != PROTOBUF => Err(TraceSettingsError {
                name,
                why: format!(
                    "only {PROTOBUF} is supported, which collectors accept on port 4318; \
                     set it to that, with an endpoint such as http://127.0.0.1:4318"
                ),
            }),
            _ => Ok(()),
        }
    }

    fn headers(&self) -> Result<Vec<(HeaderName, HeaderValue)>, TraceSettingsError> {
        let names = ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"];
        let Some((name, text)) = self.first(&names) else { return Ok(Vec::new()) };
        // The value may be a key, so the message does not repeat it.
        let invalid =
            || TraceSettingsError { name, why: "write it as name=value,name=value".to_owned() };
        let header = |(name, value): (String, String)| {
            let name: HeaderName = name.parse().map_err(|_| invalid())?;
            Ok((name, value.parse().map_err(|_| invalid())?))
        };
        pairs(&text).ok_or_else(invalid)?.into_iter().map(header).collect()
    }

    /// Returns the attributes of this process. The service has the name `quipu` unless it is set.
    fn resource(&self) -> Result<Vec<(String, String)>, TraceSettingsError> {
        let name = "OTEL_RESOURCE_ATTRIBUTES";
        let text = self.get(name).unwrap_or_default();
        let mut attributes = pairs(&text).ok_or_else(|| TraceSettingsError {
            name,
            why: "write it as name=value,name=value".to_owned(),
        })?;
        if let Some(service) = self.get("OTEL_SERVICE_NAME") {
            attributes.retain(|(key, _)| key != "service.name");
            attributes.push(("service.name".to_owned(), service));
        }
        let defaults = [("service.name", "quipu"), ("service.version", env!("CARGO_PKG_VERSION"))];
        for (key, value) in defaults {
            if !attributes.iter().any(|(known, _)| known == key) {
                attributes.push((key.to_owned(), value.to_owned()));
            }
        }
        Ok(attributes)
    }

    fn sampler(&self) -> Result<Sampler, TraceSettingsError> {
        let name = "OTEL_TRACES_SAMPLER";
        let Some(sampler) = self.get(name) else { return Ok(Sampler::default()) };
        let argument = self.get("OTEL_TRACES_SAMPLER_ARG");
        Sampler::parse(&sampler, argument.as_deref()).ok_or_else(|| TraceSettingsError {
            name,
            why: "use always_on, always_off or traceidratio with OTEL_TRACES_SAMPLER_ARG between \
                  0 and 1, each also with parentbased_ before it"
                .to_owned(),
        })
    }

    fn milliseconds(
        &self,
        names: &[&'static str],
        default: Duration,
    ) -> Result<Duration, TraceSettingsError> {
        let Some((name, text)) = self.first(names) else { return Ok(default) };
        let milliseconds = text.parse().map_err(|_| TraceSettingsError {
            name,
            why: "it must be a number of milliseconds".to_owned(),
        })?;
        Ok(Duration::from_millis(milliseconds))
    }
}

/// Parses `name=value,name=value` with percent-encoded values; `None` if a part has no `=`.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        Some((name.trim().to_owned(), value.into_owned())).filter(|(name, _)| !name.is_empty())
    };
    parts.map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(
        own: Option<&str>,
        variables: &[(&str, &str)],
    ) -> Result<Option<TraceSettings>, String> {
        let variable = |name: &str| {
            variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned())
        };
        TraceSettings::read(own, variable).map_err(|error| error.to_string())
    }

    fn url(own: Option<&str>, variables: &[(&str, &str)]) -> Option<String> {
        read(own, variables).unwrap().map(|settings| settings.url)
    }

    #[test]
    fn without_an_endpoint_there_are_no_traces() {
        assert_eq!(read(None, &[]), Ok(None));
        assert_eq!(read(None, &[(ENDPOINT, " "), ("OTEL_SERVICE_NAME", "x")]), Ok(None));
        let set = (ENDPOINT, "http://c:4318");
        assert_eq!(read(None, &[set, ("OTEL_SDK_DISABLED", "TRUE")]), Ok(None));
        assert_eq!(read(None, &[set, ("OTEL_TRACES_EXPORTER", "none")]), Ok(None));
        assert_eq!(read(Some("off"), &[set]), Ok(None));
    }

    #[test]
    fn the_path_of_traces_is_appended_except_to_an_endpoint_for_traces() {
        let base = (ENDPOINT, "http://c:4318/");
        assert_eq!(url(None, &[base]).unwrap(), "http://c:4318/v1/traces");
        let whole = (TRACES_ENDPOINT, "https://c/x");
        assert_eq!(url(None, &[base, whole]).unwrap(), "https://c/x");
        assert_eq!(url(Some("http://d:1"), &[base, whole]).unwrap(), "http://d:1/v1/traces");
    }

    #[test]
    fn an_address_of_the_wrong_form_is_refused_with_the_name_of_its_setting() {
        for address in ["collector:4318", "ftp://c", "", "http://me:secret@c:4318", "/v1"] {
            let refusal = read(Some(address), &[]).unwrap_err();
            assert!(refusal.starts_with("traces is invalid"), "{refusal}");
            assert!(!refusal.contains("secret"), "{refusal}");
        }
        let refusal = read(None, &[(ENDPOINT, "unix:/x")]).unwrap_err();
        assert!(refusal.starts_with(ENDPOINT), "{refusal}");
    }

    #[test]
    fn a_protocol_that_is_not_spoken_is_refused_with_the_one_that_is() {
        let set = (ENDPOINT, "http://c:4317");
        let refusal = read(None, &[set, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]).unwrap_err();
        assert!(refusal.contains("http/protobuf") && refusal.contains("4318"), "{refusal}");
        assert!(read(None, &[set, ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")]).is_ok());
    }

    #[test]
    fn headers_are_pairs_and_never_repeated_in_an_error() {
        let set = (ENDPOINT, "http://c:4318");
        let headers = ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, x-scope=me");
        let settings = read(None, &[set, headers]).unwrap().unwrap();
        let sent: Vec<_> = settings
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
            .collect();
        assert_eq!(sent, [("api-key", "a b"), ("x-scope", "me")]);
        for wrong in ["secret", "a b=secret", "key=secret%0a"] {
            let refusal = read(None, &[set, ("OTEL_EXPORTER_OTLP_HEADERS", wrong)]).unwrap_err();
            assert!(refusal.contains("HEADERS") && !refusal.contains("secret"), "{refusal}");
        }
    }

    #[test]
    fn the_service_has_a_name_and_a_version() {
        let set = (ENDPOINT, "http://c:4318");
        let resource = |variables: &[(&str, &str)]| {
            let all: Vec<_> = [&[set], variables].concat();
            read(None, &all).unwrap().unwrap().resource
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(resource(&[])[0], pair("service.name", "quipu"));
        let named = resource(&[
            ("OTEL_SERVICE_NAME", "memory"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,deployment.environment=test"),
        ]);
        assert!(named.contains(&pair("service.name", "memory")), "{named:?}");
        assert!(named.contains(&pair("deployment.environment", "test")), "{named:?}");
        assert_eq!(named.len(), 3, "{named:?}");
    }

    #[test]
    fn a_sampler_or_a_time_of_the_wrong_form_is_refused() {
        let set = (ENDPOINT, "http://c:4318");
        for (name, value) in [
            ("OTEL_TRACES_SAMPLER", "sometimes"),
            ("OTEL_BSP_SCHEDULE_DELAY", "soon"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "-1"),
            ("OTEL_RESOURCE_ATTRIBUTES", "no value"),
        ] {
            let refusal = read(None, &[set, (name, value)]).unwrap_err();
            assert!(refusal.starts_with(name), "{refusal}");
        }
    }
}
