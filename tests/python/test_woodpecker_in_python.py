"""The woodpecker of examples/woodpecker.yaml as a body in Python, step by step beside the scene."""
import os
import unittest
from pathlib import Path

from scheme_laws import np

import saltus

ROOT = Path(os.environ.get("SALTUS_ROOT", Path(__file__).resolve().parents[2]))
T = saltus.Trait


class Woodpecker(saltus.Dynamics):
    """Height of the sleeve [m], its angle and that of the bird [rad]: M q'' + K q = f."""

    M = saltus.SparseMatrix([[4.8e-3, 4.5e-5, 6.75e-5], [4.5e-5, 4.55e-7, 6.75e-7], [6.75e-5, 6.75e-7, 1.7125e-6]])
    K = saltus.SparseMatrix([[0, 0, 0], [0, 5.6e-3, -5.6e-3], [0, -5.6e-3, 5.6e-3]])
    f = np.array([-0.047088, -4.4145e-4, -6.62175e-4])
    # of beak, upper and lower edge: gap = H q + b, way along the pole = S q
    H = np.array([[0, 0, -0.02], [0, 0.0058, 0], [0, -0.0058, 0]])
    b = np.array([2.4e-3, 0.6e-3, 0.6e-3])
    S = np.array([[1, 0.01, -0.0051], [1, 0.0031, 0], [1, 0.0031, 0]])

    def positions(self):
        return 3

    def traits(self):
        return T.tangents | T.affine | T.symmetric | T.fixed_points | T.second_order | T.constant_mass | T.potential

    def mass(self, q):
        return self.M

    def stiffness(self, t, q, v):
        return self.K

    def force(self, t, q, v, f):
        f[:] = self.f - self.K.multiply(q)

    def potential_force(self, t, q, f):
        f[:] = self.f - self.K.multiply(q)

    def potential(self, q):
        return 0.5 * self.K.inner(q, q) - self.f @ q

    def point(self, i, q):
        return self.S[i] @ q, 0.0, self.H[i] @ q + self.b[i]

    def point_jacobian(self, i, q):
        return np.array([self.S[i], np.zeros(3), self.H[i]])


def woodpecker_of_python(h):
    parts = saltus.ModelParts()
    parts.options(h=h, end=1.0)
    scheme = saltus.scheme("moreau-jean")
    parts.add_group("toy", Woodpecker(), scheme, q=[0, -0.1034, -0.2788], v=[-0.3411, 0, -7.4583])
    for i, e in enumerate((0.5, 0.0, 0.0)):
        law = parts.add_law("newton-impact", scheme, restitution=e, friction=0.3)
        parts.add_pair(saltus.Point("toy", feature=i), [0, 0, 0], [0, 0, 1], law, tangents=[[1, 0, 0]])
    return saltus.Simulation(parts.build())


class InPython(unittest.TestCase):
    def test_the_scene_of_the_woodpecker_is_its_body_in_python(self):
        scene = saltus.Simulation(saltus.Scene.read(ROOT / "examples" / "woodpecker.yaml").build())
        code = woodpecker_of_python(1e-5)
        worst, closed = 0.0, 0
        for _ in range(10000):
            a, b = scene.advance(), code.advance()
            self.assertEqual(a.contacts, b.contacts)
            closed += a.contacts > 0
            (x, v), (y, w) = (sim.state._groups[0][:2] for sim in (scene, code))
            worst = max(worst, np.abs(x - y).max(), np.abs(v - w).max() / 10.0)  # rates of 10 rad/s
        self.assertGreater(closed, 5000)
        self.assertLessEqual(worst, 1e-12)


if __name__ == "__main__":
    unittest.main()
