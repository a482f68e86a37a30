"""The checked quantities, each with its worst value and bound, and the list of unchecked ones."""
import math

NOTHING = 1e-280  # in any unit: numbers near the smallest double have no digits, and products of them vanish


class Quantity:
    """One line of the report. `worst` is relative to the bound: above 1 it fails."""

    def __init__(self, name):
        self.name = name
        self.count = 0
        self.worst = 0.0
        self.value = 0.0
        self.bound = 0.0
        self.unit = ""
        self.where = ""

    @property
    def passed(self):
        return self.worst <= 1.0


class Report:
    def __init__(self):
        self.quantities = {}
        self.unchecked = {}  # quantity -> reasons in order of appearance
        self.misses = 0      # calls of not_checked()

    def add(self, name, value, bound, unit, where, count=1):
        """One check of `count` numbers: |value| <= bound. `where` is evaluated only if this is the worst so far."""
        q = self.quantities.setdefault(name, Quantity(name))
        value, bound = float(value), float(bound)
        if math.isnan(value) or math.isnan(bound):
            ratio = math.inf
        elif abs(value) <= NOTHING:
            ratio = 0.0
        elif bound > 0.0:
            ratio = abs(value) / bound
        else:
            ratio = 0.0 if value == 0.0 else math.inf
        first = q.count == 0
        q.count += count
        if ratio > q.worst or first:
            q.worst, q.value, q.bound, q.unit = ratio, value, bound, unit
            q.where = where() if callable(where) else where

    def largest(self, name, values, bounds, unit, where):
        """add() for arrays: where(i) names entry i of the flattened arrays."""
        import numpy
        values = numpy.abs(numpy.asarray(values, dtype=float)).ravel()
        if values.size == 0:
            return
        bounds = numpy.broadcast_to(numpy.asarray(bounds, dtype=float), values.shape).ravel()
        with numpy.errstate(divide="ignore", invalid="ignore"):
            ratio = numpy.where(values <= NOTHING, 0.0, values / bounds)
        ratio = numpy.where(numpy.isnan(values) | numpy.isnan(bounds), numpy.inf, ratio)
        i = int(numpy.argmax(ratio))
        self.add(name, values[i], bounds[i], unit, lambda: where(i), count=values.size)

    def not_checked(self, name, reason):
        self.misses += 1
        reasons = self.unchecked.setdefault(name, [])
        if reason not in reasons:
            reasons.append(reason)

    @property
    def passed(self):
        return all(q.passed for q in self.quantities.values())

    def failed_names(self):
        return [q.name for q in self.quantities.values() if not q.passed]

    def text(self):
        lines = [f"{'quantity':<34}{'worst':>12}{'bound':>12}  {'unit':<8}{'numbers':>9}  verdict  where"]
        for q in self.quantities.values():
            lines.append(f"{q.name:<34}{q.value:>12.3g}{q.bound:>12.3g}  {q.unit:<8}{q.count:>9}  "
                         f"{'pass   ' if q.passed else 'FAIL   '}  {q.where}")
        for name, reasons in self.unchecked.items():
            for reason in reasons:
                lines.append(f"not checked: {name}: {reason}")
        return "\n".join(lines)

    def as_dict(self):
        return {"passed": self.passed,
                "quantities": [{"name": q.name, "worst": q.value, "bound": q.bound, "unit": q.unit,
                                "numbers": q.count, "passed": q.passed, "where": q.where}
                               for q in self.quantities.values()],
                "not_checked": self.unchecked}
