"""Acting on a simulation between two steps: set-points, forces, positions, and what of it belongs to the state."""
import copy
import pickle
import sys
import threading
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

SCHEMES = ("rig-mid", "moreau-jean", "rig-pos", "rig-neg", "rig-imp", "generalized-alpha", "runge-kutta")


def body(scheme="rig-mid", **rigid):
    return {"name": "box", "kind": "rigid", "scheme": scheme,
            "rigid": {"mass": 2, "inertia": [0.05, 0.06, 0.07], "position": [0.2, -0.1, 1], "spin": [3, 2, 1], **rigid}}


def scene(bodies, mode="stepping", step=1e-3, **more):
    return {"saltus": 1, "time": {"step": step, "end": 1, "mode": mode}, "bodies": bodies, **more}


def arm(turn, mode="stepping", links=3):
    """A chain of links on hinges about y that hangs from the world."""
    bodies, joints = [], []
    for k in range(links):
        bodies.append({"name": f"link{k}", "kind": "rigid",
                       "rigid": {"mass": 1, "inertia": [0.01, 0.01, 0.002], "position": [0, 0, -0.15 - 0.3 * k]}})
        joints.append({"name": f"joint{k}", "kind": "revolute", "between": ["world" if k == 0 else f"link{k - 1}", f"link{k}"],
                       "at": [0, 0, -0.3 * k], "axis": [0, 1, 0], "turn": dict(turn)})
    return scene(bodies, mode, gravity=[0, 0, -9.81], joints=joints)


class Forces(unittest.TestCase):
    def test_a_force_acts_as_a_load_of_the_scene(self):
        for mode, scheme in [("stepping", one) for one in SCHEMES] + [("events", "rig-mid")]:
            for loads, force in (([{"force": [1, 0, 0], "constant": 5}, {"torque": [0, 1, 0], "constant": 0.3}],
                                  {"force": [5, 0, 0], "torque": [0, 0.3, 0]}),
                                 ([{"force": [0, 0, 1], "constant": -4, "point": [0.1, 0.2, 0.3]}],
                                  {"force": [0, 0, -4], "at": [0.3, 0.1, 1.3]})):
                with self.subTest(mode=mode, scheme=scheme, force=force):
                    free = scene([body(scheme)], mode)
                    loaded = copy.deepcopy(free)
                    loaded["bodies"][0]["loads"] = loads
                    applied, given = saltus.Simulation(free), saltus.Simulation(loaded)
                    applied.apply("box", **force)
                    for sim in (applied, given):
                        sim.run(steps=200, progress=False)
                    np.testing.assert_allclose(applied.groups[0].q, given.groups[0].q, rtol=0, atol=1e-11)
                    self.assertAlmostEqual(applied.ledger["load"], given.ledger["load"], delta=1e-9)
                    self.assertAlmostEqual(applied.ledger["unexplained"], given.ledger["unexplained"], delta=1e-9)

    def test_a_controller_moves_an_oscillator_as_its_closed_form_says(self):
        # m x'' = -c x' - k (x - 1) by a force that is computed anew in each step: its delay of half a step is of order h
        for kind in ("particles", "rigid"):
            errors = []
            for h in (2e-3, 1e-3):
                one = {"name": "box", "kind": "particles", "particles": {"mass": [2], "positions": [[0, 0, 0]]}} \
                    if kind == "particles" else body(position=[0, 0, 0], spin=[0, 0, 0])
                sim = saltus.Simulation(scene([one], step=h))
                k, c = 50.0, 4.0

                def control(sim):
                    x, v = sim.bodies["box"].position[0], sim.bodies["box"].velocity[0]
                    sim.apply("box", [-k * (x - 1) - c * v, 0, 0])

                sim.run(until=1.0, before=control, progress=False)
                d, w = c / 4, np.sqrt(k / 2 - (c / 4)**2)
                exact = 1 - np.exp(-d) * (np.cos(w) + d / w * np.sin(w))
                errors.append(abs(sim.bodies["box"].position[0] - exact))
            self.assertLess(errors[1], 5e-3)
            self.assertGreater(errors[0] / errors[1], 1.7)
            self.assertLess(errors[0] / errors[1], 2.3)

    def test_forces_add_up_are_replaced_and_end(self):
        sim = saltus.Simulation(scene([body(spin=[0, 0, 0])]))
        sim.apply("box", [2, 0, 0])
        sim.apply("box", [0, 4, 0], add=True)
        sim.run(steps=1000, progress=False)
        np.testing.assert_allclose(sim.bodies["box"].velocity, [1, 2, 0], atol=1e-12)
        sim.apply("box", [0, -4, 0])
        sim.run(steps=1000, progress=False)
        np.testing.assert_allclose(sim.bodies["box"].velocity, [1, 0, 0], atol=1e-12)
        sim.apply("box")
        sim.run(steps=1000, progress=False)
        np.testing.assert_allclose(sim.bodies["box"].velocity, [1, 0, 0], atol=1e-12)

    def test_a_state_with_forces_goes_on_with_the_same_bits(self):
        for mode in ("stepping", "events"):
            whole = saltus.Simulation(arm({"damping": 0.01}, mode))
            whole.run(steps=20, progress=False)
            whole.apply("link1", [3, 0, 1], at=[0, 0, -0.5])
            whole.run(steps=30, progress=False)
            state = pickle.loads(pickle.dumps(whole.state))
            again = saltus.Simulation(arm({"damping": 0.01}, mode), state)
            other = saltus.Simulation(arm({"damping": 0.01}, mode))
            other.reset(state)
            for sim in (whole, again, other):
                sim.run(steps=50, progress=False)
            for sim in (again, other):
                for group in whole.groups:
                    np.testing.assert_array_equal(whole.groups[group].q, sim.groups[group].q)
                self.assertEqual(whole.energy, sim.energy)

    def test_forces_stay_with_the_simulation_to_which_they_are_applied(self):
        first = saltus.Simulation(scene([body(spin=[0, 0, 0])]))
        first.apply("box", [2, 0, 0])
        first.advance()
        for other in (saltus.Simulation(first.model), saltus.Batch(first.model, 1), saltus.Simulation(first.model.with_ledger(True))):
            first.apply("box", [200, 0, 0])
            other.advance()
            v = other.v(0)[0] if isinstance(other, saltus.Batch) else other.groups[0].v
            np.testing.assert_array_equal(v, np.zeros(6))

    def test_the_first_force_leaves_the_measurements_of_the_last_step(self):
        for mode in ("stepping", "events"):
            sim = saltus.Simulation(arm({"torque": 0.3}, mode))
            sim.run(steps=20, progress=False)
            torque, load = sim.actuator_forces(), sim.joint_load("joint1").force
            sim.apply("link0", [0, 0, 0])
            sim.apply("link1", [1, 0, 0])
            np.testing.assert_array_equal(sim.actuator_forces(), torque)
            np.testing.assert_array_equal(sim.joint_load("joint1").force, load)
            self.assertTrue(sim.advance().converged)
            self.assertNotEqual(sim.ledger["load"], 0.0)

    def test_a_state_saved_before_the_first_step_with_forces_goes_on_with_the_same_bits(self):
        for scheme in ("rig-mid", "generalized-alpha", "rig-neg"):
            entries = arm({"damping": 0.01})
            for one in entries["bodies"]:
                one["scheme"] = scheme
            whole = saltus.Simulation(entries)
            whole.run(steps=20, progress=False)
            whole.apply("link1", [5, 0, 3], torque=[0, 0.1, 0])
            bias = whole.joint_dynamics().bias
            again = saltus.Simulation(whole.model, pickle.loads(pickle.dumps(whole.state)))
            np.testing.assert_allclose(again.joint_dynamics().bias, bias, rtol=1e-12)
            self.assertGreater(np.abs(bias - saltus.Simulation(whole.model).joint_dynamics().bias).max(), 0.1)
            for sim in (whole, again):
                sim.run(steps=20, progress=False)
            np.testing.assert_array_equal(whole.coordinates().value, again.coordinates().value)
            free = np.linalg.solve(*whole.joint_dynamics())
            self.assertTrue(np.isfinite(free).all())
            np.testing.assert_allclose(again.joint_dynamics().bias, whole.joint_dynamics().bias, rtol=1e-9)

    def test_what_cannot_be_applied_is_an_error(self):
        sim = saltus.Simulation(scene([body(), {"name": "floor", "kind": "rigid", "rigid": {
            "shape": {"box": {"size": [1, 1, 1]}}, "position": [5, 0, 0], "motion": {"x": {"rate": 1}}}}]))
        for wrong in (lambda: sim.apply("boxx", [1, 0, 0]), lambda: sim.apply("box", [1, 0]),
                      lambda: sim.apply("box", [np.nan, 0, 0]), lambda: sim.apply("floor", [1, 0, 0]),
                      lambda: sim.apply("box", [1, 0, 0], at=3), lambda: sim.set("box", target=1),
                      lambda: sim.set("box")):
            with self.assertRaises((saltus.UsageError, KeyError)):
                wrong()
        with self.assertRaises(AttributeError):
            sim.bodies["box"].force = [1, 0, 0]

    def test_two_threads_control_two_simulations_of_one_model(self):
        model = saltus.Scene.make(arm({"torque": 0})).build() if hasattr(saltus.Scene, "make") \
            else saltus.Simulation(arm({"torque": 0})).model
        results = {}

        def work(number, gain):
            sim = saltus.Simulation(model, threads=1)

            def control(sim):
                value, rate = sim.coordinates()
                sim.set_all(effort=gain * (0.3 - value) - 0.1 * rate)
                sim.apply("link2", [gain, 0, 0])

            sim.run(steps=200, before=control, progress=False)
            results[number] = sim.coordinates().value

        alone = []
        for gain in (1.0, 5.0):
            work("alone", gain)
            alone.append(results["alone"])
        threads = [threading.Thread(target=work, args=(k, gain)) for k, gain in enumerate((1.0, 5.0))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for k in (0, 1):
            np.testing.assert_array_equal(results[k], alone[k])
        self.assertGreater(abs(alone[0] - alone[1]).max(), 0.01)


class SetPoints(unittest.TestCase):
    def test_a_loop_in_python_is_a_servo_that_holds_its_torque(self):
        for mode in ("stepping", "events"):
            held = saltus.Simulation(arm({"servo": {"target": 0.4, "stiffness": 30, "damping": 2, "torque": 8, "hold": "step"}}, mode))
            loop = saltus.Simulation(arm({"torque": 0}, mode))

            def control(sim):
                value, rate = sim.coordinates()
                sim.set_all(effort=np.clip(30 * (0.4 - value) - 2 * rate, -8, 8))

            loop.run(steps=150, before=control, progress=False)
            held.run(steps=150, progress=False)
            self.assertGreater(abs(loop.coordinates().value).max(), 0.1)
            np.testing.assert_allclose(loop.coordinates().value, held.coordinates().value, rtol=1e-12)
            np.testing.assert_allclose(loop.coordinates().rate, held.coordinates().rate, rtol=1e-12)

    def test_names_choose_actuators(self):
        sim = saltus.Simulation(arm({"servo": {"target": 0, "stiffness": 1}, "torque": 0.1}))
        self.assertEqual([one.name for one in sim.model.actuators][:2], ["joint0.servo", "joint0.torque"])
        self.assertEqual(sim.model.coordinates, ["joint0", "joint1", "joint2"])
        sim.set("joint1", target=0.2)
        sim.set("joint1.servo", target=0.2, velocity=1.0)
        sim.set("joint2", torque=1.0)
        sim.set("joint2", torque=None)
        for wrong in (dict(force=1.0), dict(target=float("inf")), dict(torque=1.0, force=1.0), dict(torque=float("nan")),
                      dict(target="x"), dict(target=[1, 2])):
            with self.assertRaises(saltus.UsageError):
                sim.set("joint1", **wrong)
        with self.assertRaises(saltus.UsageError):
            sim.set_all(target=[1.0])
        before = sim.state
        with self.assertRaisesRegex(saltus.UsageError, "joint0.torque"):
            sim.set_all(velocity=np.ones(6))
        sim.advance()
        again = saltus.Simulation(sim.model, before)
        again.advance()
        np.testing.assert_array_equal(sim.groups[0].q, again.groups[0].q)  # nothing was set


class Batches(unittest.TestCase):
    def test_a_batch_has_the_bits_of_single_runs(self):
        scene = arm({"torque": 0})
        batch = saltus.Batch(scene, 5, threads=2)
        gains = np.linspace(1.0, 3.0, 5)

        def effort(value, rate, gain):
            return gain * (0.4 - value) - 0.05 * rate

        for _ in range(60):
            value, rate = batch.coordinates()
            batch.set_all(effort=effort(value, rate, gains[:, None]))
            self.assertTrue(batch.advance().all())
        for i, gain in enumerate(gains):
            alone = saltus.Simulation(scene)
            alone.run(steps=60, before=lambda sim: sim.set_all(effort=effort(*sim.coordinates(), gain)), progress=False)
            np.testing.assert_array_equal(batch.coordinates().value[i], alone.coordinates().value)
            np.testing.assert_array_equal(batch.q(0)[i], alone.groups[0].q)
        state = batch.state(3)
        batch.reset([0, 1])
        np.testing.assert_allclose(batch.t, [0, 0, 0.06, 0.06, 0.06])
        batch.reset(0, state)
        np.testing.assert_array_equal(batch.q(0)[0], batch.q(0)[3])
        batch.reset(np.array([False, True, False, False, True]))
        np.testing.assert_allclose(batch.t, [0.06, 0, 0.06, 0.06, 0])
        for wrong in ("0", 1.7, [0, 9], np.array([True, False]), [[0], [1, 2]]):
            with self.assertRaises(saltus.UsageError):
                batch.reset(wrong)
        np.testing.assert_allclose(batch.t, [0.06, 0, 0.06, 0.06, 0])
        self.assertEqual((len(batch), batch.failure(2), batch.v(0).shape[0]), (5, "", 5))
        for wrong in (lambda: batch.set_all(effort=np.zeros(5)), lambda: batch.set_all(effort="x"), lambda: batch.state(5), lambda: batch.advance(0),
                      lambda: saltus.Batch(scene, 0)):
            with self.assertRaises(saltus.UsageError):
                wrong()


class Dynamics(unittest.TestCase):
    def test_a_double_pendulum_has_the_matrix_of_the_textbook(self):
        # two links of length 0.3, mass 1 at their middle, J = 0.01; c2 is relative
        sim = saltus.Simulation(arm({}, links=2))
        sim.place({"link0": {"position": [-0.15 * np.sin(0.4), 0, -0.15 * np.cos(0.4)],
                             "rotation": [np.cos(0.2), 0, np.sin(0.2), 0], "angular_velocity": [0, 0, 0]},
                   "link1": {"position": [-0.3 * np.sin(0.4) - 0.15 * np.sin(1.1), 0, -0.3 * np.cos(0.4) - 0.15 * np.cos(1.1)],
                             "rotation": [np.cos(0.55), 0, np.sin(0.55), 0]}})
        mass, bias = sim.joint_dynamics()
        l, d, m, J, g = 0.3, 0.15, 1.0, 0.01, 9.81
        c = np.cos(0.7)
        far = J + m * d * d
        exact = np.array([[J + m * d * d + far + m * l * l + 2 * m * l * d * c, far + m * l * d * c], [far + m * l * d * c, far]])
        np.testing.assert_allclose(mass, exact, rtol=1e-12)
        gravity = [m * g * d * np.sin(0.4) + m * g * (l * np.sin(0.4) + d * np.sin(1.1)), m * g * d * np.sin(1.1)]
        np.testing.assert_allclose(bias, gravity, rtol=1e-12)
        # power of gravity by the Jacobian
        total = sum(sim.jacobian(f"link{k}")[2] * m * g for k in range(2))
        np.testing.assert_allclose(total, gravity, rtol=1e-12)
        tip = sim.jacobian("link1", at=[-0.3 * (np.sin(0.4) + np.sin(1.1)), 0, -0.3 * (np.cos(0.4) + np.cos(1.1))])
        np.testing.assert_allclose(tip[:3, 1], [-0.3 * np.cos(1.1), 0, 0.3 * np.sin(1.1)], atol=1e-12)
        np.testing.assert_allclose(tip[3:], [[0, 0], [1, 1], [0, 0]], atol=1e-12)

    def test_computed_torque_follows_a_path_exactly_but_for_the_step(self):
        errors = []
        for h in (2e-3, 1e-3):
            entries = arm({"torque": 0})
            entries["time"]["step"] = h
            sim = saltus.Simulation(entries)
            path = lambda t: np.array([0.3, -0.2, 0.4]) * (1 - np.cos(3 * t))
            rate = lambda t: np.array([0.3, -0.2, 0.4]) * 3 * np.sin(3 * t)
            second = lambda t: np.array([0.3, -0.2, 0.4]) * 9 * np.cos(3 * t)

            def control(sim):
                value, speed = sim.coordinates()
                mass, bias = sim.joint_dynamics()
                wanted = second(sim.t) + 100 * (path(sim.t) - value) + 20 * (rate(sim.t) - speed)
                sim.set_all(effort=mass @ wanted + bias)

            sim.run(until=1.0, before=control, progress=False)
            errors.append(np.abs(sim.coordinates().value - path(1.0)).max())
        self.assertLess(errors[1], 2e-3)
        self.assertGreater(errors[0] / errors[1], 1.6)

    def test_a_jacobian_of_a_body_that_moves_freely_is_refused(self):
        entries = arm({})
        entries["bodies"].append({"name": "free", "kind": "rigid", "rigid": {"mass": 1, "inertia": [1, 1, 1], "position": [5, 0, 0]}})
        sim = saltus.Simulation(entries)
        self.assertEqual(sim.jacobian("link2").shape, (6, 3))
        with self.assertRaises(saltus.UsageError):
            sim.jacobian("free")
        with self.assertRaises(saltus.UsageError):
            sim.jacobian("link2", at=[np.nan, 0, 0])

    def test_loops_and_drives_are_refused(self):
        entries = arm({})
        entries["joints"][0]["turn"] = {"drive": {"rate": 1}}
        with self.assertRaises(saltus.UsageError):
            saltus.Simulation(entries).joint_dynamics()
        entries = arm({})
        entries["joints"].append({"name": "end", "kind": "revolute", "between": ["world", "link2"], "at": [0, 0, -0.9],
                                  "axis": [0, 1, 0]})
        with self.assertRaises(saltus.UsageError):
            saltus.Simulation(entries).joint_dynamics()


class Places(unittest.TestCase):
    def test_a_body_is_thrown_from_where_it_is_placed(self):
        for mode in ("stepping", "events"):
            sim = saltus.Simulation(scene([body()], mode, gravity=[0, 0, -9.81]))
            sim.run(steps=100, progress=False)
            position = sim.bodies["box"].position
            sim.place("box", position=[1, 2, 3], velocity=[1, 0, 2], rotation=[1, 1, 0, 0], angular_velocity=[0, 0, 0])
            sim.run(steps=500, progress=False)
            np.testing.assert_allclose(sim.bodies["box"].position, [1.5, 2, 3 + 1 - 9.81 / 8], atol=2e-3)
            np.testing.assert_array_equal(position, sim.bodies["box"].position)  # the view shows it too
            self.assertLess(abs(sim.ledger["unexplained"]) + abs(sim.ledger["scheme"]), 1e-6)

    def test_a_mechanism_is_placed_closed(self):
        sim = saltus.Simulation(arm({"damping": 0.1}))
        before = sim.state
        with self.assertRaisesRegex(saltus.UsageError, "joint1"):
            sim.place("link1", position=[0, 0, 1])
        np.testing.assert_array_equal(sim.state.groups[0].q, before.groups[0].q)
        half = [np.cos(0.25), 0, np.sin(0.25), 0]
        turned = lambda s: [-s * np.sin(0.5), 0, -s * np.cos(0.5)]
        sim.place({f"link{k}": {"position": turned(0.15 + 0.3 * k), "rotation": half} for k in range(3)})
        np.testing.assert_allclose(sim.coordinates().value, [0.5, 0, 0], atol=1e-12)
        self.assertTrue(sim.advance().converged)

    def test_reset_starts_again(self):
        sim = saltus.Simulation(arm({"servo": {"target": 1, "stiffness": 10}}))
        q = sim.groups[0].q
        first = q.copy()
        sim.run(steps=50, progress=False)
        end = q.copy()
        sim.reset()
        self.assertEqual(sim.t, 0.0)
        np.testing.assert_array_equal(q, first)
        sim.run(steps=50, progress=False)
        np.testing.assert_array_equal(q, end)


if __name__ == "__main__":
    unittest.main()
