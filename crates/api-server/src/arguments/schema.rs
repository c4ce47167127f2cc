//! The part of JSON Schema that checking arguments needs: types, choices, properties, items,
//! branches and references inside the same schema. Anything it does not understand is accepted.

use model::JsonMap;
use serde_json::Value;

/// Maximum number of references followed in a row; a schema that needs more is cyclic.
const REFERENCES_MAX: usize = 8;

/// A node of a schema, with references already resolved.
#[derive(Clone, Copy)]
pub(super) struct SchemaNode<'s> {
    root: &'s JsonMap,
    current: &'s JsonMap,
}

impl<'s> SchemaNode<'s> {
    pub fn root(schema: &'s JsonMap) -> Self {
        Self { root: schema, current: schema }
    }

    fn resolve(self, schema: &'s Value) -> Option<Self> {
        let mut here = schema.as_object()?;
        for _ in 0..REFERENCES_MAX {
            let Some(reference) = here.get("$ref").and_then(Value::as_str) else { break };
            here = self.lookup_reference(reference)?;
        }
        Some(Self { current: here, ..self })
    }

    fn lookup_reference(self, reference: &str) -> Option<&'s JsonMap> {
        let mut segments = reference.strip_prefix("#/")?.split('/');
        let first = self.root.get(segments.next()?)?;
        segments.try_fold(first, |segments, step| segments.get(step))?.as_object()
    }

    /// Returns the accepted JSON types; empty when any type is accepted.
    pub fn types(self) -> Vec<&'s str> {
        if let Some(branches) = self.branches() {
            return union_types(&branches);
        }
        match self.current.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn accepts_type_of(self, value: &Value) -> bool {
        has_type_among(&self.types(), value)
    }

    /// Returns the only accepted values, written either as an `enum` or as one `const` per branch.
    pub fn choices(self) -> Option<Vec<&'s Value>> {
        if let Some(branches) = self.branches() {
            return branches
                .into_iter()
                .map(Self::choices)
                .collect::<Option<Vec<_>>>()
                .map(|all| all.concat());
        }
        if let Some(only) = self.current.get("const") {
            return Some(vec![only]);
        }
        Some(self.current.get("enum")?.as_array()?.iter().collect())
    }

    /// Returns the alternatives of an `anyOf` or `oneOf`.
    pub fn branches(self) -> Option<Vec<Self>> {
        let branches =
            self.current.get("anyOf").or_else(|| self.current.get("oneOf"))?.as_array()?;
        Some(branches.iter().filter_map(|branch| self.resolve(branch)).collect())
    }

    pub fn properties(self) -> impl Iterator<Item = &'s str> {
        let properties = self.current.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str))
    }

    pub fn has_property(self, name: &str) -> bool {
        self.current.get("properties").is_some_and(|properties| properties.get(name).is_some())
    }

    /// Returns the schema of a property; `None` when the property accepts anything.
    pub fn property(self, name: &str) -> Option<Self> {
        self.resolve(self.current.get("properties")?.get(name)?)
    }

    pub fn required(self) -> impl Iterator<Item = &'s str> {
        let required = self.current.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    pub fn items(self) -> Option<Self> {
        self.resolve(self.current.get("items")?)
    }

    /// Returns true when the schema explicitly allows properties it does not list.
    pub fn allows_extra_fields(self) -> bool {
        matches!(
            self.current.get("additionalProperties"),
            Some(Value::Bool(true) | Value::Object(_))
        )
    }

    /// Returns true when the schema explicitly forbids properties it does not list.
    pub fn forbids_extra_fields(self) -> bool {
        self.current.get("additionalProperties") == Some(&Value::Bool(false))
    }

    /// Returns a valid value when the schema shows one: its first example, else its default.
    pub fn example(self) -> Option<&'s Value> {
        let examples = self.current.get("examples").and_then(Value::as_array);
        examples.and_then(|examples| examples.first()).or_else(|| self.current.get("default"))
    }
}

/// Returns the union of the types of all branches; empty (any type) when one branch accepts any.
fn union_types<'s>(branches: &[SchemaNode<'s>]) -> Vec<&'s str> {
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

/// Returns true when a value has one of the types; no types at all accept any value.
pub(super) fn has_type_among(types: &[&str], value: &Value) -> bool {
    types.is_empty() || types.iter().any(|name| is_of_type(value, name))
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
        // Not a type of JSON Schema: a mistake of the dialect, which the caller cannot correct.
        _ => true,
    }
}
