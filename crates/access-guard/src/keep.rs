//! What may be kept. Every text field is looked through before anything of it is logged or stored:
//! invisible characters are taken out and reported; a secret refuses the whole write or is left
//! out, as the owner chose, and is named by its rule and field, never by itself.

use model::{ErrorCode, Failure, JsonMap, NewMemory};
use secrets::{clean, redact, secrets};
use serde_json::Value;

/// What to do about a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnSecret {
    /// Refuse the write that holds it.
    #[default]
    Refuse,
    /// Keep the write with `[secret:rule]` in its place.
    Redact,
}

impl OnSecret {
    /// The choice of a name, as settings spell it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "refuse" => Some(Self::Refuse),
            "redact" => Some(Self::Redact),
            _ => None,
        }
    }
}

/// Looks texts through on their way in, and notes what it changed.
#[derive(Debug, Default)]
pub struct Screen {
    on_secret: OnSecret,
    notes: Vec<String>,
    passed: Passed,
}

/// The longest text that came through a screen, as it came out. What passed once passes again, and
/// most texts meet two screens: one before they are read, one before they are kept.
#[derive(Debug, Default)]
pub struct Passed(String);

impl Screen {
    /// A screen that does this about secrets.
    #[must_use]
    pub fn new(on_secret: OnSecret) -> Self {
        Self { on_secret, ..Self::default() }
    }

    /// The same screen, for whom another of the same kind looked a text through already.
    #[must_use]
    pub fn after(self, passed: Passed) -> Self {
        Self { passed, ..self }
    }

    /// What was changed so far, in sentences.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What was changed, in sentences, and what the next screen need not look through again.
    #[must_use]
    pub fn put_away(self) -> (Vec<String>, Passed) {
        (self.notes, self.passed)
    }

    /// Looks one text through.
    ///
    /// # Errors
    /// `secret_refused`, naming the rule and the field, never the secret.
    pub fn text(&mut self, field: &str, text: &mut String) -> Result<(), Failure> {
        if *text == self.passed.0 {
            return Ok(());
        }
        self.uncover(field, text);
        self.secrets(field, text)?;
        if text.len() > self.passed.0.len() {
            self.passed.0.clone_from(text);
        }
        Ok(())
    }

    /// Looks a text through that may be missing.
    ///
    /// # Errors
    /// As [`Screen::text`].
    pub fn optional(&mut self, field: &str, text: &mut Option<String>) -> Result<(), Failure> {
        text.as_mut().map_or(Ok(()), |text| self.text(field, text))
    }

    /// Looks every text of a list through.
    ///
    /// # Errors
    /// As [`Screen::text`].
    pub fn texts(&mut self, field: &str, texts: &mut [String]) -> Result<(), Failure> {
        texts.iter_mut().try_for_each(|text| self.text(field, text))
    }

    /// Looks a name through that cannot change because others know it: a secret in it always
    /// refuses the write.
    ///
    /// # Errors
    /// As [`Screen::text`].
    pub fn name(&self, field: &str, name: &str) -> Result<(), Failure> {
        secrets(name).first().map_or(Ok(()), |secret| Err(refused(field, secret.rule)))
    }

    /// Looks every text of an object through: names and values, to any depth.
    ///
    /// # Errors
    /// `secret_refused`, naming the rule and the path of the field; `invalid_argument` when two
    /// names are one without their invisible characters.
    pub fn object(&mut self, field: &str, object: &mut JsonMap) -> Result<(), Failure> {
        self.names(field, object)?;
        for (name, value) in object.iter_mut() {
            let path = format!("{field}.{name}");
            self.named(&path, name, value)?;
            self.value(&path, value)?;
        }
        Ok(())
    }

    /// Looks every text of a value through.
    ///
    /// # Errors
    /// As [`Screen::object`].
    pub fn value(&mut self, field: &str, value: &mut Value) -> Result<(), Failure> {
        match value {
            Value::String(text) => self.text(field, text),
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.value(field, item)),
            Value::Object(inner) => self.object(field, inner),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    /// Looks a memory through.
    ///
    /// # Errors
    /// As [`Screen::object`].
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

    /// Takes invisible characters out.
    fn uncover(&mut self, field: &str, text: &mut String) {
        let (cleaned, found) = clean(text);
        let changed = (cleaned != text.as_str()).then(|| cleaned.into_owned());
        self.notes.extend(
            found.iter().map(|one| format!("{field}: {} {} removed", one.count, one.kind.as_str())),
        );
        if let Some(cleaned) = changed {
            *text = cleaned;
        }
    }

    fn secrets(&mut self, field: &str, text: &mut String) -> Result<(), Failure> {
        let (redacted, rules) = redact(text);
        self.found(field, &rules)?;
        if !rules.is_empty() {
            *text = redacted;
        }
        Ok(())
    }

    /// Notes the secrets that were left out, or refuses them.
    fn found(&mut self, field: &str, rules: &[&'static str]) -> Result<(), Failure> {
        if let (OnSecret::Refuse, Some(rule)) = (self.on_secret, rules.first()) {
            return Err(refused(field, rule));
        }
        self.notes.extend(
            rules.iter().map(|rule| format!("{field}: a secret was left out (rule {rule})")),
        );
        Ok(())
    }

    /// Looks the names of an object through.
    fn names(&mut self, field: &str, object: &mut JsonMap) -> Result<(), Failure> {
        let plain = |name: &String| clean(name).0 == name.as_str() && secrets(name).is_empty();
        if object.keys().all(plain) {
            return Ok(());
        }
        for (mut name, value) in std::mem::take(object) {
            self.text(&format!("a name in {field}"), &mut name)?;
            if object.contains_key(&name) {
                return Err(Failure::invalid(format!(
                    "{field} has `{name}` twice, once with characters that cannot be seen; send it once"
                )));
            }
            object.insert(name, value);
        }
        Ok(())
    }

    /// A name tells what its value is: `{"password": "…"}` is an assignment too.
    fn named(&mut self, path: &str, name: &str, value: &mut Value) -> Result<(), Failure> {
        let told = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Ok(()),
        };
        let before = format!("{name}: ");
        let (redacted, rules) = redact(&format!("{before}{told}"));
        self.found(path, &rules)?;
        match redacted.strip_prefix(&before) {
            Some(kept) if !rules.is_empty() => *value = kept.into(),
            _ => (),
        }
        Ok(())
    }
}

/// A text as a log may tell it: without secrets and without what cannot be seen, whatever the owner
/// chose.
#[must_use]
pub fn fit_for_log(text: &str) -> String {
    redact(&clean(text).0).0
}

fn refused(field: &str, rule: &str) -> Failure {
    Failure::new(
        ErrorCode::SecretRefused,
        format!("{field} holds what looks like a secret (rule {rule})"),
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

    /// Made at run time, so that no secret-looking text stands in the source.
    fn token() -> String {
        format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")
    }

    fn object(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap_or_default()
    }

    /// Each text field of a memory, as a place to put something.
    const FIELDS: [fn(&mut NewMemory, String); 10] = [
        |memory, told| memory.text = format!("it is {told}"),
        |memory, told| memory.title = Some(told),
        |memory, told| memory.summary = Some(told),
        |memory, told| memory.collection = told,
        |memory, told| memory.project = Some(told),
        |memory, told| memory.tags = vec![told],
        |memory, told| memory.applies_to = vec![told],
        |memory, told| memory.metadata = object(json!({"a": [{"b": told}]})),
        |memory, told| memory.metadata = object(json!({ told: 1 })),
        |memory, told| memory.metadata = object(json!({"a": {"b": {told: ["x"]}}})),
    ];

    #[test]
    fn a_secret_in_any_field_refuses_the_memory_and_is_not_repeated() {
        for set in FIELDS {
            let mut memory = note("plain");
            set(&mut memory, token());
            let refusal = Screen::default().memory(&mut memory).unwrap_err();
            assert_eq!(refusal.code, ErrorCode::SecretRefused);
            assert!(!refusal.message.contains("aB3dE5"), "{}", refusal.message);
            assert!(refusal.message.contains("github-token"), "{}", refusal.message);
        }
    }

    #[test]
    fn a_secret_in_any_field_is_left_out_and_told_when_the_owner_chose_so() {
        for set in FIELDS {
            let mut memory = note("plain");
            set(&mut memory, token());
            let mut screen = Screen::new(OnSecret::Redact);
            screen.memory(&mut memory).unwrap();
            let kept = format!("{memory:?}");
            assert!(!kept.contains("aB3dE5") && kept.contains("[secret:github-token]"), "{kept}");
            let notes = screen.notes();
            assert!(notes.len() == 1 && notes[0].contains("(rule github-token)"), "{notes:?}");
        }
    }

    #[test]
    fn invisible_characters_in_any_field_are_taken_out_and_reported() {
        for set in FIELDS {
            let mut memory = note("plain");
            set(&mut memory, "pay\u{202e}pal".into());
            let mut screen = Screen::default();
            screen.memory(&mut memory).unwrap();
            let kept = format!("{memory:?}");
            assert!(kept.contains("paypal") && !kept.contains("202e"), "{kept}");
            let notes = screen.notes();
            assert!(notes.len() == 1 && notes[0].contains("1 direction removed"), "{notes:?}");
        }
    }

    #[test]
    fn what_passed_one_screen_passes_the_next_and_nothing_else_does() {
        let (mut text, mut screen) = (format!("it is {}", token()), Screen::new(OnSecret::Redact));
        screen.text("text", &mut text).unwrap();
        let (notes, passed) = screen.put_away();
        assert_eq!(notes.len(), 1);
        let mut next = Screen::new(OnSecret::Redact).after(passed);
        let kept = text.clone();
        next.text("text", &mut text).unwrap();
        assert_eq!(
            (&text, next.notes().len()),
            (&kept, 0),
            "what came out of a screen is not told of again"
        );
        next.text("text", &mut format!("{kept} {}", token())).unwrap();
        next.text("text", &mut token()).unwrap();
        assert_eq!(next.notes().len(), 2);
    }

    #[test]
    fn the_name_of_a_value_tells_what_it_is() {
        for value in [json!({"password": "hunter2x"}), json!({"db": {"password": 48_151_623}})] {
            assert!(
                Screen::default().object("data", &mut object(value.clone())).is_err(),
                "{value}"
            );
            let mut kept = object(value);
            Screen::new(OnSecret::Redact).object("data", &mut kept).unwrap();
            assert!(json!(kept).to_string().contains("[secret:assignment]"), "{kept:?}");
        }
    }

    #[test]
    fn two_names_that_look_the_same_are_refused() {
        let mut twice = object(json!({"food": 1, "fo\u{200b}od": 2}));
        let refusal = Screen::default().object("data", &mut twice).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::InvalidArgument);
    }

    #[test]
    fn a_log_tells_no_secret_and_nothing_that_cannot_be_seen() {
        let told = fit_for_log(&format!("vectors/{} and pay\u{202e}pal", token()));
        assert_eq!(told, "vectors/[secret:github-token] and paypal");
    }

    #[test]
    fn ordinary_text_passes_untouched() {
        let mut memory = note("The password policy asks for twelve characters.");
        let mut screen = Screen::default();
        screen.memory(&mut memory).unwrap();
        assert_eq!(memory, note("The password policy asks for twelve characters."));
        assert!(screen.notes().is_empty());
    }
}
