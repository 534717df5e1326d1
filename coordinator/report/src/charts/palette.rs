//! One colour, dash and marker per method, the same in every chart of every report.

use std::collections::BTreeMap;

use loto_proto::identity::ContentHasher;
use loto_statistics::analysis::SweepAnalysis;

use super::picture::{Marker, Stroke};

/// Colours that readers with colour-vision deficiencies tell apart: those of Okabe and
/// Ito without the yellow, which is too light on white, and two of Paul Tol's dark ones.
const COLOURS: [&str; 8] = [BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, INDIGO, BROWN];
const BLUE: &str = "#0072b2";
const VERMILION: &str = "#d55e00";
const GREEN: &str = "#009e73";
const PINK: &str = "#cc79a7";
const ORANGE: &str = "#e69f00";
const SKY: &str = "#56b4e9";
const INDIGO: &str = "#332288";
const BROWN: &str = "#661100";
/// Random search is what others are measured by: grey.
const GREY: &str = "#666666";

const DASHES: [&str; 4] = [SOLID, DASHED, DOTTED, MIXED];
const SOLID: &str = "";
const DASHED: &str = "7 3";
const DOTTED: &str = "2 2.5";
const MIXED: &str = "9 3 2 3";

const MARKERS: [Marker; 7] = [
    Marker::Circle,
    Marker::Square,
    Marker::TriangleUp,
    Marker::Diamond,
    Marker::TriangleDown,
    Marker::Cross,
    Marker::Plus,
];

/// The methods that `loto` has. Those that differ in the transform only share a colour.
const BUILT_IN: [(&str, MethodStyle); 16] = [
    ("rs", MethodStyle::new(GREY, SOLID, Marker::Circle)),
    ("gp", MethodStyle::new(BLUE, DASHED, Marker::Square)),
    ("gcp", MethodStyle::new(BLUE, SOLID, Marker::Circle)),
    (
        "ts",
        MethodStyle::new(VERMILION, DASHED, Marker::TriangleDown),
    ),
    (
        "cts",
        MethodStyle::new(VERMILION, SOLID, Marker::TriangleUp),
    ),
    ("gp-prior", MethodStyle::new(GREEN, DASHED, Marker::Plus)),
    ("gcp-prior", MethodStyle::new(GREEN, SOLID, Marker::Diamond)),
    ("autogp", MethodStyle::new(PINK, SOLID, Marker::Square)),
    (
        "ws-gp",
        MethodStyle::new(ORANGE, SOLID, Marker::TriangleDown),
    ),
    ("ablr", MethodStyle::new(SKY, DASHED, Marker::Cross)),
    ("ablr-copula", MethodStyle::new(SKY, SOLID, Marker::Square)),
    ("sgpt", MethodStyle::new(INDIGO, DASHED, Marker::Circle)),
    (
        "sgpt-copula",
        MethodStyle::new(INDIGO, SOLID, Marker::TriangleUp),
    ),
    ("bohb", MethodStyle::new(BROWN, SOLID, Marker::Diamond)),
    ("rea", MethodStyle::new(PINK, DOTTED, Marker::Cross)),
    ("reinforce", MethodStyle::new(ORANGE, DOTTED, Marker::Plus)),
];

/// How a method is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MethodStyle {
    pub(crate) colour: &'static str,
    pub(crate) dash: &'static str,
    pub(crate) marker: Marker,
}

impl MethodStyle {
    const fn new(colour: &'static str, dash: &'static str, marker: Marker) -> Self {
        Self {
            colour,
            dash,
            marker,
        }
    }

    /// The method's line.
    pub(crate) fn stroke(&self, width: f64) -> Stroke {
        Stroke {
            colour: self.colour,
            width,
            dash: self.dash,
        }
    }

    /// Whether readers could take one for the other, by its line or by its points.
    fn looks_like(&self, other: &Self) -> bool {
        self.colour == other.colour && (self.dash == other.dash || self.marker == other.marker)
    }
}

/// The styles of all methods of a sweep.
#[derive(Debug)]
pub struct Palette {
    methods: Vec<String>,
    styles: BTreeMap<String, MethodStyle>,
}

impl Palette {
    /// Styles for every method of any black box.
    pub fn new(analysis: &SweepAnalysis) -> Self {
        let mut methods: Vec<String> = Vec::new();
        let blackboxes = analysis.blackboxes.iter();
        for entry in blackboxes.flat_map(|blackbox| &blackbox.methods) {
            if !methods.contains(&entry.method) {
                methods.push(entry.method.clone());
            }
        }
        Self::of(methods)
    }

    /// Styles for these methods. A method of `loto` has the style of its own. The name of any other chooses one, which only depends
    /// on the name unless two methods of the report would look alike; the order of methods never matters.
    pub fn of(methods: Vec<String>) -> Self {
        let mut styles = BTreeMap::new();
        let built_in = |name: &String| BUILT_IN.iter().find(|(known, _)| known == name);
        for (name, style) in methods.iter().filter_map(built_in) {
            styles.insert((*name).to_owned(), *style);
        }
        let mut others: Vec<&String> = methods
            .iter()
            .filter(|name| built_in(name).is_none())
            .collect();
        others.sort();
        for name in others {
            let style = style_by_name(name, &styles);
            styles.insert(name.clone(), style);
        }
        Self { methods, styles }
    }

    /// Every method, in order of first appearance.
    pub fn methods(&self) -> &[String] {
        &self.methods
    }

    /// How `method` is drawn.
    pub(crate) fn style(&self, method: &str) -> MethodStyle {
        let known = self.styles.get(method).copied();
        known.unwrap_or_else(|| style_by_name(method, &self.styles))
    }
}

/// The style that a name chooses: the first from a place that depends on the name that looks like no method of `loto` and none of the
/// report; if there is none, one that looks like none of the report, or else one whose points differ from all others, since
/// some charts show points alone, or else any that no other method has.
fn style_by_name(name: &str, taken: &BTreeMap<String, MethodStyle>) -> MethodStyle {
    let all = COLOURS.into_iter().flat_map(|colour| {
        DASHES
            .into_iter()
            .flat_map(move |dash| MARKERS.map(|marker| MethodStyle::new(colour, dash, marker)))
    });
    let mut styles: Vec<MethodStyle> = all.collect();
    let mut hasher = ContentHasher::new("loto style 1");
    hasher.field(name.as_bytes());
    let hash = hasher.finish().into_iter().take(4);
    let place = hash.fold(0, |number, byte| number * 256 + usize::from(byte)) % styles.len();
    styles.rotate_left(place);
    let is_free = |style: &&MethodStyle| !taken.values().any(|other| style.looks_like(other));
    let is_new = |style: &&MethodStyle| {
        is_free(style) && !BUILT_IN.iter().any(|(_, known)| style.looks_like(known))
    };
    let has_own_points = |style: &&MethodStyle| {
        let same_points =
            |other: &MethodStyle| (other.colour, other.marker) == (style.colour, style.marker);
        !taken.values().any(same_points)
    };
    let is_unused = |style: &&MethodStyle| !taken.values().any(|other| other == *style);
    let chosen = styles
        .iter()
        .find(is_new)
        .or_else(|| styles.iter().find(is_free))
        .or_else(|| styles.iter().find(has_own_points))
        .or_else(|| styles.iter().find(is_unused));
    // More methods than there are styles share them.
    *chosen.unwrap_or(&styles[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn palette(methods: &[&str]) -> Palette {
        Palette::of(methods.iter().map(|&method| method.to_owned()).collect())
    }

    #[test]
    fn thirty_two_methods_have_different_lines() {
        let methods: Vec<_> = (0..32).map(|index| format!("m{index}")).collect();
        let palette = Palette::of(methods.clone());
        let mut lines = std::collections::BTreeSet::new();
        for method in &methods {
            let style = palette.style(method);
            assert!(lines.insert((style.colour, style.dash)), "{method}");
        }
    }

    #[test]
    fn the_methods_of_the_largest_sweep_have_different_points() {
        let sweep = include_str!("../../../sweeps/ranking.toml");
        let (_, rest) = sweep.split_once("methods = [").unwrap();
        let (listed, _) = rest.split_once(']').unwrap();
        let names: Vec<&str> = listed.split('"').skip(1).step_by(2).collect();
        assert_eq!(names.len(), 42);
        let palette = palette(&names);
        let mut points = Vec::new();
        for name in names {
            let style = palette.style(name);
            let own = (style.colour, style.marker);
            assert!(!points.contains(&own), "{name}");
            points.push(own);
        }
    }

    #[test]
    fn no_two_methods_share_a_style_while_there_are_any() {
        // Eight colours, four dashes and seven markers.
        let names: Vec<String> = (0..224).map(|index| format!("m{index}")).collect();
        let palette = Palette::of(names.clone());
        for (index, name) in names.iter().enumerate() {
            let style = palette.style(name);
            let twin = names[..index]
                .iter()
                .find(|other| palette.style(other) == style);
            assert_eq!(twin, None, "{name}");
        }
        let one_more = palette.style("one more");
        assert!(names.iter().any(|name| palette.style(name) == one_more));
    }

    #[test]
    fn a_method_looks_the_same_in_every_report() {
        let small = palette(&["own-method", "gp"]);
        let large = palette(&["gp", "rs", "zeta", "own-method", "gcp-prior", "another"]);
        let other_order = palette(&["another", "own-method", "gcp-prior", "zeta", "gp", "rs"]);
        for method in ["gp", "own-method"] {
            assert_eq!(small.style(method), large.style(method), "{method}");
        }
        for method in large.methods() {
            assert_eq!(large.style(method), other_order.style(method), "{method}");
        }
    }

    #[test]
    fn no_two_methods_of_loto_look_alike() {
        for (index, (name, style)) in BUILT_IN.iter().enumerate() {
            let mut others = BUILT_IN[..index].iter();
            let alike = others.find(|(_, other)| style.looks_like(other));
            assert_eq!(alike, None, "{name}");
        }
    }

    #[test]
    fn names_that_choose_one_style_are_told_apart() {
        let names: Vec<String> = (0..500).map(|index| format!("m{index}")).collect();
        let alone = |name: &str| palette(&[name]).style(name);
        let same = |name: &&String| alone(name) == alone(&names[0]);
        let twin = names[1..]
            .iter()
            .find(same)
            .expect("224 styles serve 500 names");
        let both = palette(&[&names[0], twin]);
        assert!(!both.style(&names[0]).looks_like(&both.style(twin)));
    }
}
