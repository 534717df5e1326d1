//! How to reach a broker or a store: where it is, who we are, whom we trust.
//!
//! - [`address`]: its URL, which is never shown with a password;
//! - [`password`]: the password, if the URL has none;
//! - [`tls`]: authorities to trust and the certificate to show;
//! - [`secret_file`]: files with a password, tokens or a key, which nobody else may read;
//! - `refusal`: what it means when a server, or we, refuse the other.

pub mod address;
pub mod password;
pub(crate) mod refusal;
pub mod secret_file;
pub mod tls;

use self::address::Address;
use self::password::Password;
use self::tls::Tls;

/// How to reach a broker or a store. Made from a URL alone, it has the URL's password, trusts
/// the authorities that the system trusts, and shows no certificate.
#[derive(Debug, Clone)]
pub struct Access {
    /// Where it is, and as which user.
    pub address: Address,
    /// The user's password, if the address has none.
    pub password: Option<Password>,
    /// For `amqps` and `rediss`.
    pub tls: Tls,
}

impl From<Address> for Access {
    fn from(address: Address) -> Self {
        Self {
            address,
            password: None,
            tls: Tls::default(),
        }
    }
}

impl<Url: AsRef<str> + ?Sized> From<&Url> for Access {
    fn from(url: &Url) -> Self {
        Address::from(url.as_ref()).into()
    }
}
