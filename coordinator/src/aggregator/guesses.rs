//! How many wrong tokens an address may send.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

use loto_process::connections::rare_line::RareLine;
use parking_lot::Mutex;

/// Wrong tokens that an address may send at once.
const GUESSES: u32 = 10;

/// Time after which it may send one more.
const RECOVERY: Duration = Duration::from_secs(6);

/// Most addresses that are remembered.
const MAX_ADDRESSES: usize = 10_000;

/// The bits of an IPv6 address that one client cannot choose.
const IPV6_NETWORK: u32 = 64;

/// The wrong tokens of each address: so many and no more, so that a token cannot be found by trying. An address that
/// has used them up is refused whatever it sends, or the refusal would tell a right token.
#[derive(Default)]
pub(super) struct Guesses {
    addresses: Mutex<Addresses>,
}

#[derive(Default)]
struct Addresses {
    /// For each address, when it will have recovered from all its wrong tokens.
    recovered: HashMap<IpAddr, Instant>,
    line: RareLine,
}

impl Guesses {
    /// Time until a client may send a token; `None` if it may now.
    pub(super) fn delay(&self, client: IpAddr, now: Instant) -> Option<Duration> {
        let addresses = self.addresses.lock();
        let recovered = addresses.recovered.get(&network(client))?;
        let debt = recovered.saturating_duration_since(now);
        let allowed = RECOVERY * (GUESSES - 1);
        debt.checked_sub(allowed).filter(|delay| !delay.is_zero())
    }

    /// Counts a wrong token.
    pub(super) fn wrong(&self, client: IpAddr, now: Instant) {
        let mut addresses = self.addresses.lock();
        let network = network(client);
        if addresses.recovered.len() >= MAX_ADDRESSES && !addresses.recovered.contains_key(&network)
        {
            addresses.forget_one(now);
        }
        let recovered = addresses.recovered.entry(network).or_insert(now);
        *recovered = now.max(*recovered) + RECOVERY;
        let is_used_up = *recovered > now + RECOVERY * (GUESSES - 1);
        if let Some(others) = addresses.line.due() {
            let consequence = match is_used_up {
                true => "it may send no more for some seconds",
                false => "it was refused",
            };
            tracing::warn!(
                "{client} sent a token that is not known: {consequence} ({others} such tokens before)"
            );
        }
    }
}

impl Addresses {
    /// Forgets those that have recovered, or else the one that will be the first to.
    fn forget_one(&mut self, now: Instant) {
        self.recovered.retain(|_, recovered| *recovered > now);
        if self.recovered.len() < MAX_ADDRESSES {
            return;
        }
        let first = self
            .recovered
            .iter()
            .min_by_key(|(_, recovered)| **recovered);
        if let Some(address) = first.map(|(address, _)| *address) {
            self.recovered.remove(&address);
        }
    }
}

fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => {
            let mask = u128::MAX << (Ipv6Addr::BITS - IPV6_NETWORK);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// How many wrong tokens get through in a time, if one is tried every millisecond.
    fn guessed(guesses: &Guesses, client: IpAddr, start: Instant, seconds: u64) -> usize {
        let tries = (0..seconds * 1000).map(|n| start + Duration::from_millis(n));
        let tried = tries.filter(|&now| {
            let may_try = guesses.delay(client, now).is_none();
            if may_try {
                guesses.wrong(client, now);
            }
            may_try
        });
        tried.count()
    }

    #[test]
    fn an_address_guesses_ten_times_and_then_ten_times_a_minute() {
        let guesses = Guesses::default();
        let start = Instant::now();
        let attacker = "192.0.2.1".parse().unwrap();
        assert_eq!(guessed(&guesses, attacker, start, 60), 10 + 9);
        let later = start + 60 * SECOND;
        assert!(
            guesses
                .delay(attacker, later)
                .is_none_or(|delay| delay <= RECOVERY)
        );
        // Others are not held up, and silence brings all back.
        assert_eq!(guesses.delay("192.0.2.2".parse().unwrap(), later), None);
        assert_eq!(guessed(&guesses, attacker, later + 120 * SECOND, 1), 10);
    }

    #[test]
    fn who_has_many_addresses_of_one_network_has_one() {
        let guesses = Guesses::default();
        let now = Instant::now();
        for host in 0..10 {
            let client = format!("2001:db8::{host:x}").parse().unwrap();
            assert_eq!(guesses.delay(client, now), None);
            guesses.wrong(client, now);
        }
        assert!(
            guesses
                .delay("2001:db8::ffff:1".parse().unwrap(), now)
                .is_some()
        );
        assert!(
            guesses
                .delay("2001:db8:0:1::1".parse().unwrap(), now)
                .is_none()
        );
        let mapped = "::ffff:192.0.2.1".parse().unwrap();
        assert_eq!(network(mapped), "192.0.2.1".parse::<IpAddr>().unwrap());
    }

    #[test]
    fn a_bounded_number_of_addresses_is_remembered() {
        let guesses = Guesses::default();
        let now = Instant::now();
        for number in 0..MAX_ADDRESSES as u32 + 100 {
            guesses.wrong(IpAddr::V4(number.into()), now);
        }
        assert_eq!(guesses.addresses.lock().recovered.len(), MAX_ADDRESSES);
    }
}
