//! JSON Schema, as much of it as the schemas here use.

use serde_json::Value;

/// Checks a value against a schema; `whole` is the document that it is from.
/// What the schema says and this does not know is a failure.
pub(crate) fn fits(value: &Value, schema: &Value, whole: &Value, path: &str) {
    if let Err(error) = check(value, schema, whole, path) {
        panic!("{error}");
    }
}

fn check(value: &Value, schema: &Value, whole: &Value, path: &str) -> Result<(), String> {
    let rules = schema.as_object().ok_or_else(|| format!("{path}: no schema but {schema}"))?;
    for (rule, said) in rules {
        let holds = match rule.as_str() {
            "$schema" | "$id" | "title" | "description" | "definitions" | "default" | "format" | "items" | "properties" => true,
            "$ref" => {
                let name = said.as_str().and_then(|reference| reference.strip_prefix('#')).unwrap_or_default();
                let target = whole.pointer(name).ok_or_else(|| format!("{path}: {said} leads nowhere"))?;
                check(value, target, whole, path)?;
                true
            }
            "type" => has_type(value, said),
            "enum" => said.as_array().is_some_and(|allowed| allowed.contains(value)),
            "const" => said == value,
            "required" => {
                said.as_array().into_iter().flatten().filter_map(Value::as_str).all(|key| value.get(key).is_some() || !value.is_object())
            }
            "additionalProperties" => {
                let known = |key: &String| rules.get("properties").is_some_and(|properties| properties.get(key).is_some());
                let more = value.as_object().into_iter().flatten().filter(|(key, _)| !known(key));
                if said.is_object() {
                    for (key, inner) in more {
                        check(inner, said, whole, &format!("{path}.{key}"))?;
                    }
                    true
                } else {
                    said == &Value::Bool(true) || more.count() == 0
                }
            }
            "minimum" => value.as_f64().is_none_or(|number| said.as_f64().is_some_and(|least| number >= least)),
            "maximum" => value.as_f64().is_none_or(|number| said.as_f64().is_some_and(|most| number <= most)),
            "minItems" => value.as_array().is_none_or(|items| said.as_u64().is_some_and(|least| items.len() as u64 >= least)),
            "uniqueItems" => value.as_array().is_none_or(|items| items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))),
            "anyOf" => said.as_array().into_iter().flatten().any(|one| check(value, one, whole, path).is_ok()),
            "oneOf" => said.as_array().into_iter().flatten().filter(|one| check(value, one, whole, path).is_ok()).count() == 1,
            other => return Err(format!("{path}: this test does not know {other}")),
        };
        if !holds {
            return Err(format!("{path}: {rule} {said} does not hold of {value}"));
        }
    }
    if let (Some(items), Some(schema)) = (value.as_array(), rules.get("items")) {
        for (at, item) in items.iter().enumerate() {
            check(item, schema, whole, &format!("{path}[{at}]"))?;
        }
    }
    if let (Some(object), Some(properties)) = (value.as_object(), rules.get("properties")) {
        for (key, inner) in object {
            if let Some(schema) = properties.get(key) {
                check(inner, schema, whole, &format!("{path}.{key}"))?;
            }
        }
    }
    Ok(())
}

fn has_type(value: &Value, said: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => false,
    };
    is(said) || said.as_array().into_iter().flatten().any(is)
}
