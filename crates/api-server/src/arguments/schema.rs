//! A JSON Schema as far as checking arguments needs it: types, choices, properties, items, branches
//! and references inside the same schema. What it does not understand, it lets pass.

use model::JsonMap;
use serde_json::Value;

/// How many references are followed one after the other; a schema that needs more goes in circles.
const REFERENCES_MAX: usize = 8;

/// A place in a schema, with references already followed.
#[derive(Clone, Copy)]
pub(super) struct Node<'s> {
    root: &'s JsonMap,
    here: &'s JsonMap,
}

impl<'s> Node<'s> {
    pub fn root(schema: &'s JsonMap) -> Self {
        Self { root: schema, here: schema }
    }

    fn at(self, schema: &'s Value) -> Option<Self> {
        let mut here = schema.as_object()?;
        for _ in 0..REFERENCES_MAX {
            let Some(reference) = here.get("$ref").and_then(Value::as_str) else { break };
            here = self.referred(reference)?;
        }
        Some(Self { here, ..self })
    }

    fn referred(self, reference: &str) -> Option<&'s JsonMap> {
        let mut place = reference.strip_prefix("#/")?.split('/');
        let first = self.root.get(place.next()?)?;
        place.try_fold(first, |place, step| place.get(step))?.as_object()
    }

    /// The JSON types it takes; empty when any will do.
    pub fn types(self) -> Vec<&'s str> {
        if let Some(branches) = self.branches() {
            return union(&branches);
        }
        match self.here.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn takes_type_of(self, value: &Value) -> bool {
        let types = self.types();
        types.is_empty() || types.into_iter().any(|name| is_of_type(value, name))
    }

    /// The only values it takes, whether they are written as a list or as one form each.
    pub fn choices(self) -> Option<Vec<&'s Value>> {
        if let Some(branches) = self.branches() {
            return branches
                .into_iter()
                .map(Self::choices)
                .collect::<Option<Vec<_>>>()
                .map(|all| all.concat());
        }
        if let Some(only) = self.here.get("const") {
            return Some(vec![only]);
        }
        Some(self.here.get("enum")?.as_array()?.iter().collect())
    }

    /// The forms it may take, when it may take several.
    pub fn branches(self) -> Option<Vec<Self>> {
        let branches = self.here.get("anyOf").or_else(|| self.here.get("oneOf"))?.as_array()?;
        Some(branches.iter().filter_map(|branch| self.at(branch)).collect())
    }

    pub fn properties(self) -> impl Iterator<Item = &'s str> {
        let properties = self.here.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str))
    }

    pub fn has_property(self, name: &str) -> bool {
        self.here.get("properties").is_some_and(|properties| properties.get(name).is_some())
    }

    /// What a property must be; nothing when whatever is sent will do.
    pub fn property(self, name: &str) -> Option<Self> {
        self.at(self.here.get("properties")?.get(name)?)
    }

    pub fn required(self) -> impl Iterator<Item = &'s str> {
        let required = self.here.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    pub fn items(self) -> Option<Self> {
        self.at(self.here.get("items")?)
    }

    /// Whether it says that fields of other names are welcome.
    pub fn is_open(self) -> bool {
        matches!(self.here.get("additionalProperties"), Some(Value::Bool(true) | Value::Object(_)))
    }

    /// Whether it says that fields of other names are not.
    pub fn is_closed(self) -> bool {
        self.here.get("additionalProperties") == Some(&Value::Bool(false))
    }

    /// A value that fits, when the schema shows one.
    pub fn example(self) -> Option<&'s Value> {
        let examples = self.here.get("examples").and_then(Value::as_array);
        examples.and_then(|examples| examples.first()).or_else(|| self.here.get("default"))
    }
}

/// Every type of every form; a form that takes any makes the whole take any.
fn union<'s>(branches: &[Node<'s>]) -> Vec<&'s str> {
    let mut types = Vec::new();
    for branch in branches {
        let of_branch = branch.types();
        if of_branch.is_empty() {
            return of_branch;
        }
        types
            .extend(of_branch.into_iter().filter(|name| !types.contains(name)).collect::<Vec<_>>());
    }
    types
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        // Not a type of JSON Schema; that is the dialect's slip, not the caller's.
        _ => true,
    }
}
