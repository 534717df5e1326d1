//! A bounded cache whose entries are made once, by the first thread that asks.

use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// Values of all caches that were there since [`take_hits`] was called last.
static HITS: AtomicU64 = AtomicU64::new(0);

/// How many values were there since the last call.
pub fn take_hits() -> u64 {
    HITS.swap(0, Ordering::Relaxed)
}

type Slot<V> = Arc<Mutex<Option<Arc<V>>>>;

/// Keeps the values asked for last.
pub struct Cache<K, V> {
    capacity: NonZeroUsize,
    entries: Mutex<Entries<K, V>>,
}

struct Entries<K, V> {
    slots: HashMap<K, Entry<V>>,
    clock: u64,
    /// The sum of the weights.
    weight: usize,
}

struct Entry<V> {
    slot: Slot<V>,
    used: u64,
    weight: usize,
}

impl<K: Eq + Hash, V> Entries<K, V> {
    fn remove(&mut self, key: &K) {
        let removed = self.slots.remove(key);
        self.weight -= removed.map_or(0, |entry| entry.weight);
    }
}

impl<K: Eq + Hash + Clone, V> Cache<K, V> {
    /// A cache of at most `capacity` values, or of values that together weigh no more.
    pub fn new(capacity: NonZeroUsize) -> Self {
        Self {
            capacity,
            entries: Mutex::new(Entries {
                slots: HashMap::new(),
                clock: 0,
                weight: 0,
            }),
        }
    }

    /// The value under `key`, made by `make` if it is not there. Threads that ask
    /// for a value while it is made wait for it.
    ///
    /// # Errors
    /// Those of `make`; nothing is kept then.
    pub fn get_or_make<E>(
        &self,
        key: &K,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        self.get_or_make_heavy(key, 1, make)
    }

    /// As [`Self::get_or_make`] for a value that takes up `weight` of the capacity. One that weighs more than that is made
    /// and not kept.
    ///
    /// # Errors
    /// Those of `make`; nothing is kept then.
    pub fn get_or_make_heavy<E>(
        &self,
        key: &K,
        weight: usize,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        if weight > self.capacity.get() {
            return make().map(Arc::new);
        }
        let slot = self.slot(key, weight);
        // A thread that panicked while it made the value left none: the next one makes it.
        let mut value = slot.lock();
        if let Some(value) = &*value {
            HITS.fetch_add(1, Ordering::Relaxed);
            return Ok(Arc::clone(value));
        }
        let made = Arc::new(make().inspect_err(|_| self.forget(key, &slot))?);
        *value = Some(Arc::clone(&made));
        Ok(made)
    }

    fn slot(&self, key: &K, weight: usize) -> Slot<V> {
        let mut entries = self.entries.lock();
        let entries = &mut *entries;
        entries.clock += 1;
        let now = entries.clock;
        if let Some(entry) = entries.slots.get_mut(key) {
            entry.used = now;
            return Arc::clone(&entry.slot);
        }
        while entries.weight + weight > self.capacity.get() {
            let oldest = entries.slots.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                break;
            };
            entries.remove(&oldest);
        }
        let slot = Slot::default();
        let entry = Entry {
            slot: Arc::clone(&slot),
            used: now,
            weight,
        };
        entries.slots.insert(key.clone(), entry);
        entries.weight += weight;
        slot
    }

    /// Forgets a value that could not be made, unless another thread waits to make it.
    fn forget(&self, key: &K, slot: &Slot<V>) {
        let mut entries = self.entries.lock();
        let entry = entries.slots.get(key);
        // The place may have been taken meanwhile. The entry and who failed have the slot; who waits would have it, too.
        let is_own = entry.is_some_and(|entry| Arc::ptr_eq(&entry.slot, slot));
        if is_own && Arc::strong_count(slot) == 2 {
            entries.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn threads_share_one_making() {
        let cache = Cache::new(NonZeroUsize::new(2).unwrap());
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = cache.get_or_make(&"key", || {
                        made.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Ok::<_, ()>(7)
                    });
                    assert_eq!(*value.unwrap(), 7);
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn the_least_recently_used_value_goes_first_and_errors_are_not_kept() {
        let cache = Cache::new(NonZeroUsize::new(2).unwrap());
        let failed = cache.get_or_make(&1, || Err("no"));
        assert_eq!(failed, Err("no"));
        for key in [1, 2, 1, 3] {
            cache.get_or_make(&key, || Ok::<_, ()>(key)).unwrap();
        }
        let never = || -> Result<i32, ()> { panic!("it is there") };
        cache.get_or_make(&1, never).unwrap();
        cache.get_or_make(&3, never).unwrap();
        assert_eq!(*cache.get_or_make(&2, || Ok::<_, ()>(20)).unwrap(), 20);
    }

    #[test]
    fn a_value_that_could_not_be_made_takes_no_place() {
        let cache = Cache::new(NonZeroUsize::new(10).unwrap());
        let make = |key: u32| cache.get_or_make_heavy(&key, 5, || Ok::<_, &str>(key));
        make(1).unwrap();
        let failed = cache.get_or_make_heavy(&2, 5, || Err("no"));
        assert_eq!(failed, Err("no"));
        make(3).unwrap();
        let never = || -> Result<u32, &str> { panic!("it is there") };
        assert_eq!(*cache.get_or_make_heavy(&1, 5, never).unwrap(), 1);
        assert_eq!(*cache.get_or_make_heavy(&3, 5, never).unwrap(), 3);
    }

    #[test]
    fn who_waits_for_a_value_that_fails_makes_it_and_it_is_kept() {
        let cache = Cache::new(NonZeroUsize::new(2).unwrap());
        let (begin, begun) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let failed = cache.get_or_make(&1, || {
                    begin.send(()).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(50));
                    Err("no")
                });
                assert_eq!(failed, Err("no"));
            });
            begun.recv().unwrap();
            assert_eq!(*cache.get_or_make(&1, || Ok::<_, ()>(7)).unwrap(), 7);
        });
        let never = || -> Result<i32, ()> { panic!("it is there") };
        assert_eq!(*cache.get_or_make(&1, never).unwrap(), 7);
    }

    #[test]
    fn as_many_values_go_as_a_heavier_one_takes_the_place_of() {
        let cache = Cache::new(NonZeroUsize::new(10).unwrap());
        let make = |key: u32, weight: usize| {
            let mut was_made = false;
            let value = cache.get_or_make_heavy(&key, weight, || {
                was_made = true;
                Ok::<_, ()>(key)
            });
            assert_eq!(*value.unwrap(), key);
            was_made
        };
        for key in 1..=3 {
            assert!(make(key, 3));
        }
        assert!(!make(1, 3));
        // 9 of 10 are taken: the two least recently used ones go.
        assert!(make(4, 5));
        assert!(!make(1, 3) && !make(4, 5));
        // What no place can be made for drives nothing out, and is not kept.
        assert!(make(5, 11) && make(5, 11));
        assert!(!make(1, 3) && !make(4, 5));
        assert!(make(2, 2) && !make(1, 3) && !make(4, 5));
        assert!(make(3, 10) && make(1, 3));
    }
}
