"""The example of deploy/observability is a configuration of Prometheus that finds every pod with metrics, and no other."""

import re
import tempfile
import unittest

import network
import rendering
import yaml

FOLDER = rendering.REPOSITORY / "deploy/observability"
(EXAMPLE,) = re.findall(r"```yaml\n(.*?)```", (FOLDER / "README.md").read_text(), re.S)


class Scraping(unittest.TestCase):
    def test_prometheus_takes_it(self):
        """But for how pods are found, which Debian's Prometheus is built without."""
        configuration = yaml.safe_load(EXAMPLE)
        configuration["rule_files"] = [str(FOLDER / name) for name in configuration["rule_files"]]
        (scraped,) = configuration["scrape_configs"]
        scraped["static_configs"] = [{"targets": ["pod:9464"]}]
        del scraped["kubernetes_sd_configs"]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            yaml.safe_dump(configuration, file)
            file.flush()
            self.assertIn("SUCCESS", rendering.run(["promtool", "check", "config", file.name]))

    def test_it_finds_every_pod_with_metrics(self):
        (scraped,) = yaml.safe_load(EXAMPLE)["scrape_configs"]
        (found,) = scraped["kubernetes_sd_configs"]
        (selector,) = found["selectors"]
        label, _, value = selector["label"].partition("=")
        kept = next(rule["regex"] for rule in scraped["relabel_configs"] if rule.get("action") == "keep")
        for name in rendering.OVERLAYS:
            objects = rendering.overlay(name)
            (namespace,) = (item["metadata"]["name"] for item in objects if item["kind"] == "Namespace")
            self.assertEqual(found["namespaces"]["names"], [namespace])
            pods = network.pods(objects)
            with_metrics = {pod.name for pod in pods if 9464 in pod.ports.values()}
            self.assertEqual(len(with_metrics), 3)
            scraped_pods = {pod.name for pod in pods if pod.labels.get(label) == value and kept in pod.ports}
            self.assertEqual(scraped_pods, with_metrics)


if __name__ == "__main__":
    unittest.main()
