# The commands of daily work. Each installs the Debian packages that it needs; Rust must be there.

.PHONY: demo test faults format lint bench fuzz

# Runs the sweep that is compiled into the binary; the report is demo-report/report.html.
demo:
	deploy/local/install-packages
	cargo build --release --locked --bin loto
	target/release/loto run --out demo-report

# Runs all tests, with a private RabbitMQ and Redis. LOTO_DATA=DIR adds those on the public tables. It says
# first what it installs and how long it takes.
test:
	deploy/local/run-tests

# Runs the long form of the fault suite: two campaigns of LOTO_FAULTS=200 faults each on a sweep over
# RabbitMQ and Redis, one over a host, and LOTO_KILLS=50 kills of an embedded run. LOTO_FAULT_SEED=N repeats one.
faults:
	deploy/local/install-packages --tests
	deploy/local/run-faults

# cargo fmt finds neither files that a macro declares nor those of tests/fuzz; this finds all.
sources = find proto worker coordinator tests -name '*.rs' -not -path '*/target/*' -print0

format:
	$(sources) | xargs -0 rustfmt --edition 2024

# Checks format, lints and structure. The release profile shares what is compiled with `make test`.
lint:
	deploy/local/install-packages --lint
	deploy/local/check-structure
	$(sources) | xargs -0 rustfmt --edition 2024 --check
	cargo clippy --release --workspace --all-targets --locked -- --deny warnings

# Runs the benchmarks.
bench:
	deploy/local/install-packages --tests
	deploy/local/with-servers cargo bench --workspace --locked

# Feeds hostile input to every reader of untrusted bytes, 30 seconds each; the script says how to choose other
# amounts.
fuzz:
	deploy/local/install-packages --tests
	deploy/local/with-servers deploy/local/fuzz
