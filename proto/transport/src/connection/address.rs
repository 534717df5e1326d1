//! Addresses of brokers and stores, and as they may be shown.

use std::fmt;

/// The URL of a broker or a store, or a path. Shown, it has no password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// The URL as it was given, perhaps with a password: not to be shown.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether a password is part of it.
    pub fn has_password(&self) -> bool {
        let (_, rest) = split_scheme(&self.0);
        let credentials = rest.rsplit_once('@').map(|(credentials, _)| credentials);
        let password = credentials.and_then(|credentials| credentials.split_once(':'));
        password.is_some_and(|(_, password)| !password.is_empty())
    }
}

impl From<&str> for Address {
    fn from(url: &str) -> Self {
        Self(url.to_owned())
    }
}

impl From<String> for Address {
    fn from(url: String) -> Self {
        Self(url)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&without_password(&self.0))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A URL without its password, query and fragment, for messages and logs.
///
/// Works on any text, also on one that is no URL: whatever could be a password is left out.
pub fn without_password(url: &str) -> String {
    let (scheme, rest) = split_scheme(url);
    // A password may hold any character, so the last `@` ends it.
    let shown = match rest.rsplit_once('@') {
        Some((credentials, place)) => {
            let user = credentials.split(':').next().unwrap_or_default();
            let place = place.split(['?', '#']).next().unwrap_or_default();
            match user {
                "" => place.to_owned(),
                user => format!("{user}@{place}"),
            }
        }
        None => rest.split(['?', '#']).next().unwrap_or_default().to_owned(),
    };
    format!("{scheme}{shown}")
}

/// The scheme with its `://`, if there is one, and what comes after it.
fn split_scheme(url: &str) -> (&str, &str) {
    match url.find("://") {
        Some(end) if is_scheme(&url[..end]) => url.split_at(end + "://".len()),
        _ => ("", url),
    }
}

/// Whether the text before `://` is a scheme, and no part of a password.
fn is_scheme(text: &str) -> bool {
    text.chars()
        .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_left_out() {
        let cases = [
            (
                "amqp://guest:secret@host:5672/vhost",
                "amqp://guest@host:5672/vhost",
            ),
            ("redis://:secret@host:6379/0", "redis://host:6379/0"),
            ("redis://user:se/c?r@et#x@host", "redis://user@host"),
            ("amqp://host/%2f?password=secret", "amqp://host/%2f"),
            ("user:secret@host", "user@host"),
            ("user:se://cret@host", "user@host"),
            ("redis:secret@://host", "redis@://host"),
            ("sqlite:sweep.loto", "sqlite:sweep.loto"),
            ("", ""),
        ];
        for (url, shown) in cases {
            assert_eq!(without_password(url), shown);
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address = Address::from("redis://user:secret@host");
        assert_eq!(
            format!("{address} {address:?}"),
            "redis://user@host redis://user@host"
        );
        for (url, has) in [
            ("redis://user:secret@host", true),
            ("redis://:secret@host", true),
            ("redis://user@host:6379", false),
            ("redis://user:@host", false),
            ("redis://host:6379", false),
            ("results/sweep.loto", false),
        ] {
            assert_eq!(Address::from(url).has_password(), has, "{url}");
        }
    }
}
