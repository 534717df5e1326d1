"""Whether NetworkPolicies let one pod reach another, as the Kubernetes documentation says they work."""

from processes import POD_PATHS, pod_of

# What the RabbitMQ cluster operator makes of a RabbitmqCluster with TLS and nothing else: its documented
# ports, and the labels of its pods.
OPERATOR_PORTS = {"amqps": 5671, "management-tls": 15671, "prometheus-tls": 15691}


class Pod:
    """What policies see of a pod."""

    def __init__(self, name, labels, ports):
        self.name, self.labels, self.ports = name, labels, ports


def pods(objects):
    """A pod of every workload."""
    found = []
    for item in objects:
        name = item["metadata"]["name"]
        if item["kind"] in POD_PATHS:
            pod = pod_of(item)
            ports = {
                port["name"]: port["containerPort"]
                for container in pod["spec"]["containers"]
                for port in container.get("ports", [])
            }
            found.append(Pod(f"{item['kind']}/{name}", pod["metadata"].get("labels", {}), ports))
        elif item["kind"] == "RabbitmqCluster":
            labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/component": "rabbitmq"}
            found.append(Pod(f"RabbitmqCluster/{name}", labels, OPERATOR_PORTS))
    return found


def services(objects):
    """The Services by name, as {port: pods' port}, with their selectors."""
    found = {}
    for item in objects:
        name = item["metadata"]["name"]
        if item["kind"] == "Service":
            found[name] = (item["spec"]["selector"], item["spec"]["ports"])
        elif item["kind"] == "RabbitmqCluster":
            ports = [{"port": port, "targetPort": port} for port in OPERATOR_PORTS.values()]
            found[name] = ({"app.kubernetes.io/name": name}, ports)
    return found


def selects(selector, labels):
    """Whether a label selector selects these labels."""
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return False
    for expression in selector.get("matchExpressions", []):
        if expression["operator"] != "In":
            raise NotImplementedError(expression["operator"])
        if labels.get(expression["key"]) not in expression["values"]:
            return False
    return True


def policies(objects, labels, direction):
    """The rules for a pod in one direction, Ingress or Egress; None if no policy restricts it."""
    chosen = [
        item["spec"]
        for item in objects
        if item["kind"] == "NetworkPolicy"
        and direction in item["spec"]["policyTypes"]
        and selects(item["spec"]["podSelector"], labels)
    ]
    if not chosen:
        return None
    return [rule for spec in chosen for rule in spec.get(direction.lower(), [])]


def _port_allowed(rule, port):
    if "ports" not in rule:
        return True
    return any(
        entry["port"] <= port <= entry.get("endPort", entry["port"]) for entry in rule["ports"]
    )


def _peer_allowed(rule, side, peer):
    """`peer`: the labels of a pod of this namespace, the name of another namespace, or None: outside."""
    if side not in rule:
        return True
    for entry in rule[side]:
        namespace = entry.get("namespaceSelector")
        if isinstance(peer, dict) and namespace is None and selects(entry["podSelector"], peer):
            return True
        if isinstance(peer, str) and namespace is not None:
            if selects(namespace, {"kubernetes.io/metadata.name": peer}):
                return True
    return False


def lets_out(objects, labels, peer, port):
    """Whether a pod may connect to a peer."""
    rules = policies(objects, labels, "Egress")
    return rules is None or any(
        _port_allowed(rule, port) and _peer_allowed(rule, "to", peer) for rule in rules
    )


def lets_in(objects, labels, peer, port):
    """Whether a peer may connect to a pod."""
    rules = policies(objects, labels, "Ingress")
    return rules is None or any(
        _port_allowed(rule, port) and _peer_allowed(rule, "from", peer) for rule in rules
    )
