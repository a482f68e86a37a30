"""Every example ends in the same bits when its bodies and schemes are called through classes of Python."""
import os
import unittest
from pathlib import Path

from scheme_laws import np

import saltus
from test_body_in_python import Through as BodyThrough
from test_scheme_in_python import Through as SchemeThrough

ROOT = Path(os.environ.get("SALTUS_ROOT", Path(__file__).resolve().parents[2]))
STEPS = {"wall": 0, "hertz": 5, "arch": 10, "sphere_pile": 20, "fretless_bass": 20, "chain_on_drum": 30}
# rows of points are told in other blocks, and sums over them are rounded otherwise
ROUNDED = {"energy_of_activation", "flyball_governor", "soft_stack", "tanpura_bridge"}


def through_python(model):
    """The model with every body and scheme behind a class of Python."""
    parts = saltus.ModelParts.of(model)
    for i, group in enumerate(parts.groups):
        parts.set_dynamics(i, BodyThrough(group.dynamics))
        parts.set_scheme(i, SchemeThrough(group.scheme))
    return parts.build()


def compare(test, stem, steps):
    model = saltus.Scene.read(ROOT / "examples" / f"{stem}.yaml").build()
    one, two = saltus.Simulation(model), saltus.Simulation(through_python(model))
    for _ in range(steps):
        one.advance()
        two.advance()
    if stem not in ROUNDED:
        test.assertTrue(one.state == two.state)
    for g, (a, b) in enumerate(zip(one.state._groups, two.state._groups)):
        for x, y in zip(a[:2], b[:2]):
            test.assertLessEqual(np.abs(x - y).max(initial=0.0), 1e-9 * (1.0 + np.abs(x).max(initial=0.0)))
        x, y = one._reactions(g), two._reactions(g)
        test.assertLessEqual(np.abs(x - y).max(initial=0.0), 1e-9 * (1.0 + np.abs(x).max(initial=0.0)))


class Examples(unittest.TestCase):
    def test_every_example_ends_in_the_same_bits(self):
        files = sorted((ROOT / "examples").glob("*.yaml"))
        self.assertGreater(len(files), 40)
        for file in files:
            if STEPS.get(file.stem, 1):
                with self.subTest(file.stem):
                    compare(self, file.stem, STEPS.get(file.stem, 60))


if __name__ == "__main__":
    unittest.main()
