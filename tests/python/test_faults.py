"""Forces of user code that are not finite end a run by a report: no state holds them, and no file is finished with them."""
import math
import unittest

from scheme_laws import np  # knows where the examples are

import saltus
from pendulum_body import Pendulum, simulation


class Broken(Pendulum):
    """Its force is `value` from the time `begin` [s] on."""

    def __init__(self, value, begin=0.1):
        super().__init__(drag=0.01)
        self.value, self.begin = value, begin

    def force(self, t, q, v, f):
        super().force(t, q, v, f)
        if t >= self.begin:
            f[0] = self.value

    def potential_force(self, t, q, f):
        super().potential_force(t, q, f)
        if t >= self.begin:
            f[0] = self.value


class Faults(unittest.TestCase):
    def test_a_force_that_is_not_finite_stops_the_run_before_its_step(self):
        for value in (math.nan, math.inf, -math.inf):
            for scheme in ("moreau-jean", "euler-explicit", "runge-kutta"):
                with self.subTest(value=value, scheme=scheme):
                    sim = simulation(Broken(value), saltus.scheme(scheme), end=0.3)
                    try:
                        sim.run()
                    except (saltus.Error, ValueError) as error:  # ValueError: of math.sin(inf) in Pendulum.point
                        self.assertTrue("use a shorter step" in str(error) or isinstance(error, ValueError), error)
                    self.assertLess(sim.t, 0.11)
                    for group in sim.groups.values():
                        self.assertTrue(np.isfinite(group.q).all() and np.isfinite(group.v).all())


if __name__ == "__main__":
    unittest.main()
