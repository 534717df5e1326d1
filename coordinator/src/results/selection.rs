//! Which black boxes and methods of a sweep are looked at.

use std::collections::BTreeSet;

/// A choice of black boxes and methods by name; an empty set means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selection {
    /// Names of black boxes.
    pub blackboxes: BTreeSet<String>,
    /// Ids of methods.
    pub methods: BTreeSet<String>,
}

impl Selection {
    /// True if the black box is looked at.
    pub fn has_blackbox(&self, name: &str) -> bool {
        self.blackboxes.is_empty() || self.blackboxes.contains(name)
    }

    /// True if the method is looked at.
    pub fn has_method(&self, id: &str) -> bool {
        self.methods.is_empty() || self.methods.contains(id)
    }
}
