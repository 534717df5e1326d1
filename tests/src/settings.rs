//! Settings of tests that have a short and a long form.

/// The number in an environment variable, or another one if it is not set.
///
/// # Panics
/// If it is set to something that is no number.
pub fn number(variable: &str, otherwise: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable}: `{text}` is not a number")),
        Err(_) => otherwise,
    }
}
