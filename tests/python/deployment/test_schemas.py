"""Every overlay renders, and every object in it is valid."""

import copy
import unittest

import rendering
import schemas


class Schemas(unittest.TestCase):
    def test_every_object_is_valid(self):
        for name in rendering.OVERLAYS:
            objects = rendering.overlay(name)
            self.assertGreater(len(objects), 10, name)
            for item in objects:
                with self.subTest(overlay=name, kind=item["kind"], name=item["metadata"]["name"]):
                    self.assertEqual(schemas.problems(item), [])
        for item in rendering.single_objects():
            self.assertEqual(schemas.problems(item), [])

    def test_an_invalid_object_of_each_kind_is_found(self):
        """Every field of every object is misspelt once, and each time that is noticed."""
        objects = {
            item["kind"]: item for name in rendering.OVERLAYS for item in rendering.overlay(name)
        }
        self.assertIn("RabbitmqCluster", objects)
        self.assertIn("ScaledJob", objects)
        for kind, item in objects.items():
            if "spec" not in item:
                continue
            for field in item["spec"]:
                changed = copy.deepcopy(item)
                changed["spec"][field + "z"] = changed["spec"].pop(field)
                with self.subTest(kind=kind, field=field):
                    self.assertNotEqual(schemas.problems(changed), [])

    def test_wrong_values_deep_inside_are_found(self):
        objects = {
            item["kind"]: item for name in rendering.OVERLAYS for item in rendering.overlay(name)
        }
        deep = [
            ("ScaledJob", ("jobTargetRef", "template", "spec", "containers", 0, "livenessProbe", "period"), 1),
            ("ScaledJob", ("triggers", 0, "kind"), "rabbitmq"),
            ("RabbitmqCluster", ("override", "statefulSet", "spec", "template", "spec", "volumez"), []),
            ("RabbitmqCluster", ("resources", "limitz"), {}),
            ("Deployment", ("template", "spec", "containers", 0, "env", 0, "values"), "x"),
            ("Job", ("podFailurePolicy", "rules", 0, "action"), 3),
        ]
        for kind, path, value in deep:
            changed = copy.deepcopy(objects[kind])
            place = changed["spec"]
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            with self.subTest(kind=kind, path=path):
                self.assertNotEqual(schemas.problems(changed), [])


if __name__ == "__main__":
    unittest.main()
