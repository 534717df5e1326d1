//! Which black boxes and methods of a sweep are looked at.

use std::collections::BTreeSet;

use loto_proto::sweep::Blackbox;

/// A choice of black boxes and methods by name; an empty set means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selection {
    /// Names of black boxes.
    pub blackboxes: BTreeSet<String>,
    /// Names of methods.
    pub methods: BTreeSet<String>,
    /// How methods are named in what comes of it.
    pub naming: Naming,
}

/// How methods are named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Naming {
    /// By the names of the plan, by which they are asked for.
    #[default]
    Planned,
    /// As reports do: on a black box with several objectives, a method that sees their average ends in ` + MO`.
    Reported,
}

impl Selection {
    /// All black boxes and methods, for readers.
    pub fn reported() -> Self {
        Self {
            naming: Naming::Reported,
            ..Self::default()
        }
    }

    /// True if the black box is looked at.
    pub fn has_blackbox(&self, name: &str) -> bool {
        self.blackboxes.is_empty() || self.blackboxes.contains(name)
    }

    /// Positions of the methods of a black box that are looked at; none if it is not itself.
    pub fn methods_of(&self, blackbox: &Blackbox) -> Vec<usize> {
        let is_selected = self.has_blackbox(&blackbox.name);
        let methods = (0..).zip(&blackbox.methods).filter(|(_, method)| {
            is_selected && (self.methods.is_empty() || self.methods.contains(method.label()))
        });
        methods.map(|(position, _)| position).collect()
    }
}
