//! What methods are called in results.

/// What the name of a method for one objective ends in where it sees the average of several (Salinas, Shen and Perrone 2020,
/// section 5.2).
pub const OF_AVERAGES: &str = " + MO";

/// The place of the method that `name` means among the methods of a black box: the one of that name or, if there is none, the one
/// whose name is that and [`OF_AVERAGES`].
pub fn find_method(methods: &[String], name: &str) -> Option<usize> {
    let exact = methods.iter().position(|known| known == name);
    let is_meant = |known: &String| known.strip_suffix(OF_AVERAGES) == Some(name);
    exact.or_else(|| methods.iter().position(is_meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_found_with_and_without_the_mark() {
        let methods = ["rs", "gp + MO", "gcp + MO", "gcp"].map(str::to_owned);
        let found = ["rs", "gp", "gp + MO", "gcp", "rs + MO", "g"];
        let found = found.map(|name| find_method(&methods, name));
        assert_eq!(found, [Some(0), Some(1), Some(1), Some(3), None, None]);
    }
}
