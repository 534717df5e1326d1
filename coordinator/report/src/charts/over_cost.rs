//! The average over the tasks over what the evaluations cost.

use loto_statistics::analysis::BlackboxAnalysis;

use super::adtm::range;
use super::palette::Palette;
use super::picture::Picture;
use super::plot::{Curve, Names, Plot, Vertical};

/// Costs and what was found at them.
type Points = (Vec<f64>, Vec<f64>);

/// ADTM of every method over the cost of the evaluations, on a logarithmic axis, from where it has a value on every task; `None`
/// without costs.
pub fn over_cost(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    size: (f64, f64),
) -> Option<Picture> {
    let over_cost = blackbox.over_cost.as_ref()?;
    let (begin, end) = (*over_cost.costs.first()?, *over_cost.costs.last()?);
    let known = over_cost.methods.iter().map(|method| {
        let pairs = over_cost.costs.iter().zip(&method.adtm);
        let pairs = pairs.filter_map(|(&cost, adtm)| Some((cost, (*adtm)?)));
        (method.method.as_str(), pairs.unzip())
    });
    let known: Vec<(&str, Points)> = known.collect();
    let curves = known.iter().filter(|(_, (costs, _))| !costs.is_empty());
    let curves = curves.map(|(method, (costs, adtm))| Curve {
        x: Some(costs),
        ..Curve::of_method(method, palette.style(method), adtm)
    });
    let curves: Vec<Curve<'_>> = curves.collect();
    let (lower, upper) = range(&curves)?;
    let plot = Plot {
        title: &blackbox.name,
        x_label: "cost / mean cost of an evaluation",
        y_label: blackbox.measure.name_of_average(),
        x: (begin, end),
        x_counts: false,
        y: Vertical::Logarithmic(lower, upper),
        curves,
        names: Names::AtEnds,
    };
    Some(plot.draw(size))
}
