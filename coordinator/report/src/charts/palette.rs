//! One colour, dash and marker per method, the same in every chart of a report.

use loto_statistics::analysis::SweepAnalysis;

use super::svg::{Marker, Stroke};

/// Colours that readers with colour-vision deficiencies tell apart: those of Okabe and
/// Ito without the yellow, which is too light on white, and two of Paul Tol's dark ones.
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#332288", "#661100",
];

/// Random search is what others are measured by: grey.
const RANDOM_SEARCH_COLOUR: &str = "#666666";

const DASHES: [&str; 4] = ["", "7 3", "2 2.5", "9 3 2 3"];

const MARKERS: [Marker; 7] = [
    Marker::Circle,
    Marker::Square,
    Marker::TriangleUp,
    Marker::Diamond,
    Marker::TriangleDown,
    Marker::Cross,
    Marker::Plus,
];

/// How a method is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MethodStyle {
    pub(crate) colour: &'static str,
    pub(crate) dash: &'static str,
    pub(crate) marker: Marker,
}

impl MethodStyle {
    /// The method's line.
    pub(crate) fn stroke(&self, width: f64) -> Stroke {
        Stroke {
            colour: self.colour,
            width,
            dash: self.dash,
        }
    }
}

/// The styles of all methods of a sweep.
#[derive(Debug)]
pub struct Palette {
    methods: Vec<String>,
}

impl Palette {
    /// Styles for every method of any black box, in order of first appearance.
    pub fn new(analysis: &SweepAnalysis) -> Self {
        let mut methods: Vec<String> = Vec::new();
        let blackboxes = analysis.blackboxes.iter();
        for entry in blackboxes.flat_map(|blackbox| &blackbox.methods) {
            if !methods.contains(&entry.method) {
                methods.push(entry.method.clone());
            }
        }
        Self { methods }
    }

    /// Every method, in order of first appearance.
    pub fn methods(&self) -> &[String] {
        &self.methods
    }

    /// How `method` is drawn.
    pub(crate) fn style(&self, method: &str) -> MethodStyle {
        if method == "rs" {
            return MethodStyle {
                colour: RANDOM_SEARCH_COLOUR,
                dash: "",
                marker: Marker::Circle,
            };
        }
        let others = self.methods.iter().filter(|known| *known != "rs");
        let index = others.take_while(|known| *known != method).count();
        MethodStyle {
            colour: COLOURS[index % COLOURS.len()],
            // The second round through the colours has other dashes than the first.
            dash: DASHES
                [(index + index / COLOURS.len()) % 2 + 2 * (index / (2 * COLOURS.len()) % 2)],
            marker: MARKERS[index % MARKERS.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_two_methods_have_different_lines() {
        let methods: Vec<_> = (0..32).map(|index| format!("m{index}")).collect();
        let palette = Palette {
            methods: methods.clone(),
        };
        let mut lines = std::collections::BTreeSet::new();
        for method in &methods {
            let style = palette.style(method);
            assert!(lines.insert((style.colour, style.dash)), "{method}");
        }
    }

    #[test]
    fn random_search_does_not_shift_the_others() {
        let with = Palette {
            methods: vec!["rs".into(), "gp".into()],
        };
        let without = Palette {
            methods: vec!["gp".into()],
        };
        assert_eq!(with.style("gp"), without.style("gp"));
    }
}
