"""Contact laws written in Python."""
from __future__ import annotations

from typing import Optional

__all__ = ["ContactLaw"]


class ContactLaw:
    """A user-defined contact law: a force as a function of gap and gap rate. Derive from it and pass it to ModelParts.add_law():

        class Spring(saltus.ContactLaw):
            def force(self, gap, rate):         # [N], called if the gap is negative; values below 0 count as 0
                return 1e5 * -gap - 20.0 * rate
            def stored_energy(self, gap):       # [J], elastic energy of force(gap, 0); leave it out if there is none
                return 0.5e5 * gap ** 2

    It acts on pairs of points and between shapes, in time stepping and event-driven integration. In a step the stored energy
    is recovered exactly (by the mean force over the change of the gap), and the rest of the force is evaluated at the middle.
    Work of a force without stored_energy() is part of `impact`.

    The law has no memory: it may be called from several threads, in any order and more than once in a step, so the result
    must depend on the arguments only. Exceptions propagate unchanged from Simulation.advance(); a value that is not a finite
    number is a TypeError or a UsageError with class, method and arguments.

    Attributes
    ----------
    name : str or None
        Name in messages and results; the class name if None.
    """

    name: Optional[str] = None

    def force(self, gap: float, rate: float) -> float:
        """The repulsive force [N].

        Parameters
        ----------
        gap : float
            Below 0 [m].
        rate : float
            Rate of the gap, below 0 while it closes [m/s].
        """
        raise NotImplementedError(f"{type(self).__name__}.force(self, gap, rate)")

    def stored_energy(self, gap: float) -> float:
        """Stored energy of a contact [J]: the integral of force(x, 0) from the gap to 0; not below 0.

        Parameters
        ----------
        gap : float
            Below 0 [m].
        """
        return 0.0
