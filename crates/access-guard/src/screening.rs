//! Screening of incoming texts. Every text field is screened before any of it is logged or stored:
//! invisible characters are removed and reported; a secret refuses the whole write or is redacted,
//! as the owner chose, and is reported by its rule and field, never by its value.

use model::{ErrorCode, Failure, JsonMap, NewMemory};
use secrets::{redact, redact_lines, remove_invisible, secrets};
use serde_json::Value;

/// Policy for secrets in incoming texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecretPolicy {
    /// Refuse the write.
    #[default]
    Refuse,
    /// Replace the secret with `[secret:rule]`.
    Redact,
}

impl SecretPolicy {
    /// Parses the value of the setting.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "refuse" => Some(Self::Refuse),
            "redact" => Some(Self::Redact),
            _ => None,
        }
    }
}

/// Screens incoming texts, and records what it changed.
#[derive(Debug, Default)]
pub struct Screening {
    secret_policy: SecretPolicy,
    notes: Vec<String>,
    screened: ScreenedText,
}

/// Cache of the longest text that a screening has let through, in its screened form. Screening is
/// idempotent, and most texts are screened twice, before they are read and before they are stored;
/// with this cache the second pass is a comparison.
#[derive(Debug, Default)]
pub struct ScreenedText(String);

impl Screening {
    /// Creates a screening with this policy for secrets.
    #[must_use]
    pub fn new(on_secret: SecretPolicy) -> Self {
        Self { secret_policy: on_secret, ..Self::default() }
    }

    /// Continues with the cache of an earlier screening of the same policy.
    #[must_use]
    pub fn with_screened(self, screened: ScreenedText) -> Self {
        Self { screened, ..self }
    }

    /// Returns descriptions of the changes so far.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns descriptions of the changes, and the cache for the next screening.
    #[must_use]
    pub fn finish(self) -> (Vec<String>, ScreenedText) {
        (self.notes, self.screened)
    }

    /// Screens one text.
    ///
    /// # Errors
    /// `secret_refused`, naming the rule and the field, never the secret.
    pub fn text(&mut self, field: &str, text: &mut String) -> Result<(), Failure> {
        if *text == self.screened.0 {
            return Ok(());
        }
        // Invisible characters first: they could split a secret so that no rule matches it.
        self.remove_invisible(field, text);
        self.redact_secrets(field, text)?;
        if text.len() > self.screened.0.len() {
            self.screened.0.clone_from(text);
        }
        Ok(())
    }

    /// Screens a document of the owner. Whatever the policy, a secret does not refuse the document:
    /// under [`SecretPolicy::Refuse`] the lines that contain one are removed, and the rest is let
    /// through.
    pub fn document(&mut self, field: &str, text: &mut String) {
        self.remove_invisible(field, text);
        let by_line = self.secret_policy == SecretPolicy::Refuse;
        let (screened, rules) = if by_line { redact_lines(text) } else { redact(text) };
        let what = if by_line { "the line of a secret" } else { "a secret" };
        self.notes
            .extend(rules.iter().map(|rule| format!("{field}: {what} was redacted (rule {rule})")));
        *text = screened;
    }

    /// Screens an optional text.
    ///
    /// # Errors
    /// As [`Screening::text`].
    pub fn optional(&mut self, field: &str, text: &mut Option<String>) -> Result<(), Failure> {
        text.as_mut().map_or(Ok(()), |text| self.text(field, text))
    }

    /// Screens every text of a list.
    ///
    /// # Errors
    /// As [`Screening::text`].
    pub fn texts(&mut self, field: &str, texts: &mut [String]) -> Result<(), Failure> {
        texts.iter_mut().try_for_each(|text| self.text(field, text))
    }

    /// Screens a name that others refer to, so that it cannot be changed: a secret in it always
    /// refuses the write.
    ///
    /// # Errors
    /// As [`Screening::text`].
    pub fn name(&self, field: &str, name: &str) -> Result<(), Failure> {
        secrets(name).first().map_or(Ok(()), |secret| Err(secret_refused(field, secret.rule)))
    }

    /// Screens every text of a JSON object: names and values, to any depth.
    ///
    /// # Errors
    /// `secret_refused`, naming the rule and the path of the field; `invalid_argument` when two
    /// names are the same without their invisible characters.
    pub fn object(&mut self, field: &str, object: &mut JsonMap) -> Result<(), Failure> {
        self.object_names(field, object)?;
        self.pair(field, object)?;
        for (name, value) in object.iter_mut() {
            let path = format!("{field}.{name}");
            self.named_value(&path, name, value)?;
            self.value(&path, value)?;
        }
        Ok(())
    }

    /// Screens every text of a JSON value.
    ///
    /// # Errors
    /// As [`Screening::object`].
    pub fn value(&mut self, field: &str, value: &mut Value) -> Result<(), Failure> {
        match value {
            Value::String(text) => self.text(field, text),
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.value(field, item)),
            Value::Object(inner) => self.object(field, inner),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    /// Screens a memory.
    ///
    /// # Errors
    /// As [`Screening::object`].
    pub fn memory(&mut self, memory: &mut NewMemory) -> Result<(), Failure> {
        self.text("text", &mut memory.text)?;
        self.optional("title", &mut memory.title)?;
        self.optional("summary", &mut memory.summary)?;
        self.text("collection", &mut memory.collection)?;
        self.optional("project", &mut memory.project)?;
        self.texts("tags", &mut memory.tags)?;
        self.texts("applies_to", &mut memory.applies_to)?;
        self.object("metadata", &mut memory.metadata)?;
        self.name("kind", memory.kind.as_str())
    }

    /// Removes invisible characters.
    fn remove_invisible(&mut self, field: &str, text: &mut String) {
        let (cleaned, found) = remove_invisible(text);
        let changed = (cleaned != text.as_str()).then(|| cleaned.into_owned());
        self.notes.extend(found.iter().map(|one| {
            let (count, kind) = (one.count, one.kind.as_str());
            format!("{field}: removed invisible characters ({count} {kind})")
        }));
        if let Some(cleaned) = changed {
            *text = cleaned;
        }
    }

    fn redact_secrets(&mut self, field: &str, text: &mut String) -> Result<(), Failure> {
        let (redacted, rules) = redact(text);
        self.report_secrets(field, &rules)?;
        if !rules.is_empty() {
            *text = redacted;
        }
        Ok(())
    }

    /// Records the redacted secrets, or refuses them.
    fn report_secrets(&mut self, field: &str, rules: &[&'static str]) -> Result<(), Failure> {
        if let (SecretPolicy::Refuse, Some(rule)) = (self.secret_policy, rules.first()) {
            return Err(secret_refused(field, rule));
        }
        self.notes.extend(
            rules.iter().map(|rule| format!("{field}: a secret was redacted (rule {rule})")),
        );
        Ok(())
    }

    /// Screens the names of a JSON object.
    fn object_names(&mut self, field: &str, object: &mut JsonMap) -> Result<(), Failure> {
        // Most objects have clean names and need not be rebuilt.
        let plain =
            |name: &String| remove_invisible(name).0 == name.as_str() && secrets(name).is_empty();
        if object.keys().all(plain) {
            return Ok(());
        }
        for (mut name, value) in std::mem::take(object) {
            self.text(&format!("a name in {field}"), &mut name)?;
            if object.contains_key(&name) {
                return Err(Failure::invalid(format!(
                    "{field} has the name `{name}` twice, once with invisible characters; \
                     send it only once"
                )));
            }
            object.insert(name, value);
        }
        Ok(())
    }

    /// Screens a value together with its name: `{"password": "…"}` is an assignment too, and so are
    /// the items of `{"passwords": […]}` and the value in `{"password": {"value": "…"}}`.
    fn named_value(&mut self, path: &str, name: &str, value: &mut Value) -> Result<(), Failure> {
        let text = match value {
            Value::String(text) => text.clone(),
            // A PIN is a number in JSON.
            Value::Number(number) => number.to_string(),
            Value::Array(items) => {
                let name = singular(name);
                return items.iter_mut().try_for_each(|item| self.named_value(path, name, item));
            }
            Value::Object(inner) => {
                let values = inner.iter_mut().filter(|(key, _)| VALUE_KEYS.contains(&key.as_str()));
                return values
                    .map(|(_, one)| one)
                    .try_for_each(|one| self.named_value(path, name, one));
            }
            Value::Null | Value::Bool(_) => return Ok(()),
        };
        let before = format!("{name}: ");
        let (redacted, rules) = redact(&format!("{before}{text}"));
        self.report_secrets(path, &rules)?;
        match (rules.first(), redacted.strip_prefix(&before)) {
            // A value of one word is removed whole, also behind a comma or a bracket.
            (Some(rule), _) if !text.contains(char::is_whitespace) => {
                *value = format!("[secret:{rule}]").into();
            }
            (Some(_), Some(redacted)) => *value = redacted.into(),
            _ => (),
        }
        Ok(())
    }

    /// Screens `{"name": "DB_PASSWORD", "value": "…"}`, in which the name is a value, too.
    fn pair(&mut self, field: &str, object: &mut JsonMap) -> Result<(), Failure> {
        let name = ["name", "key"].iter().find_map(|key| object.get(*key)?.as_str());
        let Some(name) = name.map(str::to_owned) else { return Ok(()) };
        match object.get_mut("value") {
            Some(value) => self.named_value(&format!("{field}.value"), &name, value),
            None => Ok(()),
        }
    }
}

/// Keys below a name whose values are the secret itself.
const VALUE_KEYS: [&str; 6] = ["value", "default", "secret", "plain", "data", "current"];

/// Returns the name of one item of a list.
fn singular(name: &str) -> &str {
    name.strip_suffix('s').filter(|one| !one.ends_with('s')).unwrap_or(name)
}

/// Returns a text without secrets and invisible characters, whatever the policy, so that it can be
/// logged.
#[must_use]
pub fn sanitize_for_log(text: &str) -> String {
    redact(&remove_invisible(text).0).0
}

fn secret_refused(field: &str, rule: &str) -> Failure {
    Failure::new(
        ErrorCode::SecretRefused,
        format!("{field} appears to contain a secret (rule {rule})"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AgentName, Author, Dialect, Moment, Origin, Provenance};
    use serde_json::json;

    fn note(text: &str) -> NewMemory {
        let author = Author {
            agent: AgentName::new("test"),
            client: None,
            dialect: Dialect::Quipu,
            tool: "remember".into(),
        };
        let origin = Origin::Agent;
        NewMemory::note(text, Provenance { author, origin, trust: origin.trust(), at: Moment(0) })
    }

    /// Assembled at run time, so that the source contains nothing that looks like a secret.
    fn token() -> String {
        format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")
    }

    fn object(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap_or_default()
    }

    /// A setter for each text field of a memory.
    const FIELDS: [fn(&mut NewMemory, String); 10] = [
        |memory, value| memory.text = format!("it is {value}"),
        |memory, value| memory.title = Some(value),
        |memory, value| memory.summary = Some(value),
        |memory, value| memory.collection = value,
        |memory, value| memory.project = Some(value),
        |memory, value| memory.tags = vec![value],
        |memory, value| memory.applies_to = vec![value],
        |memory, value| memory.metadata = object(json!({"a": [{"b": value}]})),
        |memory, value| memory.metadata = object(json!({ value: 1 })),
        |memory, value| memory.metadata = object(json!({"a": {"b": {value: ["x"]}}})),
    ];

    #[test]
    fn a_secret_in_any_field_refuses_the_memory_and_is_not_repeated() {
        for set in FIELDS {
            let mut memory = note("plain");
            set(&mut memory, token());
            let refusal = Screening::default().memory(&mut memory).unwrap_err();
            assert_eq!(refusal.code, ErrorCode::SecretRefused);
            assert!(!refusal.message.contains("aB3dE5"), "{}", refusal.message);
            assert!(refusal.message.contains("github-token"), "{}", refusal.message);
        }
    }

    #[test]
    fn a_secret_in_any_field_is_redacted_and_reported_under_the_redact_policy() {
        for set in FIELDS {
            let mut memory = note("plain");
            set(&mut memory, token());
            let mut screen = Screening::new(SecretPolicy::Redact);
            screen.memory(&mut memory).unwrap();
            let stored = format!("{memory:?}");
            assert!(
                !stored.contains("aB3dE5") && stored.contains("[secret:github-token]"),
                "{stored}"
            );
            let notes = screen.notes();
            assert!(notes.len() == 1 && notes[0].contains("(rule github-token)"), "{notes:?}");
        }
    }

    #[test]
    fn invisible_characters_in_any_field_are_removed_and_reported() {
        for set in FIELDS {
            let mut memory = note("plain");
            set(&mut memory, "pay\u{202e}pal".into());
            let mut screen = Screening::default();
            screen.memory(&mut memory).unwrap();
            let stored = format!("{memory:?}");
            assert!(stored.contains("paypal") && !stored.contains("202e"), "{stored}");
            let notes = screen.notes();
            assert!(
                notes.len() == 1 && notes[0].contains("removed invisible characters (1 direction)"),
                "{notes:?}"
            );
        }
    }

    #[test]
    fn a_screened_text_is_not_screened_again_and_any_other_text_is() {
        let (mut text, mut screen) =
            (format!("it is {}", token()), Screening::new(SecretPolicy::Redact));
        screen.text("text", &mut text).unwrap();
        let (notes, passed) = screen.finish();
        assert_eq!(notes.len(), 1);
        let mut next = Screening::new(SecretPolicy::Redact).with_screened(passed);
        let screened = text.clone();
        next.text("text", &mut text).unwrap();
        assert_eq!(
            (&text, next.notes().len()),
            (&screened, 0),
            "a screened text is not reported again"
        );
        next.text("text", &mut format!("{screened} {}", token())).unwrap();
        next.text("text", &mut token()).unwrap();
        assert_eq!(next.notes().len(), 2);
    }

    #[test]
    fn a_value_is_screened_together_with_its_name() {
        for value in [json!({"password": "hunter2x"}), json!({"db": {"password": 48_151_623}})] {
            assert!(
                Screening::default().object("data", &mut object(value.clone())).is_err(),
                "{value}"
            );
            let mut data = object(value);
            Screening::new(SecretPolicy::Redact).object("data", &mut data).unwrap();
            assert!(json!(data).to_string().contains("[secret:assignment]"), "{data:?}");
        }
    }

    #[test]
    fn a_value_is_screened_with_a_name_above_it_or_beside_it() {
        for value in [
            json!({"password": {"value": "hunter2x"}}),
            json!({"passwords": ["hunter2x", "tea4two!"]}),
            json!({"env": [{"name": "DB_PASSWORD", "value": "hunter2x"}]}),
            json!({"password": "hunter2x,more"}),
        ] {
            assert!(
                Screening::default().object("data", &mut object(value.clone())).is_err(),
                "{value}"
            );
            let mut data = object(value);
            Screening::new(SecretPolicy::Redact).object("data", &mut data).unwrap();
            let stored = json!(data).to_string();
            assert!(stored.contains("[secret:assignment]"), "{stored}");
            assert!(!stored.contains("hunter2x") && !stored.contains("more"), "{stored}");
        }
    }

    #[test]
    fn a_document_loses_the_line_of_a_secret_and_keeps_the_rest() {
        let document = format!("# Build\n\n![badge](https://x.example/?t={})\n\nText.\n", token());
        for (policy, expected) in [
            (SecretPolicy::Refuse, "# Build\n\n[secret:github-token]\n\nText.\n"),
            (
                SecretPolicy::Redact,
                "# Build\n\n![badge](https://x.example/?t=[secret:github-token])\n\nText.\n",
            ),
        ] {
            let (mut text, mut screen) = (document.clone(), Screening::new(policy));
            screen.document("document", &mut text);
            assert_eq!(text, expected);
            assert!(screen.notes()[0].contains("redacted (rule github-token)"));
        }
    }

    #[test]
    fn two_names_that_look_the_same_are_refused() {
        let mut twice = object(json!({"food": 1, "fo\u{200b}od": 2}));
        let refusal = Screening::default().object("data", &mut twice).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::InvalidArgument);
    }

    #[test]
    fn a_log_contains_no_secrets_and_no_invisible_characters() {
        let logged = sanitize_for_log(&format!("vectors/{} and pay\u{202e}pal", token()));
        assert_eq!(logged, "vectors/[secret:github-token] and paypal");
    }

    #[test]
    fn ordinary_text_is_unchanged() {
        let mut memory = note("The password policy asks for twelve characters.");
        let mut screen = Screening::default();
        screen.memory(&mut memory).unwrap();
        assert_eq!(memory, note("The password policy asks for twelve characters."));
        assert!(screen.notes().is_empty());
    }
}
