"""Contact problems u = W p + b without a simulation: solving, checking, reading and writing."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from ._core import (ContactMeasures, ContactProblem, ContactSolver, Law, SolveReport, SolverMemory,
                    UsageError, _solve)
from ._scene import whole

__all__ = ["Solution", "contact_laws", "residual", "solve"]

_ONE_ROW = ("unilateral", "equality")


@dataclass(frozen=True, repr=False, eq=False)
class Solution:
    """Result of solve().

    Attributes
    ----------
    p : array, shape (rows,)
        Impulses [N s], the best result, even if the tolerance was not reached.
    u : array, shape (rows,)
        Velocities W p + b [m/s].
    report : SolveReport
        converged, iterations, residual, attempts.
    problem : ContactProblem
        The solved problem; problem.residual(p) is report.residual.
    """

    p: np.ndarray
    u: np.ndarray
    report: SolveReport
    problem: ContactProblem

    @property
    def converged(self) -> bool:
        """The residual is at most the tolerance."""
        return self.report.converged

    @property
    def residual(self) -> float:
        """The residual of p [1], as returned by residual()."""
        return self.report.residual

    @property
    def measures(self) -> ContactMeasures:
        """Penetration [m/s], distance outside the cones, numbers of sliding and sticking contacts, other error measures of p."""
        return self.problem.measures(self.p)

    def __repr__(self) -> str:
        said = "converged" if self.converged else "NOT converged"
        return (f"<saltus.Solution of {self.problem.contacts} contacts, {said} after "
                f"{self.report.iterations} iterations, residual {self.residual:.3g}>")


def _numbers(name: str, value: Any) -> np.ndarray:
    """An array of real numbers; UsageError for anything else."""
    try:
        if np.iscomplexobj(value):
            raise UsageError(f"{name} is complex, real numbers are expected")
        return np.asarray(value, dtype=float)
    except UsageError:
        raise
    except (TypeError, ValueError) as error:
        why = " ".join(str(error).split())
        raise UsageError(f"{name}: {why} (allowed: an array of numbers, all rows of equal length)") from None


def _each(name: str, value: Any, contacts: int) -> np.ndarray:
    """An array with one number per contact, from a number or an array."""
    array = _numbers(name, value)
    if array.ndim == 0:
        return np.full(contacts, float(array))
    if array.shape != (contacts,):
        raise UsageError(f"{name} has the shape {array.shape}, there are {contacts} contacts: one number, or "
                         f"({contacts},)")
    return array


def contact_laws(rows: int, laws: Union[str, Law, Sequence[Law], None] = None, *, friction: Any = None,
                 dim: int = 3, rolling: Any = None, spinning: Any = None) -> List[Law]:
    """The laws of a problem with `rows` rows, from the arguments of solve().

    Parameters
    ----------
    rows : int
    laws : 'unilateral', 'equality', Law or sequence of Law
        A name: each row separately. One Law: for every contact. A sequence: one law per contact.
    friction : float or array, shape (contacts,)
        Coulomb's mu [1], for contacts of `dim` rows each. Instead of `laws`.
    dim : {3, 2, 1}
        3: rows N, T1, T2. 2: N, T. 1: N, without tangents.
    rolling, spinning : float or array, shape (contacts,)
        With friction: mu_R, sigma [m], which add rows R1, R2 (R in the plane) and S.

    Returns
    -------
    list of Law

    Raises
    ------
    UsageError
        If the laws do not match the rows.
    """
    if laws is not None:
        for name, value in (("friction", friction), ("rolling", rolling), ("spinning", spinning)):
            if value is not None:
                raise UsageError(f"laws and {name}: give one of them; a Law contains its own {name}")
        if isinstance(laws, str):
            if laws not in _ONE_ROW:
                raise UsageError(f"laws='{laws}' is not sufficient (allowed: 'unilateral', 'equality', "
                                 "friction=..., or a list of saltus.Law)")
            return [Law(laws)] * rows
        if isinstance(laws, Law):
            if rows % laws.size != 0:
                raise UsageError(f"{rows} rows are not a multiple of the {laws.size} rows of {laws!r}")
            return [laws] * (rows // laws.size)
        laws = list(laws)
        for c, law in enumerate(laws):
            if not isinstance(law, Law):
                raise UsageError(f"laws[{c}] is {law!r}, not a saltus.Law")
        return laws
    if friction is None:
        raise UsageError("the laws are missing: laws='unilateral', friction=0.3, or a list of saltus.Law")
    if dim not in (1, 2, 3):
        raise UsageError(f"dim is {dim!r} (3: N, T1, T2; 2: N, T; 1: N)")
    kind, size = "coulomb", dim
    if rolling is not None or spinning is not None:
        if dim == 1 or (dim == 2 and spinning is not None):
            what = "rolling" if dim == 1 else "spinning"
            raise UsageError(f"dim={dim} has no {what} friction (dim=3)")
        kind = "rolling"
        size = 3 if dim == 2 else 3 + (2 if rolling is not None else 0) + (1 if spinning is not None else 0)
    if rows % size != 0:
        raise UsageError(f"b has {rows} elements, which is not a multiple of the {size} rows of a contact "
                         f"(dim={dim})")
    contacts = rows // size
    mu = _each("friction", friction, contacts)
    mu_r = _each("rolling", 0.0 if rolling is None else rolling, contacts)
    sigma = _each("spinning", 0.0 if spinning is None else spinning, contacts)
    return [Law(kind, size, friction=a, rolling=r, spinning=s)
            for a, r, s in zip(mu.tolist(), mu_r.tolist(), sigma.tolist())]


def _problem(W: Any, b: Any, laws: Any, friction: Any, dim: int, rolling: Any, spinning: Any,
             symmetric: Optional[bool]) -> ContactProblem:
    if isinstance(W, ContactProblem):
        for name, value in (("b", b), ("laws", laws), ("friction", friction), ("rolling", rolling),
                            ("spinning", spinning), ("symmetric", symmetric)):
            if value is not None:
                raise UsageError(f"{name} is already part of the contact problem")
        return W
    if b is None:
        raise UsageError("b is missing: solve(W, b, ...) or solve(problem)")
    b = _numbers("b", b)
    if hasattr(W, "tocoo"):
        if np.iscomplexobj(W):
            raise UsageError("W is complex, real numbers are expected")
    else:
        W = _numbers("W", W)
    if b.ndim != 1:
        raise UsageError(f"b has the shape {b.shape}, but a vector has (rows,)")
    return ContactProblem(W, b, contact_laws(b.size, laws, friction=friction, dim=dim, rolling=rolling,
                                             spinning=spinning), symmetric=symmetric)


def solve(W: Any, b: Any = None, laws: Union[str, Law, Sequence[Law], None] = None, *, friction: Any = None,
          dim: int = 3, rolling: Any = None, spinning: Any = None, solver: Union[str, ContactSolver] = "auto",
          tolerance: float = 1e-8, iterations: int = 10000, p0: Any = None,
          memory: Optional[SolverMemory] = None, symmetric: Optional[bool] = None) -> Solution:
    """Solves a contact problem: p with u = W p + b, and law_c(u_c, p_c) at every contact c.

    Parameters
    ----------
    W : array or SciPy sparse matrix, shape (n, n); or ContactProblem
        [1/kg]. Rows of a contact are consecutive: normal, then tangents, then moments.
    b : array, shape (n,)
        Velocities without impulses, restitution included [m/s].
    laws, friction, dim, rolling, spinning
        As in contact_laws(): friction=0.3 for Coulomb's law, laws='unilateral' for 0 <= u perp p >= 0, or a
        list of Law.
    solver : str or ContactSolver
        A name of solvers(), or an object: solver(name), or one of a class derived from ContactSolver.
    tolerance : float
        Limit of the residual [1].
    iterations : int
        Largest number of sweeps, pivots or Newton steps, as counted by the solver.
    p0 : array, shape (n,), optional
        Warm start [N s]; 0 if not given.
    memory : SolverMemory, optional
        Kept from one problem to the next by solvers that reuse a factorisation.
    symmetric : bool, optional
        Whether W is symmetric; checked if not given.

    Returns
    -------
    Solution
        Also if the tolerance was not reached: check `converged`. Other threads can run during the call, and Ctrl-C
        stops the solver.

    Raises
    ------
    UsageError
        For shapes that do not match, numbers that are not finite, a solver that does not support the laws.

    Examples
    --------
    A block of 2 kg that slides at 1 m/s onto a floor, mu = 0.3:

    >>> s = saltus.solve(np.eye(3) / 2.0, [-1.0, 1.0, 0.0], friction=0.3)
    >>> s.p
    array([ 2. , -0.6, -0. ])
    """
    problem = _problem(W, b, laws, friction, dim, rolling, spinning, symmetric)
    p = np.zeros(problem.rows)
    if p0 is not None:
        start = _numbers("p0", p0)
        if start.shape != p.shape:
            raise UsageError(f"p0 has the shape {start.shape}, the problem has {problem.rows} rows")
        if not np.isfinite(start).all():
            raise UsageError(f"p0[{int(np.argmin(np.isfinite(start)))}] is not a finite number")
        p[:] = start
    if not isinstance(tolerance, (float, int)) and not hasattr(tolerance, "__float__"):
        raise UsageError(f"tolerance is {tolerance!r} (a number, 1e-8)")
    report = _solve(problem, solver, float(tolerance), whole("iterations", iterations, 0), memory, p)
    return Solution(p, problem.velocity(p), report, problem)


def residual(W: Any, b: Any = None, laws: Union[str, Law, Sequence[Law], None] = None, p: Any = None, *,
             friction: Any = None, dim: int = 3, rolling: Any = None, spinning: Any = None) -> float:
    """The residual of impulses p [1], the stopping criterion of every solver: the scale-invariant natural map.

        F_c = p_c - Proj_K(p_c - rho_c u_c),  rho_c = rows/tr W_cc,   |F| / max(|p|, |rho b|)

    with u^_c = u_c + mu |u_T| n instead of u_c for contacts with friction.

    Parameters
    ----------
    W, b, laws, friction, dim, rolling, spinning
        As in solve(); or residual(problem, p=p).
    p : array, shape (n,)
        [N s]

    Returns
    -------
    float
    """
    if p is None:
        raise UsageError("p is missing: residual(W, b, laws, p), residual(W, b, friction=0.3, p=p), "
                         "residual(problem, p=p)")
    return _problem(W, b, laws, friction, dim, rolling, spinning, None).residual(_numbers("p", p))
