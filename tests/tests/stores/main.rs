//! All stores keep the same rules, and Redis survives what only a server goes through.

mod embedded {
    use std::sync::Arc;

    use loto_transport::store::{EmbeddedStore, Store};

    async fn in_memory() -> (Arc<dyn Store>, ()) {
        (Arc::new(EmbeddedStore::in_memory().await.unwrap()), ())
    }

    loto_tests::store_conformance!(in_memory());
}

mod embedded_file {
    use std::sync::Arc;

    use loto_transport::store::{self, Store};

    async fn in_file() -> (Arc<dyn Store>, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sweep.loto");
        (store::open(path.to_str().unwrap()).await.unwrap(), folder)
    }

    loto_tests::store_conformance!(in_file());
}

mod redis {
    use std::sync::Arc;

    use loto_tests::servers;
    use loto_transport::store::{self, Store};

    async fn in_redis() -> (Arc<dyn Store>, ()) {
        (
            store::open(&servers::empty_store().await).await.unwrap(),
            (),
        )
    }

    loto_tests::store_conformance!(in_redis());
}

mod host {
    use std::sync::Arc;

    use loto_tests::host::RunningHost;
    use loto_transport::store::{self, Store};

    async fn in_host() -> (Arc<dyn Store>, RunningHost) {
        let host = RunningHost::start(&[]);
        (store::open(&host.url).await.unwrap(), host)
    }

    loto_tests::store_conformance!(in_host());
}

mod simulated {
    use std::sync::Arc;

    use loto_tests::simulation::faultless_store;
    use loto_transport::store::Store;

    async fn simulated() -> (Arc<dyn Store>, ()) {
        (faultless_store(), ())
    }

    loto_tests::store_conformance!(simulated());
}

mod redis_checksums;
mod redis_damage;
mod redis_restart;
