# The commands of daily work. Each installs what it needs (Debian packages); Rust must be there.

.PHONY: demo test faults lint bench fuzz

# Runs the sweep that is compiled into the binary; the report is demo-report/report.html.
demo:
	deploy/local/install-packages
	cargo build --release --locked --bin loto
	target/release/loto run --out demo-report

# Runs all tests, with a private RabbitMQ and Redis. LOTO_DATA=DIR adds those on the public tables. It says
# first what it installs and how long it takes.
test:
	deploy/local/run-tests

# The long form of the fault suite: LOTO_FAULTS=200 faults on a sweep over RabbitMQ and Redis, then
# LOTO_KILLS=50 kills of an embedded run. LOTO_FAULT_SEED=N repeats one.
faults:
	deploy/local/install-packages --tests
	deploy/local/run-faults

# The release profile shares what is compiled with `make test`.
lint:
	deploy/local/install-packages --lint
	deploy/local/check-structure
	cargo fmt --all -- --check
	cargo clippy --release --workspace --all-targets --locked -- --deny warnings

bench:
	deploy/local/install-packages --tests
	deploy/local/with-servers cargo bench --workspace --locked

# Hostile input for every reader of untrusted bytes, 30 seconds each; other amounts: see the script.
fuzz:
	deploy/local/install-packages --tests
	deploy/local/with-servers deploy/local/fuzz
