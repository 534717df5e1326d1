//! The methods that a sweep file sets parameters of: `[method.ID]`, or `[[method]]` with a name.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::parameter::Parameter;

/// Methods with their parameters, in the order of the file or of their ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MethodEntries(Vec<MethodEntry>);

/// One `[method.ID]` or `[[method]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodEntry {
    /// What `methods` lists and results are shown under.
    pub name: String,
    /// Id of the method.
    pub id: String,
    /// Parameters that may differ from the method's defaults.
    pub parameters: BTreeMap<String, Parameter>,
}

impl MethodEntries {
    /// The entry of that name.
    pub fn get(&self, name: &str) -> Option<&MethodEntry> {
        self.0.iter().find(|entry| entry.name == name)
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &MethodEntry> {
        self.0.iter()
    }
}

impl<'de> Deserialize<'de> for MethodEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = MethodEntries;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("[method.ID] with parameters, or [[method]] with name, id and parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((id, parameters)) = map.next_entry::<String, BTreeMap<_, _>>()? {
            entries.push(MethodEntry {
                name: id.clone(),
                id,
                parameters,
            });
        }
        Ok(MethodEntries(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(mut parameters) = list.next_element::<BTreeMap<String, Parameter>>()? {
            let mut text = |key: &str| match parameters.remove(key) {
                Some(Parameter::Text(text)) => Ok(Some(text)),
                Some(_) => Err(A::Error::custom(format!(
                    "{key} of a [[method]] must be a text"
                ))),
                None => Ok(None),
            };
            let (name, id) = (text("name")?, text("id")?);
            let Some(id) = id else {
                let described = name.unwrap_or_else(|| "without a name".to_owned());
                let message = format!(
                    "[[method]] {described}: id is missing; write the id of a method, see `loto methods`"
                );
                return Err(A::Error::custom(message));
            };
            entries.push(MethodEntry {
                name: name.unwrap_or_else(|| id.clone()),
                id,
                parameters,
            });
        }
        Ok(MethodEntries(entries))
    }
}
