"""Contact laws written in Python."""
from __future__ import annotations

from typing import Optional

__all__ = ["ContactLaw"]


class ContactLaw:
    """A contact law of your own: a force of the gap and its rate. Derive from it and give it to ModelParts.add_law():

        class Spring(saltus.ContactLaw):
            def force(self, gap, rate):         # [N], asked where the gap is negative; what is below 0 is no force
                return 1e5 * -gap - 20.0 * rate
            def stored_energy(self, gap):       # [J], what force(gap, 0) gives back; leave it out if nothing is given back
                return 0.5e5 * gap ** 2

    It acts on pairs of points and between shapes, in steps and by events. In a step what it stores is given back exactly
    (the mean force over the way), and the rest of the force is that of the middle. Work of a force without stored_energy() is
    booked as `impact`.

    The law has no memory: it may be asked in several threads, in any order and more than once in a step, so that only its
    arguments may count. What it raises leaves Simulation.advance() as it is; a value that is no finite number is a TypeError
    or a UsageError that names class, method and arguments.

    Attributes
    ----------
    name : str or None
        Of messages and results; that of the class if None.
    """

    name: Optional[str] = None

    def force(self, gap: float, rate: float) -> float:
        """The force that drives the sides apart [N].

        Parameters
        ----------
        gap : float
            Below 0 [m].
        rate : float
            Of the gap, below 0 while they close [m/s].
        """
        raise NotImplementedError(f"{type(self).__name__}.force(self, gap, rate)")

    def stored_energy(self, gap: float) -> float:
        """What a contact stores [J]: the integral of force(x, 0) from the gap to 0; not below 0.

        Parameters
        ----------
        gap : float
            Below 0 [m].
        """
        return 0.0
