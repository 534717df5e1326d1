"""RabbitMQ and Redis as processes here, with the configuration and the accounts of a deployment."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import time

PATIENCE = 90


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Processes:
    """Processes that end with this block, each with a log in a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self._running):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def start(self, name, command, environment):
        """Starts a command; its output goes to NAME.log."""
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        process.log = self.folder / f"{name}.log"
        self._running.append(process)
        return process


def wait_until(what, process, condition):
    """Waits for a condition; fails with the process's log if it ends first, or time does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"{what}\n{process.log.read_text()[-4000:]}")
        time.sleep(0.1)


def listens(port):
    """Whether something accepts connections on a port of this host."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def rabbitmq(processes, configuration, encrypted=False):
    """Starts a broker with a rabbitmq.conf; its ports for AMQP and for the management API."""
    data = processes.folder / "rabbitmq"
    data.mkdir()
    amqp, management, distribution, mapper = (free_port() for _ in range(4))
    (data / "plugins").write_text("[rabbitmq_management].")
    (data / "advanced.config").write_text("[].")
    (data / "rabbitmq.conf").write_text(
        f"{configuration}\n"
        + ("listeners.tcp = none\nlisteners.ssl.1" if encrypted else "listeners.tcp.1")
        + f" = 127.0.0.1:{amqp}\n"
        f"management.tcp.ip = 127.0.0.1\nmanagement.tcp.port = {management}\n"
    )
    environment = os.environ | {
        "HOME": str(data),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(mapper),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(data / "advanced.config"),
        "RABBITMQ_CONFIG_FILE": str(data / "rabbitmq.conf"),
        "RABBITMQ_CONF_ENV_FILE": str(data / "no-environment-file"),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(data / "plugins"),
        "RABBITMQ_LOG_BASE": str(data / "log"),
        "RABBITMQ_MNESIA_BASE": str(data / "data"),
        "RABBITMQ_NODENAME": f"loto-{amqp}@localhost",
        "RABBITMQ_PID_FILE": str(data / "erlang.pid"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
    }
    # A port mapper of our own: the broker would start one that outlives it.
    processes.start("epmd", ["epmd", "-address", "127.0.0.1", "-port", str(mapper)], environment)
    broker = processes.start("rabbitmq", ["rabbitmq-server"], environment)
    wait_until("the broker does not start", broker, lambda: listens(amqp) and listens(management))
    return amqp, management


def redis(processes, configuration, encrypted=False):
    """Starts a store with a redis.conf; its port."""
    data = processes.folder / "redis"
    data.mkdir()
    port = free_port()
    path = data / "redis.conf"
    listening = f"port 0\ntls-port {port}" if encrypted else f"port {port}"
    # A name in the folder, not a part of its path.
    text = re.sub(r"(?m)^dir .*$", f"dir {data}", configuration)
    path.write_text(f"{text}\nbind 127.0.0.1\n{listening}\n")
    store = processes.start("redis", ["redis-server", str(path)], dict(os.environ))
    wait_until("the store does not start", store, lambda: listens(port))
    return port
