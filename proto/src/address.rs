//! Addresses of brokers and stores as they may be shown.

/// A URL without its password, query and fragment, for messages and logs.
///
/// Works on any text, also on one that is no URL: whatever could be a password is left out.
pub fn without_password(url: &str) -> String {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => (format!("{scheme}://"), rest),
        _ => (String::new(), url),
    };
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
}
