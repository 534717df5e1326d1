//! JSON objects in which no key is there twice: a reader that keeps the last would lose the others in silence.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use loto_proto::excerpt::excerpt;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// An object in which no key is there twice; errors inside of it name the key.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map
                .next_value()
                .map_err(|error: A::Error| within(&key, &error))?;
            if entries.insert(key.clone(), value).is_some() {
                return Err(twice(&key));
            }
        }
        Ok(Object(entries))
    }
}

/// An error inside of the value of a key.
pub(crate) fn within<E: Error>(key: &str, error: &E) -> E {
    E::custom(format!("`{}`: {error}", excerpt(key)))
}

/// A key that is there twice.
pub(crate) fn twice<E: Error>(key: &str) -> E {
    E::custom(format!("the key `{}` is there twice", excerpt(key)))
}
