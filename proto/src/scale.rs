//! The scales of hyperparameters: where a value lies on the axis that methods search.

/// How the values of a hyperparameter become coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scale {
    /// Numbers, from the least at 0 to the greatest at 1.
    Linear,
    /// Positive numbers, by their logarithms.
    Log,
    /// Numbers in ascending order, one step apart whatever their differences.
    Ordinal,
    /// Levels in the order in which they are listed here, one step apart.
    Levels(Vec<String>),
    /// Levels without any order: a coordinate for each.
    Categorical,
    /// True or false: 1 or 0.
    Boolean,
}

impl Scale {
    /// The words for scales in a sweep file. A list of levels stands for an ordinal scale, too.
    pub const WORDS: [&str; 5] = ["linear", "log", "ordinal", "categorical", "boolean"];

    /// The scale of that word.
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "linear" => Some(Self::Linear),
            "log" => Some(Self::Log),
            "ordinal" => Some(Self::Ordinal),
            "categorical" => Some(Self::Categorical),
            "boolean" => Some(Self::Boolean),
            _ => None,
        }
    }

    /// The word for it. Listed levels are an ordinal scale.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Log => "log",
            Self::Ordinal | Self::Levels(_) => "ordinal",
            Self::Categorical => "categorical",
            Self::Boolean => "boolean",
        }
    }

    /// The levels that are listed; none for the other scales.
    pub fn levels(&self) -> &[String] {
        match self {
            Self::Levels(levels) => levels,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_stands_for_the_scale_that_it_names() {
        for word in Scale::WORDS {
            assert_eq!(Scale::of_word(word).unwrap().word(), word);
        }
        assert_eq!(Scale::of_word("logarithmic"), None);
    }
}
