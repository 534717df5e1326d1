//! The linear algebra that computed the traces of a sweep.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use loto_statistics::analysis::LinearAlgebra;

/// Counts traces by the linear algebra that computed them.
#[derive(Debug, Clone, Default)]
pub struct LinearAlgebraCounts(BTreeMap<String, u64>);

impl LinearAlgebraCounts {
    /// Counts a trace.
    pub fn count(&mut self, description: &str) {
        match self.0.get_mut(description) {
            Some(count) => *count += 1,
            None => {
                self.0.insert(description.to_owned(), 1);
            }
        }
    }

    /// All of them, the most frequent first.
    pub fn most_frequent_first(&self) -> Vec<LinearAlgebra> {
        let counts = self.0.iter().map(|(description, &traces)| LinearAlgebra {
            description: description.clone(),
            traces,
        });
        let mut counts: Vec<_> = counts.collect();
        counts.sort_by_key(|linear_algebra| Reverse(linear_algebra.traces));
        counts
    }
}

/// Says that traces were computed with different linear algebra; `None` if they were not.
pub fn mixture(linear_algebra: &[LinearAlgebra]) -> Option<String> {
    if linear_algebra.len() < 2 {
        return None;
    }
    let parts = linear_algebra.iter().map(|part| {
        let (description, traces) = (&part.description, part.traces);
        let plural = if traces == 1 { "" } else { "s" };
        format!("{description} ({traces} trace{plural})")
    });
    let parts: Vec<_> = parts.collect();
    Some(format!(
        "computed with {}: the same job may choose other rows with each of them. OPENBLAS_CORETYPE chooses \
         the kernels of a worker; without it they are the same on all x86-64 hosts with AVX2 and FMA",
        parts.join(" and ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mixture_is_told() {
        let mut counts = LinearAlgebraCounts::default();
        counts.count("core Zen");
        assert_eq!(mixture(&counts.most_frequent_first()), None);
        counts.count("core Haswell");
        counts.count("core Haswell");
        let text = mixture(&counts.most_frequent_first()).unwrap();
        let expected = "computed with core Haswell (2 traces) and core Zen (1 trace): ";
        assert!(text.starts_with(expected), "{text}");
    }
}
