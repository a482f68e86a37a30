"""Functions of time of a resolved scene: loads, drives, prescribed motion."""
import numpy as np

from .solids import Unknown


def value_of(spec, t):
    """constant, rate, harmonic or table, which is linear between its points and constant beyond its ends."""
    if spec.get("constant") is not None:
        return float(spec["constant"])
    if spec.get("rate") is not None:
        return spec["rate"] * t
    if spec.get("harmonic") is not None:
        s = spec["harmonic"]
        return s.get("mean", 0.0) + s["amplitude"] * np.cos(2 * np.pi * s["frequency"] * t + s.get("phase", 0.0))
    if spec.get("table") is not None and not spec.get("smooth"):
        t_k, y_k = np.array(spec["table"], dtype=float).T
        return float(np.interp(t, t_k, y_k))
    raise Unknown("signal that is read from a file or smooth")


def function_of(spec):
    value_of(spec, 0.0)  # rejects an unsupported signal at once
    return lambda t: value_of(spec, t)


def rate_of(spec):
    """The derivative of a signal; for a table the slope of the piece that begins at t or contains t, at its last point that of the
    last piece."""
    if spec.get("constant") is not None:
        return lambda t: 0.0
    if spec.get("harmonic") is not None:
        s = spec["harmonic"]
        w = 2 * np.pi * s["frequency"]
        return lambda t: -s["amplitude"] * w * np.sin(w * t + s.get("phase", 0.0))
    if spec.get("table") is not None and not spec.get("smooth"):
        t_k, y_k = np.array(spec["table"], dtype=float).T

        def rate(t):
            if not t_k[0] <= t <= t_k[-1]:
                return 0.0
            i = min(int(np.searchsorted(t_k, t, side="right")) - 1, len(t_k) - 2)
            return float((y_k[i + 1] - y_k[i]) / (t_k[i + 1] - t_k[i]))

        return rate
    raise Unknown("signal that is read from a file or smooth")


def second_of(spec):
    if spec.get("harmonic") is not None:
        s = spec["harmonic"]
        w = 2 * np.pi * s["frequency"]
        return lambda t: -s["amplitude"] * w * w * np.cos(w * t + s.get("phase", 0.0))
    return lambda t: 0.0


def jumps_of(spec):
    """Times at which the rate may jump: points of a table, or the ends of a smooth one. None: unknown, the signal is in a file."""
    if spec.get("file"):
        return None
    t = [point[0] for point in spec.get("table") or []]
    return [t[0], t[-1]] if t and spec.get("smooth") else t
