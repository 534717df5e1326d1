//! A password that is not part of a URL.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use super::address::Address;
use super::secret_file::read_secret_file;
use crate::error::TransportError;

/// A password. It cannot be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// Where the password of one server may come from.
#[derive(Debug, Clone, Copy)]
pub struct PasswordSources {
    /// The option that names a file, for messages.
    pub option: &'static str,
    /// The environment variable that may hold the password itself.
    pub variable: &'static str,
}

impl Password {
    /// The password in a file: all of it, less a newline at its end.
    ///
    /// # Errors
    /// As [`read_secret_file`]; [`TransportError::InvalidFile`] if it is empty or no text.
    pub fn read(path: &Path) -> Result<Self, TransportError> {
        let invalid = |reason: &str| TransportError::InvalidFile {
            path: path.to_owned(),
            reason: reason.into(),
        };
        let text = String::from_utf8(read_secret_file(path)?)
            .map_err(|_| invalid("it should hold a password and is no UTF-8 text"))?;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        let password = line.strip_suffix('\r').unwrap_or(line);
        if password.is_empty() {
            return Err(invalid("it should hold a password and is empty"));
        }
        Ok(Self(password.to_owned()))
    }

    /// The password itself: not to be shown.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("(a password)")
    }
}

impl PasswordSources {
    /// The password from a file or from `value`, what the environment variable is set to;
    /// `None` if there is neither. A variable that is empty counts as not set.
    ///
    /// # Errors
    /// [`TransportError::TwoPasswords`] if there is more than one, that of the URL included;
    /// [`TransportError::UnreadableVariable`]; as [`Password::read`].
    pub fn find(
        &self,
        address: &Address,
        file: Option<&Path>,
        value: Option<OsString>,
    ) -> Result<Option<Password>, TransportError> {
        let Self { option, variable } = self;
        let value = value.filter(|value| !value.is_empty());
        let given = [
            (address.has_password(), format!("the URL {address}")),
            (file.is_some(), (*option).to_owned()),
            (value.is_some(), (*variable).to_owned()),
        ];
        let given: Vec<_> = given.into_iter().filter(|(given, _)| *given).collect();
        if let [(_, first), (_, second), ..] = given.as_slice() {
            return Err(TransportError::TwoPasswords {
                first: first.clone(),
                second: second.clone(),
            });
        }
        match (file, value) {
            (Some(file), _) => Password::read(file).map(Some),
            (None, Some(value)) => match value.into_string() {
                Ok(password) => Ok(Some(Password(password))),
                Err(_) => Err(TransportError::UnreadableVariable(variable)),
            },
            (None, None) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SOURCES: PasswordSources = PasswordSources {
        option: "--store-password-file",
        variable: "LOTO_STORE_PASSWORD",
    };

    fn file(content: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), content).unwrap();
        file
    }

    #[test]
    fn a_password_is_a_file_less_its_last_newline() {
        for (content, password) in [
            ("secret", "secret"),
            ("secret\r\n", "secret"),
            (" a b \n\n", " a b \n"),
        ] {
            assert_eq!(
                Password::read(file(content).path()).unwrap().expose(),
                password
            );
        }
        let empty = Password::read(file("\n").path()).unwrap_err().to_string();
        assert!(empty.contains("empty"), "{empty}");
        let missing = Password::read(Path::new("/no/such/file"))
            .unwrap_err()
            .to_string();
        assert!(missing.contains("/no/such/file"), "{missing}");
    }

    #[test]
    fn there_is_one_password_or_none() {
        let (with, without) = (
            Address::from("redis://me:secret@host"),
            Address::from("redis://me@host"),
        );
        let file = file("secret");
        let (file, value) = (Some(file.path()), Some(OsString::from("secret")));
        let found = |address, file, value| SOURCES.find(address, file, value);
        assert_eq!(found(&without, None, None).unwrap(), None);
        assert_eq!(found(&without, None, Some(OsString::new())).unwrap(), None);
        for given in [(file, None), (None, value.clone())] {
            let password = found(&without, given.0, given.1).unwrap().unwrap();
            assert_eq!(password.expose(), "secret");
            assert!(!format!("{password:?}").contains("secret"));
        }
        for (address, file, value) in [
            (&with, file, None),
            (&with, None, value.clone()),
            (&without, file, value),
        ] {
            let error = found(address, file, value).unwrap_err().to_string();
            assert!(
                error.contains("give only one") && !error.contains("secret@"),
                "{error}"
            );
            assert!(!error.contains(":secret"), "{error}");
        }
    }
}
