# Made by tools/stubs.py of the module; a test compares the two.
import enum
import os
from typing import Any, Callable, ClassVar, Dict, Mapping, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._control import Coordinates, JointDynamics, Vector
from ._model import Actuator, Joint, LawOfModel, Pair, ProbeOfModel
from ._scene import Assignments
from ._simulation import BodyView, ContactSeen, Contacts, Coordinate, Energies, Events, GroupView, Held, JointLoad, Shown

class _pybind11_type(type): ...

class Attempt(metaclass=_pybind11_type):
    """One solver that was called, and its result."""
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def solver(self) -> str:
        """Its name."""
    @property
    def iterations(self) -> int:
        """Iterations, as counted by that solver."""
    @property
    def residual(self) -> float:
        """Residual of its result [1]."""
    def __repr__(self) -> str: ...

class Batch(metaclass=_pybind11_type):
    """Many simulations of one model that step together, on several threads.

    Arrays have one row per simulation. Each simulation has the bits of a separate run, whatever the number of simulations and
    threads.

    Parameters
    ----------
    model : Model, Scene, path or dict
        The model of all.
    count : int
        Number of simulations.
    threads : int, optional
        Number of threads; by default all of the machine.

    Raises
    ------
    SceneError
        If the scene has faults.

    >>> batch = saltus.Batch("arm.yaml", 256)
    >>> batch.set_all(effort=np.zeros((256, len(batch.model.actuators))))
    >>> batch.advance(10)
    """
    def __init__(self: Batch, model: Union[Model, Scene, str, os.PathLike, Mapping], count: int, threads: Optional[int] = None) -> None: ...
    def _advance(self, __arg0: int) -> npt.NDArray[np.bool_]: ...
    def _set_all(self, __arg0: Any, __arg1: Any, __arg2: Any) -> None: ...
    def _coordinates(self) -> tuple[Any, ...]: ...
    def _part(self, __arg0: int, __arg1: bool) -> npt.NDArray[np.float64]: ...
    def _probes(self) -> npt.NDArray[np.float64]: ...
    def _state(self, __arg0: int) -> State: ...
    def _reset(self, __arg0: Sequence[int], __arg1: Any) -> None: ...
    def _failure(self, __arg0: int) -> str: ...
    def __len__(self) -> int: ...
    @property
    def model(self) -> Model:
        """Model : the model of all simulations."""
    @property
    def t(self) -> npt.NDArray[np.float64]:
        """array, shape (count,) : times of the states [s]."""
    def advance(self: Batch, steps: int = 1) -> np.ndarray:
        """Makes steps with all simulations.

        Parameters
        ----------
        steps : int
            Number of steps of each.

        Returns
        -------
        array of bool, shape (count,)
            Whether the last step of each succeeded. A simulation whose step failed stays before it; `failure` says why.
        """
    def set_all(self: Batch, *, target: Any = None, velocity: Any = None, effort: Any = None) -> None:
        """As `Simulation.set_all`, for all simulations; if one value is wrong, nothing changes.

        Parameters
        ----------
        target, velocity, effort : array, shape (count, actuators), optional
            Values in the order of `Model.actuators`; NaN: the function of the scene.
        """
    def coordinates(self: Batch) -> Coordinates:
        """Values and rates of all coordinates of joints, (count, coordinates), in the order of `Model.coordinates`; copies."""
    def q(self: Batch, group: Union[str, int]) -> np.ndarray:
        """Positions of the group of this name or number in all simulations, (count, positions); a copy."""
    def v(self: Batch, group: Union[str, int]) -> np.ndarray:
        """Velocities of the group of this name or number in all simulations, as its scheme stores them, (count, velocities); a copy."""
    def probes(self: Batch) -> np.ndarray:
        """Values of all probes in the order of `Model.probes`, (count, probes); a copy."""
    def state(self: Batch, index: int) -> State:
        """A copy of the state of the simulation with this index."""
    def reset(self: Batch, index: Union[None, int, Sequence[int], np.ndarray] = None, state: Optional[State] = None) -> None:
        """Continues from another state, by default the start of the model.

        Parameters
        ----------
        index : int, list of int or array of bool, optional
            Which simulations, `~good` for those that failed; all if not given.
        state : State, optional
            The state from which they continue.
        """
    def failure(self: Batch, index: int) -> str:
        """Why the last step of the simulation with this index failed; '' if it did not."""
    def __repr__(self) -> Any: ...

class Combination(NamedTuple):
    """Factors of m M + c C + k K, with C = -dF/dv and K = -dF/dq of the whole force F."""
    m: float
    c: float
    k: float

class ContactMeasures(metaclass=_pybind11_type):
    """Error measures of impulses p for a contact problem."""
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def residual(self) -> float:
        """The measure used as stopping criterion of solvers [1]."""
    @property
    def siconos(self) -> float:
        """|F|/max(|b|, |p|, |u|) with rho = 1, of mixed units."""
    @property
    def fclib(self) -> float:
        """|F|/(1 + sqrt |b|) with rho = 1, of mixed units."""
    @property
    def penetration(self) -> float:
        """max(-u_N, 0) [m/s]."""
    @property
    def cone(self) -> float:
        """Largest distance of p outside its cone [N s; N m s]."""
    @property
    def angle(self) -> float:
        """Largest angle between -u_T and p_T of a sliding contact [rad]."""
    @property
    def gap(self) -> float:
        """|sum p . u^|, the duality gap [J]."""
    @property
    def open(self) -> int:
        """Number of contacts without impulse."""
    @property
    def sticking(self) -> int:
        """Number of sticking contacts."""
    @property
    def sliding(self) -> int:
        """Number of sliding contacts."""
    def __repr__(self) -> str: ...

class ContactProblem(metaclass=_pybind11_type):
    """u = W p + b with one law per contact.

    Parameters
    ----------
    W : array or SciPy sparse matrix, shape (n, n)
        [1/kg]. Dense, or any SciPy format (CSR, CSC, COO, BSR, ...), which stays sparse.
    b : array, shape (n,)
        Velocities without impulses, restitution included [m/s].
    laws : sequence of Law
        In the order of the rows, all of which they must cover.
    ids : sequence of int, optional
        Increasing ids of the rows, by which a solver relates rows of successive problems; 0 .. n - 1 if not given.
    symmetric : bool, optional
        Whether W is symmetric; by default it is if |W_ij - W_ji| <= 1e-12 max |W|.

    A problem passed from a simulation to a solver written in Python is valid during that call only; use `copy()` to keep it.
    """
    def __init__(self, W: Any, b: npt.ArrayLike, laws: Sequence[Law], ids: Sequence[int] | None = None, symmetric: bool | None = None) -> None: ...
    @property
    def W(self) -> Delassus:
        """The Delassus operator [1/kg]."""
    @property
    def b(self) -> npt.NDArray[np.float64]:
        """Velocities without impulses [m/s], shape (rows,)."""
    @property
    def laws(self) -> tuple[Law, ...]:
        """tuple of Law : one per contact."""
    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """Ids of the rows, increasing."""
    @property
    def rows(self) -> int:
        """Size of p, u and b."""
    @property
    def contacts(self) -> int:
        """Number of laws."""
    @property
    def over(self) -> bool:
        """True after the end of the call for which it was lent."""
    def copy(self) -> ContactProblem:
        """A copy that stays valid after the call."""
    def velocity(self, p: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """u = W p + b [m/s]."""
    def residual(self, p: npt.ArrayLike) -> float:
        """The residual of impulses p [1], the stopping criterion of every solver."""
    def measures(self, p: npt.ArrayLike) -> ContactMeasures:
        """ContactMeasures of impulses p."""
    def __repr__(self) -> str: ...

class ContactSolver(metaclass=_pybind11_type):
    """Solves contact problems. Get one from the registry by solver(name), or derive from this class:

        class MySolver(saltus.ContactSolver):
            name = "my-solver"                      # for messages and reports; by default the class name
            needs_symmetric = False
            def handles(self, kind):                # 'equality', 'unilateral', 'box', 'coulomb', 'rolling'
                return kind == "unilateral"
            def solve(self, problem, limits, memory, p):
                W = problem.W.csr()                 # also dense(), blocks(), apply(p)
                ...                                 # p: the warm start, write in place: p[:] = ...
                return iterations                   # or None, or the SolveReport of another solver

    The solver has converged if `problem.residual(p) <= limits.tolerance`, whatever it returns. `problem` and `memory` are
    valid during the call only. Islands of a simulation can be solved in several threads: do not store data in the solver that
    one problem passes to another. An exception in solve() propagates unchanged from Simulation.advance() and saltus.solve().
    """
    def __init__(self) -> None: ...
    @property
    def name(self) -> str:
        """Name in messages and reports."""
    @property
    def needs_symmetric(self) -> bool:
        """Whether W must be symmetric."""
    def handles(self, kind: str) -> bool:
        """Whether it can solve laws of this kind."""
    def solve(self, problem: ContactProblem, limits: Limits | None, memory: SolverMemory | None, p: npt.NDArray[np.float64]) -> SolveReport:
        """Solves a ContactProblem in place.

        Parameters
        ----------
        problem : ContactProblem
        limits : Limits or None
            None: 1e-12, 10000.
        memory : SolverMemory or None
        p : ndarray, shape (rows,)
            Impulses [N s]; the warm start on entry, the best result on return.

        Returns
        -------
        SolveReport
        """
    def __repr__(self) -> str: ...

class Delassus(metaclass=_pybind11_type):
    """W of u = W p + b: impulses p [N s] to velocities u [m/s], W in 1/kg.

    `W @ p` multiplies, `numpy.asarray(W)` and `W.dense()` form the matrix, `W.csr()` a SciPy matrix.
    """
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """tuple of int : (rows, rows)."""
    @property
    def symmetric(self) -> bool:
        """Whether solvers may assume symmetry."""
    @property
    def form(self) -> str:
        """Storage form: 'dense', 'blocks', 'bodies', 'joints' or 'table'."""
    def dense(self) -> npt.NDArray[np.float64]:
        """The matrix, a copy, shape (rows, rows)."""
    def __array__(self, dtype: Any = None) -> Any: ...
    def apply(self, p: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """W p as a new array."""
    def __matmul__(self, p: npt.ArrayLike) -> npt.NDArray[np.float64]: ...
    def __getitem__(self, ij: tuple[int, int]) -> float:
        """W[i, j], one entry."""
    def csr(self) -> Any:
        """scipy.sparse.csr_matrix of the stored blocks; entries of a row in order of the columns."""
    def blocks(self) -> list[tuple[Any, ...]]:
        """list of tuple : (c, d, W_cd) of the stored blocks, by contacts, c and then d increasing."""
    def __repr__(self) -> str: ...

class Dynamics(metaclass=_pybind11_type):
    """The equation of motion of a group of equal bodies, M(q) v' = F(t, q, v) + r with contact impulses r.

    Bodies of the engine have this class (``model.groups[0].dynamics``), and their methods can be called: the last argument of a
    method with an array result is the output; without it a new array is returned. Subclass it to write a body:

        class Pendulum(saltus.Dynamics):
            def positions(self): return 1
            def force(self, t, q, v, f): f[0] = -9.81 * math.sin(q[0])
            def potential_force(self, t, q, f): f[0] = -9.81 * math.sin(q[0])
            def potential(self, q): return 9.81 * (1 - math.cos(q[0]))
            def mass(self, q): return 1.0
            def stiffness(self, t, q, v): return 9.81 * math.cos(q[0])

    A subclass must define ``positions()`` and ``force(t, q, v, f)``, and either ``mass(q)`` (with ``stiffness(t, q, v)`` K = -dF/dq
    and ``damping(t, q, v)`` C = -dF/dv if there are any) or ``combination(s, t, q, v)`` = m M + c C + k K, or ``multiply(s, t,
    q, v, x, y)`` together with ``factorise(s, t, q, v, A)``. The result of each must depend on its arguments only. (Their old
    forms without t are still accepted, with a DeprecationWarning.) Matrices are numbers, diagonals, arrays of shape (n, n),
    `SparseMatrix` or sparse matrices of SciPy; None means no damping or no stiffness. M must be symmetric and positive
    definite, which ModelParts.build() checks if the class provides M. Everything else has a default:

    - ``traits()``: second_order, tangents if there is a stiffness, potential if there is a potential_force. If M is constant
      and F is affine, return these traits, too: constant_mass, affine, symmetric, fixed_points make steps much cheaper.
    - ``energy(t, q, v)``: v.Mv/2, and ``potential(q)`` if it is defined.
    - ``sources()`` and ``power(t, q, v, w, by_source)``: "potential", "inertial" (with ``inertial(q, v)``, the c = M' v - ... of an M
      that depends on q, which F contains as -c), and "applied" for the rest of F.
    - ``points(t, q, at, x)`` and ``point_rows(q, axes, at, J)``: from ``point(i, q)`` and ``point_jacobian(i, q)``; without these
      point i is coordinate i and moves along z. J has the shape (len(at), 3, velocities()) and is initialised with zeros.

    Vectors are passed as arrays over memory of the engine, which are valid during the call only: keeping one is an error.
    Outputs are written in place (``f[:] = ...``) or returned. A body that refers to its own model or simulation is never
    freed: Python's garbage collector cannot detect this reference cycle.
    """
    def __init__(self) -> None: ...
    def bodies(self) -> int:
        """int : number of bodies in the group."""
    def positions(self) -> int:
        """int : size of q."""
    def velocities(self) -> int:
        """int : size of v."""
    def prescribed(self) -> int:
        """int : number of degrees of freedom with prescribed motion."""
    def traits(self) -> Trait:
        """Trait : properties of this kind of body."""
    @property
    def engine(self) -> Dynamics:
        """Dynamics : this body as the engine calls it: outputs are optional and checked, and methods that the class does not define
        have their defaults. For a body of the engine it is the body itself.
        """
    def retract(self, q: Any, w: Any, out: Any = None) -> npt.NDArray[np.float64]:
        """out = q (+) w, the configuration moved by the increment w."""
    def increment_rate(self, w: Any, v: Any, rate: Any = None) -> npt.NDArray[np.float64]:
        """rate = dw/dt for q(t) = q0 (+) w(t) moving with v."""
    def force(self, t: float, q: Any, v: Any, f: Any = None) -> npt.NDArray[np.float64]:
        """F(t, q, v) [N, N m], the sum of all smooth forces."""
    def load(self, t: float, q: Any, v: Any, f: Any = None) -> npt.NDArray[np.float64]:
        """F without the gyroscopic moment [N, N m]."""
    def coast(self, h: float, q: Any, v: Any) -> tuple[Any, ...]:
        """(q, v) after a motion of duration h without forces; with Trait.separable."""
    def potential_force(self, t: float, q: Any, f: Any = None) -> npt.NDArray[np.float64]:
        """-dV/dq with V = energy().potential [N]. With Trait.potential."""
    def multiply(self, s: Any, t: float, q: Any, v: Any, x: Any, y: Any = None) -> npt.NDArray[np.float64]:
        """(m M + c C + k K)(t, q, v) x with s = (m, c, k)."""
    def factorise(self, s: Any, t: float, q: Any, v: Any, A: Any = None) -> Factor:
        """A <- factor of (m M + c C + k K)(t, q, v) with s = (m, c, k). Returns A."""
    def factorise_exact(self, s: Any, weight: float, x: Any, t: float, q: Any, v: Any, A: Factor) -> Factor:
        """A <- factor of (m M + c C + k K + weight d(M x)/dq)(t, q, v)."""
    def rigid(self) -> RigidData | None:
        """RigidData or None : a copy. With Trait.rigid."""
    def modal(self) -> ModalData | None:
        """ModalData or None : a copy. With Trait.modal."""
    def rayleigh(self) -> Rayleigh:
        """Rayleigh : the part of C that is Rayleigh damping."""
    def reactions(self, t: float, q: Any, v: Any, a: Any, forces: Any = None) -> npt.NDArray[np.float64]:
        """forces [N] at the prescribed degrees of freedom for motion (q, v, a) of the others."""
    def point_reactions(self, t: float, q: Any, at: Any, f: Any, forces: Any = None) -> npt.NDArray[np.float64]:
        """As prescribed reactions, for forces f, (points, 3), on points: forces -= J_p^T f."""
    def prescribed_columns(self, s: Any, t: float, q: Any, v: Any) -> npt.NDArray[np.float64]:
        """Columns of m M + c C + k K for the prescribed degrees of freedom, (velocities() + prescribed(), prescribed())."""
    def points(self, t: float, q: Any, at: Any, x: Any = None) -> npt.NDArray[np.float64]:
        """Positions of points in the world at t [m], (len(at), 3)."""
    def point_drift(self, t: float, q: Any, at: Any, x: Any = None) -> npt.NDArray[np.float64]:
        """Prescribed part of the velocity of points at t [m/s], (len(at), 3)."""
    def spin_drift(self, t: float, q: Any, at: Any, x: Any = None) -> npt.NDArray[np.float64]:
        """Prescribed part of the angular velocity of the bodies of points at t [rad/s], (len(at), 3)."""
    def point_rows(self, q: Any, axes: Any, at: Any) -> npt.NDArray[np.float64]:
        """J of x' = J v + d, (len(at), 3, velocities()), expressed in the axes of the configuration `axes`."""
    def spin_rows(self, q: Any, axes: Any, at: Any) -> npt.NDArray[np.float64]:
        """J of omega = J v in space [rad/s], (len(at), 3, velocities()). With Trait.rigid."""
    def frames(self, t: float, q: Any) -> tuple[Any, ...]:
        """(x, R): positions of the bodies, (bodies, 3) [m], and rotations, (bodies, 3, 3)."""
    def table(self, at: Any, direction: Any) -> PointTable | None:
        """PointTable or None : H of the points `at`, each along a unit direction, constant in time. With
        Trait.fixed_points. For bodies written in Python it is computed from points() and point_rows().
        """
    def sources(self) -> list[Source]:
        """list of Source : the forces listed in the ledger."""
    def energy(self, t: float, q: Any, v: Any) -> Energy:
        """Energy [J]."""
    def power(self, t: float, q: Any, v: Any, w: Any, by_source: Any = None) -> npt.NDArray[np.float64]:
        """F_s(t, q, v) . w [W], one per source; their sum is F . w."""

class Energy(metaclass=_pybind11_type):
    """Kinetic and potential energy [J]. Unpacks into the two."""
    def __init__(self, kinetic: float = 0.0, potential: float = 0.0) -> None: ...
    @property
    def kinetic(self) -> float:
        """float : [J]"""
    @kinetic.setter
    def kinetic(self, value: float) -> None: ...
    @property
    def potential(self) -> float:
        """float : [J]"""
    @potential.setter
    def potential(self, value: float) -> None: ...
    @property
    def total(self) -> float:
        """float : [J]"""
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> float: ...
    def __repr__(self) -> str: ...

class Error(Exception):
    """Base class of the exceptions of Saltus: SceneError, RunError, UsageError."""

class Factor(metaclass=_pybind11_type):
    """The factor of a matrix A, in one of several forms.

    Factor() creates an empty one. Factors of a trial, and those passed to `Dynamics.factorise`, are lent for the call.
    """
    def __init__(self) -> None: ...
    def solve(self, X: npt.ArrayLike) -> Any:
        """A^-1 X, a new array.

        Parameters
        ----------
        X : array, shape (n,) or (n, columns)
        """
    def dense(self, matrix: Any) -> None:
        """A is this matrix, shape (n, n)."""
    def diagonal(self, values: Any) -> None:
        """A is diagonal; values: shape (n,)."""
    def sparse(self, matrix: Any) -> None:
        """A is this SparseMatrix or sparse matrix of SciPy; its pattern is analysed once."""
    @property
    def operator(self) -> Operator | None:
        """Operator or None : the operator written in Python in this factor. Assign to set one."""
    @operator.setter
    def operator(self, value: Operator | None) -> None: ...
    @property
    def symmetric(self) -> bool:
        """bool : A is symmetric."""
    @property
    def form(self) -> str:
        """str : 'empty', 'diagonal', 'blocks', 'operator'."""

class FclibProblem(ContactProblem, metaclass=_pybind11_type):
    """A contact problem read from a file of the FCLIB format: a ContactProblem with the additional data of the file.

    First the contacts, rows (N, T1, T2), (N, T), (N, T1, T2, R1, R2) or (N, T, R), then the equalities, one law per row. Global
    problems are condensed.
    """
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def title(self) -> str:
        """As in the file."""
    @property
    def description(self) -> str:
        """As in the file."""
    @property
    def math_info(self) -> str:
        """As in the file."""
    @property
    def notes(self) -> list[str]:
        """Assumptions that had to be made, one line each."""
    @property
    def spacedim(self) -> int:
        """Rows per contact."""
    @property
    def equalities(self) -> int:
        """Number of equality rows, after the contacts."""
    @property
    def rolling(self) -> bool:
        """Whether contacts have rows of moments."""
    @property
    def condensed(self) -> bool:
        """True if the file contains a global problem, M v = H r + G l + f."""
    @property
    def solution(self) -> dict[Any, Any] | None:
        """dict or None : the solution stored in the file, with p (all rows) and, if stored, u, v, l."""
    @property
    def guesses(self) -> list[dict[Any, Any]]:
        """list of dict : guesses in the file, in the form of `solution`."""

class Group(metaclass=_pybind11_type):
    """Bodies of one kind, integrated by one scheme."""
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def name(self) -> str:
        """str : name of the body, or of the first of several."""
    @property
    def kind(self) -> str:
        """str : kind of its bodies."""
    @property
    def bodies(self) -> list[str]:
        """list of str : names of its bodies."""
    @property
    def scheme_name(self) -> str:
        """str : name of its scheme."""
    @property
    def scheme(self) -> Scheme:
        """Scheme : the scheme that integrates it."""
    @property
    def dynamics(self) -> Dynamics:
        """Dynamics : its equation of motion."""
    @property
    def positions(self) -> int:
        """int : size of q."""
    @property
    def velocities(self) -> int:
        """int : size of v."""
    def __repr__(self) -> Any: ...

class GroupState(metaclass=_pybind11_type):
    """q, v and memory of a group, as stored by its scheme.

    Parameters
    ----------
    q, v : array
        Positions [m, rad, quaternions] and velocities [m/s, rad/s].
    memory : sequence of array
        Data that the scheme keeps from step to step; smooth quantities only.

    Assignment copies numbers: ``state.v = v``. States passed to a method are lent for the call.
    """
    def __init__(self, q: Any, v: Any, memory: Any = ()) -> None: ...
    @property
    def q(self) -> npt.NDArray[np.float64]:
        """ndarray : positions, the vector itself, not a copy."""
    @q.setter
    def q(self, value: npt.NDArray[np.float64]) -> None: ...
    @property
    def v(self) -> npt.NDArray[np.float64]:
        """ndarray : velocities, the vector itself, not a copy."""
    @v.setter
    def v(self, value: npt.NDArray[np.float64]) -> None: ...
    @property
    def memory(self) -> list[npt.NDArray[np.float64]]:
        """list of ndarray : memory of the scheme. Assign to set all of it."""
    @memory.setter
    def memory(self, value: list[npt.NDArray[np.float64]]) -> None: ...

class Law(metaclass=_pybind11_type):
    """The law of one contact of a contact problem, between its impulse p and velocity u.

    Parameters
    ----------
    kind : {'equality', 'unilateral', 'box', 'coulomb', 'rolling'}
        equality: u = 0. unilateral: 0 <= u perp p >= 0. box: -p in bound Sgn(u), row by row.
        coulomb: |p_T| <= friction p_N, slip against p_T. rolling: with moments about the tangents and the normal.
    size : int, optional
        Rows. coulomb: 3 (N, T1, T2; the default), 2 (N, T in the plane), 1 (N). rolling: 5 (N, T1, T2, R1, R2; the default),
        6 (with S; the default where spinning is given), 4 (N, T1, T2, S), 3 (N, T, R in the plane). Others: any, 1 if not given.
    friction : float
        mu [1].
    rolling, spinning : float
        mu_R, sigma [m]: |p_R| <= rolling p_N, |p_S| <= spinning p_N.
    bound : float
        Bound of a box [N s].

    Raises
    ------
    UsageError
        For an unknown kind, a size that the kind does not support, a number that is negative or not used by the kind.
    """
    def __init__(self, kind: str, size: int | None = None, friction: float = 0.0, rolling: float = 0.0, bound: float = 0.0, spinning: float = 0.0) -> None: ...
    @property
    def kind(self) -> str:
        """Kind, as given."""
    @property
    def first(self) -> int:
        """First row in the problem."""
    @property
    def size(self) -> int:
        """Rows."""
    @property
    def rows(self) -> slice:
        """Slice of the rows: p[law.rows]."""
    @property
    def friction(self) -> float:
        """mu [1]."""
    @property
    def rolling(self) -> float:
        """mu_R [m]."""
    @property
    def bound(self) -> float:
        """Bound of a box [N s]."""
    @property
    def spinning(self) -> float:
        """sigma [m]."""
    def __repr__(self) -> str: ...

class Level(metaclass=_pybind11_type):
    """What the rows of a stage constrain: positions [m] or velocities [m/s].

    Members:

      position

      velocity
    """
    def __init__(self, value: int) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def name(self) -> str: ...
    def __str__(self) -> str: ...
    __members__: ClassVar[dict[str, Level]]
    def __eq__(self, other: Any) -> bool: ...
    def __ne__(self, other: Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __setstate__(self, state: int) -> None: ...
    position: ClassVar[Level]
    velocity: ClassVar[Level]

class Limits(metaclass=_pybind11_type):
    """Stopping criteria of a contact solver."""
    def __init__(self, tolerance: float = 1e-12, iterations: int = 10000) -> None: ...
    @property
    def tolerance(self) -> float:
        """Limit of problem.residual(p) [1]."""
    @property
    def iterations(self) -> int:
        """Largest number of pivots, sweeps or Newton steps."""
    def __repr__(self) -> str: ...

class ModalData(metaclass=_pybind11_type):
    """Modes mass (q'' + 2 sigma q' + omega^2 q) = load + r.

    Parameters
    ----------
    mass, omega, sigma : array, (modes,)
        [kg], [rad/s] and [1/s].
    damping, load : int
        Indices of these sources; load -1: none.
    """
    def __init__(self, mass: Any, omega: Any, sigma: Any, damping: int = 0, load: int = -1) -> None: ...
    @property
    def mass(self) -> npt.NDArray[np.float64]: ...
    @property
    def omega(self) -> npt.NDArray[np.float64]: ...
    @property
    def sigma(self) -> npt.NDArray[np.float64]: ...
    @property
    def damping(self) -> int: ...
    @property
    def load(self) -> int: ...

class Model(metaclass=_pybind11_type):
    """A checked, immutable model: groups of bodies, laws, joints, the step.

    Models are built by `Scene.build()` or, in code, by `ModelParts.build()`. Copies share their data, and several
    simulations can use one model.
    """
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def _groups(self) -> list[Any]: ...
    @property
    def _fixed_bodies(self) -> list[str]: ...
    @property
    def accounts(self) -> list[str]:
        """list of str : names of the accounts of the ledger."""
    @property
    def warnings(self) -> list[str]:
        """list of str : warnings about valid but doubtful input, one line each."""
    @property
    def h(self) -> float:
        """float : the step [s]."""
    @property
    def end(self) -> float:
        """float : end of the run [s]."""
    @property
    def _first_bodies(self) -> list[int]: ...
    @property
    def _pairs(self) -> list[Any]: ...
    @property
    def _laws(self) -> list[Any]: ...
    @property
    def _joints(self) -> list[Any]: ...
    @property
    def _probes(self) -> list[Any]: ...
    @property
    def _actuators(self) -> list[Any]: ...
    @property
    def options(self) -> dict[Any, Any]:
        """dict : the step, the instant of contacts, the solver and its limits."""
    @property
    def islands(self) -> list[int]:
        """list of int : island of each group; groups that can be in contact share an island and a contact problem."""
    def with_ledger(self, ledger: bool) -> Model:
        """The same model with (ledger=True) or without the ledger of every step."""
    @property
    def groups(self) -> list[Group]:
        """list of Group : bodies of one kind with one scheme."""
    @property
    def bodies(self) -> list[str]:
        """list of str : names of all moving bodies, in the order of their numbers in contacts."""
    @property
    def pairs(self) -> list[Pair]:
        """list of Pair : point pairs with possible contact; contacts of shapes are detected in each step."""
    @property
    def laws(self) -> list[LawOfModel]:
        """list of LawOfModel : (name, numbers) of each contact law."""
    @property
    def joints(self) -> list[Joint]:
        """list of Joint : joints of the model."""
    @property
    def coordinates(self) -> list[str]:
        """list of str : coordinates of all joints, 'elbow', or 'bearing.slide' where a joint has several."""
    @property
    def actuators(self) -> list[Actuator]:
        """list of Actuator : motors, servos, and given torques and forces of joints."""
    @property
    def probes(self) -> list[str]:
        """list of str : names of the probes."""
    @property
    def probe_table(self) -> list[ProbeOfModel]:
        """list of ProbeOfModel : (name, quantity, unit) of each probe."""
    def __repr__(self) -> Any: ...
    def _repr_html_(model: Model) -> str: ...
    @staticmethod
    def build(bodies: Sequence[Mapping], *, end: Any, step: Any = None, rate: Any = None, solver: Any = None, **entries: Any) -> Model:
        """A model from entries, as make_scene(...).build(); schemes and solver can also be objects written in Python.

        Parameters
        ----------
        bodies : list of Entry or dict
            From saltus.bodies; `scheme` can be an object of a class derived from Scheme.
        end, step, rate, **entries
            As for make_scene().
        solver : str, dict or ContactSolver, optional

        Examples
        --------
        >>> from saltus import bodies, shapes
        >>> model = saltus.Model.build(
        ...     [bodies.rigid("floor", fixed=True, shape=shapes.plane()),
        ...      bodies.rigid("ball", shape=shapes.sphere(radius=0.1), density=700, position=[0, 0, 1])],
        ...     surfaces=[saltus.surface(saltus.law("newton-impact", restitution=0.8))],
        ...     gravity=[0, 0, -9.81], end=2.0, step=1e-3)
        """

class ModelParts(metaclass=_pybind11_type):
    """The parts of a Model: groups, laws, contact pairs of points, surfaces, joints, probes, solver.

        parts = saltus.ModelParts()
        parts.options(h=1e-3, end=1.0)
        parts.add_group("mass", saltus.linear(mass=[[2.0]], stiffness=[[50.0]]), saltus.scheme("moreau-jean"), v=[-1.0])
        wall = parts.add_law("newton-impact", restitution=0.5)
        parts.add_pair(saltus.Point("mass"), [0, 0, -0.1], normal=[0, 0, 1], law=wall)
        model = parts.build()

    ModelParts.of(scene or model) starts from existing parts: scheme, solver or body of a scene can then be replaced.
    """
    def __init__(self) -> None: ...
    @staticmethod
    def _of(model: Model) -> ModelParts: ...
    def build(self) -> Model:
        """Builds and checks the Model. Can be called again after changes.

        Joints and couplings are closed as in a scene: bodies that violate one are moved, and incompatible velocities are changed
        by the smallest impulse that makes them compatible, both with a line in Model.warnings. The states of these parts do not
        change.

        Raises
        ------
        SceneError
            If the parts do not match, with the name of the group, law or joint; if joints cannot be closed, or drives prescribe
            motions that the bodies cannot perform.
        UsageError
            If something is missing.
        """
    def add_group(self, name: str, dynamics: Dynamics, scheme: Scheme, q: npt.ArrayLike | None = None, v: npt.ArrayLike | None = None, kind: str = 'custom', bodies: Sequence[str] = []) -> int:
        """Adds bodies integrated by one scheme; returns the index of the group.

        Parameters
        ----------
        name : str
        dynamics : Dynamics
            From linear(), modal(), dynamics_of(entry), or an object of a class derived from Dynamics.
        scheme : Scheme
            From scheme(name), or an object of a class derived from Scheme.
        q : array, shape (positions,), optional
            At t = 0; zeros if not given, which is not valid for bodies with rotations.
        v : array, shape (velocities,), optional
            Physical velocity at t = 0; zeros if not given.
        kind : str
            For display only.
        bodies : list of str
            Names of the bodies, if the group has several.
        """
    @property
    def groups(self) -> list[Group]:
        """List of Group, copies of the current ones."""
    def set_scheme(self, group: Any, scheme: Any) -> None:
        """Replaces the scheme of a group (name or index)."""
    def set_dynamics(self, group: Any, dynamics: Any) -> None:
        """Replaces the dynamics of a group by others of the same size."""
    def set_state(self, group: Any, q: npt.ArrayLike | None = None, v: npt.ArrayLike | None = None) -> None:
        """Sets q and v of a group at t = 0; values that are not given remain."""
    def state(self, group: Any) -> tuple[Any, ...]:
        """(q, v) of a group at t = 0, read-only copies: use `set_state` to change them."""
    def add_pair(self, a: Point, b: Any, normal: npt.ArrayLike, law: int, tangents: Sequence[npt.ArrayLike] | None = None, distance: float = 0.0) -> int:
        """Adds two points with possible contact along a fixed normal; returns the index of the pair.

        Parameters
        ----------
        a : Point
        b : Point, or place [x, y, z] in the world [m]
        normal : sequence of 3 floats
            From b to a, of any length: gap = n . (x_a - x_b) - distance.
        law : int
            From add_law().
        tangents : list of 0 to 2 directions, optional
            Directions of friction, perpendicular to the normal and to each other; if the law has friction, by default two directions
            chosen by the program.
        distance : float
            Distance of the points along the normal at which the contact closes [m].
        """
    def add_probe(self, name: str, at: Any, direction: npt.ArrayLike = ..., quantity: str = 'velocity') -> int:
        """Adds a probe for a Point `at` along a direction, with a name; returns its index. quantity: 'velocity' [m/s] or 'displacement' [m]."""
    @property
    def solver(self) -> Any:
        """ContactSolver of all contact problems; assign an object or a name."""
    @solver.setter
    def solver(self, value: Any) -> None: ...
    def options(self, **kwargs: Any) -> None:
        """Sets options of the step: h and end (a number [s], or a text with its unit, '1 ms'), instant, on_failure, tolerance,
        iterations (of the contact solver), ledger, correct_positions, joints, bilateral, joints_in_stages, pass_tolerance, pass_limit,
        mode, step_tolerance (`time.tolerance` of time stepping), events (a dict: the section `events` of scenes, and tolerance).
        Values as in scenes.
        """
    @property
    def h(self) -> float:
        """Step [s]."""
    @property
    def end(self) -> float:
        """End of the run [s]."""
    @property
    def pairs(self) -> int:
        """Number of groups."""
    @property
    def laws(self) -> int:
        """Number of laws."""
    @property
    def joints(self) -> int:
        """Number of joints."""
    @property
    def probes(self) -> int:
        """Number of probes."""
    def __repr__(self) -> str: ...
    def add_joint(self, name: str, kind: str, a: Any, b: Any, axes_a: npt.ArrayLike = ..., axes_b: npt.ArrayLike = ..., length: float = 0.0, strength: float = 0.0) -> int:
        """Joins two points; returns the index of the joint.

        ModelParts.build() moves the bodies so that it is closed, and makes the velocities at t = 0 compatible with it.

        Parameters
        ----------
        name : str
        kind : {'fixed', 'ball', 'socket', 'revolute', 'prismatic', 'cylindrical', 'planar', 'universal', 'distance', 'along', 'line'}
            socket: a ball joint with axes and the coordinates twist, swing_x, swing_y and swing.
        a, b : Point, or place [x, y, z] in the world [m]
        axes_a, axes_b : array, shape (3, 3)
            Columns x, y, z of the joint on each side, in the frame of a rigid body, otherwise in space; the axis of a revolute,
            prismatic or cylindrical joint and the normal of a planar one is z.
        length : float
            Length of a distance joint [m].
        strength : float
            Tension at which a distance joint breaks [N]; 0: unlimited.
        """
    def add_coupling(self, name: str, terms: Sequence[tuple[Any, int, float]], value: Any = None) -> int:
        """Prescribes a weighted sum of coordinates of joints: gears, screws, driven coordinates.

        ModelParts.build() moves the bodies so that the sum has its value at t = 0, and sets its rate.

        Parameters
        ----------
        name : str
        terms : list of (joint, coordinate, weight)
            joint: name or index; coordinate from 0 [rad, m].
        value : float or callable, optional
            value(t) returns (value, rate); 0 if not given.
        """
    def add_joint_law(self, joint: Any, law: int, coordinate: int = 0, sign: float = 1.0, offset: float = 0.0, name: str = '') -> int:
        """A law without friction on a coordinate c of a joint, gap = sign (c - offset): limits, motors, springs.
        joint: name or index; law: from add_law(); coordinate: from 0; offset [rad, m]; name: of the law in results.
        """
    def add_frame(self, group: Any, body: int = 0, name: str = '') -> int:
        """Adds a rigid body with shapes: number `body` of a group (name or index); `name` is used in messages and results. Returns the number of its frame."""
    def add_shape(self, shape: Shape, frame: int = -1, position: npt.ArrayLike = ..., rotation: Sequence[float] = [1.0, 0.0, 0.0, 0.0], material: int = 0) -> int:
        """Adds a Shape to a frame (-1: the world) at position [m] and rotation (w, x, y, z); returns the number of the shape. material: an index for surface_law(). There is no contact before surface_law()."""
    def surface_law(self, law: int, a: int | None = None, b: int | None = None) -> None:
        """Sets the law between shapes of materials a and b, or of all when not given; -1: no contact."""
    def surfaces(self, margin: float | None = None, plane: Any = None) -> None:
        """margin [m]: contacts are detected below this gap. plane: normal of the plane in which all bodies move; [0, 0, 0]: they move in space."""
    def exclude(self, a: int, b: int) -> None:
        """Excludes contact between the shapes of frames a and b."""
    def _add_law(self, law: str, scheme: str) -> int: ...
    def _add_python_law(self, law: Any, base: Any) -> int: ...
    @staticmethod
    def of(scene: Any) -> ModelParts:
        """The parts of a scene (a Scene, a path, a dict) or of a model, to be changed and built again."""
    def add_law(self: ModelParts, law: Any, scheme: Any = 'moreau-jean', **options: Any) -> int:
        """Adds a contact law; returns its index.

        Parameters
        ----------
        law : str, Entry or ContactLaw
            Name with `options`, a result of law(), or a user-defined law.
        scheme : str, Entry or Scheme
            Scheme of the body in contact; used by fremond's law, and by slips and springs that depend on theta.

        Raises
        ------
        SceneError
            For an option that is unknown or out of range.
        UsageError
            For a user-defined law without force(), or with options.
        """
    def add_body(self: ModelParts, entry: Mapping, scheme: Optional[Scheme] = None) -> int:
        """Adds a body, given as an entry of saltus.bodies, with its state at t = 0; returns the index of its group.

        Its shapes only define its mass; use add_frame() and add_shape() for contact.
        """

class Operator(metaclass=_pybind11_type):
    """The factor of a matrix A = m M + c C + k K
    in a user-defined form. Subclasses define

    - ``solve(X)``: ``X[:] = A^-1 X`` for all columns of X, an array of shape (n, columns) that is written in place, or the
      solution returned;
    - ``symmetric() -> bool``;

    and optionally

    - ``response(H, W) -> bool``: adds H A^-1 H^T to W and returns True, or returns False and leaves W unchanged. H is a `SparseRows`;
    - ``record() -> (residual, iterations, failure)`` and ``forget()``, for iterative operators.

    A body sets it in a factor by ``A.operator = MyOperator(...)``.
    """
    def __init__(self) -> None: ...
    def symmetric(self) -> bool:
        """Whether A is symmetric."""
    def solve(self, X: Any) -> Any:
        """A^-1 X, a new array."""
    def response(self, H: Any, W: Any) -> bool:
        """Adds H A^-1 H^T to W and returns True; False: not available, use solve()."""
    def record(self) -> tuple[Any, ...]:
        """(residual, iterations, failure) of the solves since forget()."""
    def forget(self) -> None:
        """Resets the record."""

class PassLimits(metaclass=_pybind11_type):
    """Stopping criteria of the iterations of a step, and the data they update.

    Parameters
    ----------
    tolerance : float
        Limit of the value that correct() returns.
    passes : int
        Largest number of iterations.
    detect : bool
        Active contacts are detected again in every iteration.
    only_one : bool
        One iteration only; the remaining change is accepted.
    freeze_rows : bool
        Rows are those of the first iteration.
    """
    def __init__(self, tolerance: float = 1e-10, passes: int = 20, detect: bool = False, only_one: bool = False, freeze_rows: bool = False) -> None: ...
    @property
    def tolerance(self) -> float: ...
    @property
    def passes(self) -> int: ...
    @property
    def detect(self) -> bool: ...
    @property
    def only_one(self) -> bool: ...
    @property
    def freeze_rows(self) -> bool: ...

class Point(metaclass=_pybind11_type):
    """A point of a group, for pairs, joints and probes of ModelParts.

    Parameters
    ----------
    group : str or int
        Name or index.
    local : sequence of 3 floats
        Position on the body in its own frame [m]; for modal bodies local[0] is the place along the body.
    feature : int
        Number of the degree of freedom (linear), particle, node or named point (lagrangian).
    body : int
        Number of the body in a group of several.
    """
    def __init__(self, group: Any, local: npt.ArrayLike = ..., feature: int = 0, body: int = 0) -> None: ...

class PointRef(metaclass=_pybind11_type):
    """A point fixed in a body: number of the body in its group, feature (node, point or
    coordinate, depending on the kind), position in the body's own frame [m].
    """
    def __init__(self, body: int = 0, feature: int = 0, local: Any = None) -> None: ...
    @property
    def body(self) -> int:
        """int : number of the body in its group."""
    @body.setter
    def body(self, value: int) -> None: ...
    @property
    def feature(self) -> int:
        """int : node, point or coordinate, depending on the kind."""
    @feature.setter
    def feature(self, value: int) -> None: ...
    @property
    def local(self) -> npt.NDArray[np.float64]:
        """ndarray, (3,) : [m], a copy; assign it as a whole."""
    @local.setter
    def local(self, value: npt.NDArray[np.float64]) -> None: ...
    def __repr__(self) -> str: ...

class PointTable(metaclass=_pybind11_type):
    """Rows S of points with constant rows: y = S q, y' = S v."""
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def rows(self) -> int:
        """int : number of rows of S."""
    @property
    def rest(self) -> npt.NDArray[np.float64]:
        """ndarray : components at q = 0 [m]; places are rest + S q."""
    def apply(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """S x, for a vector x like q or v."""

class Prepared(metaclass=_pybind11_type):
    """Data that a scheme of the engine computed once for (body, h)."""
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...

class Rayleigh(metaclass=_pybind11_type):
    """Damping mass M + stiffness K [1/s, s]."""
    def __init__(self, mass: float = 0.0, stiffness: float = 0.0) -> None: ...
    @property
    def mass(self) -> float:
        """float : mass coefficient [1/s]"""
    @mass.setter
    def mass(self, value: float) -> None: ...
    @property
    def stiffness(self) -> float:
        """float : stiffness coefficient [s]"""
    @stiffness.setter
    def stiffness(self, value: float) -> None: ...

class RigidData(metaclass=_pybind11_type):
    """Mass and inertia of rigid bodies.

    Parameters
    ----------
    mass : sequence of float
        [kg], one per body.
    inertia : array, (bodies, 3, 3)
        About the mass centre in the body frame [kg m^2].
    steady_load : bool
        load() does not depend on t, q and v.
    """
    def __init__(self, mass: Sequence[float], inertia: Any, steady_load: bool = False) -> None: ...
    @property
    def mass(self) -> list[float]: ...
    @property
    def inertia(self) -> npt.NDArray[np.float64]: ...
    @property
    def steady_load(self) -> bool: ...

class RoundOff(metaclass=_pybind11_type):
    """Distinguishes round-off from slow convergence in the iterations of a step: a body that hardly moves cannot
    meet a tolerance relative to its velocity. Use one for each trial; call ``begin()`` before the first iteration of a step.
    """
    def __init__(self) -> None: ...
    def begin(self) -> None:
        """Resets the memory; call it before the first iteration of a step."""
    def reached(self, body: Dynamics, x: Trial, change: float, dv: Any, A: Factor, q: Any, v: Any) -> bool:
        """Whether the change dv of relative size `change`, of the trial x, is round-off, with A and K at (x.t_at, q, v)."""

class Rows(metaclass=_pybind11_type):
    """Which rows are part of a stage.

    Members:

      joints

      normals

      all
    """
    def __init__(self, value: int) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def name(self) -> str: ...
    def __str__(self) -> str: ...
    __members__: ClassVar[dict[str, Rows]]
    def __eq__(self, other: Any) -> bool: ...
    def __ne__(self, other: Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __setstate__(self, state: int) -> None: ...
    joints: ClassVar[Rows]
    normals: ClassVar[Rows]
    all: ClassVar[Rows]

class RunError(Error, RuntimeError):
    """A run that cannot finish: a step failed, a disk is full.

    Attributes
    ----------
    report : StepReport or None
        Report of the failed step.
    """
    report: StepReport | None

class RunReport(metaclass=_pybind11_type):
    """Result of a run."""
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def steps(self) -> int:
        """int : steps made."""
    @property
    def halved(self) -> int:
        """int : halved steps."""
    @property
    def t(self) -> float:
        """float : time at the end of the run [s]."""
    @property
    def wall(self) -> float:
        """float : wall time [s]."""
    @property
    def residual(self) -> float:
        """float : largest residual of all steps, as solved [1]."""
    @property
    def residual_after(self) -> float:
        """float : largest residual for the states after the steps [1]."""
    @property
    def end(self) -> str:
        """str : 'reached', or 'stopped' by the progress function."""
    def __repr__(self) -> str: ...

class Scene(metaclass=_pybind11_type):
    """A scene that was read: its entries, and their positions in the file.

    A scene is immutable. Create one with `Scene.read`, `Scene.parse`, `Scene.from_dict` or, from any of these, `Scene.of`.

    >>> scene = saltus.Scene.read("ball.yaml", set={"time.rate": "2 kHz"})
    >>> model = scene.build()
    """
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @staticmethod
    def _read(file: str, set: Sequence[str]) -> Scene: ...
    @staticmethod
    def _parse(text: str, name: str, folder: str, set: Sequence[str]) -> Scene: ...
    def _changed(self, set: Sequence[str]) -> Scene: ...
    @property
    def _resolved(self) -> str: ...
    @property
    def text(self) -> str:
        """str : text as read, before `set`."""
    @property
    def title(self) -> str:
        """str : the entry `title`, '' without one."""
    @property
    def file(self) -> str:
        """str : name given when it was read; used in error messages."""
    @property
    def folder(self) -> str:
        """str : folder to which file names in the scene are relative."""
    @property
    def set(self) -> list[str]:
        """list of str : the assignments 'path=value' applied to the text."""
    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, __arg0: tuple[Any, ...]) -> None: ...
    def build(self) -> Model:
        """The checked model of this scene.

        Returns
        -------
        Model

        Raises
        ------
        SceneError
            With file, line and column of each faulty entry.
        """
    @staticmethod
    def read(file: Union[str, os.PathLike], set: Assignments = None) -> Scene:
        """Reads a scene file (YAML or JSON).

        Parameters
        ----------
        file : path
        set : dict, list of str or str, optional
            Entries that override those of the file: ``{"bodies[0].scheme.theta": 1}`` or ``["time.end=2 s"]``.
            A number is in SI units, a text is read as for ``--set``, with its unit if it has one.

        Raises
        ------
        SceneError
            With file, line and column.
        """
    @staticmethod
    def parse(text: str, name: str = 'scene', folder: Union[None, str, os.PathLike] = None, set: Assignments = None) -> Scene:
        """A scene from its text.

        Parameters
        ----------
        text : str
            YAML or JSON.
        name : str
            Name of the file in errors.
        folder : path, optional
            Folder of relative file names in the scene; the working folder if not given.
        set : dict, list of str or str, optional
            As for `read`.
        """
    @staticmethod
    def from_dict(entries: Mapping[str, Any], name: str = 'scene', folder: Union[None, str, os.PathLike] = None, set: Assignments = None) -> Scene:
        """A scene from a dict with the entries of a scene file; NumPy arrays are accepted for lists.

        `name` is used as the file name in errors, file names in the entries are relative to `folder`.

        >>> saltus.Scene.from_dict({"saltus": 1, "time": {"end": "1 s", "step": 1e-3}, "bodies": [...]})
        """
    @staticmethod
    def of(scene: Any, set: Assignments = None) -> Scene:
        """A scene from a `Scene`, a path or a dict; applied by every function to its argument `scene`."""
    def with_(self: Scene, set: Assignments) -> Scene:
        """This scene with other values of some entries, see `read`."""
    @property
    def resolved(self) -> Dict[str, Any]:
        """dict : all entries including defaults, all numbers in SI units."""
    def __repr__(self: Scene) -> str: ...
    def __eq__(self: Scene, other: Any) -> Any: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

class SceneError(Error, ValueError):
    """A fault in the input: a scene, a data file, an option.

    str() is one line, 'file:line:column: path: message; hint', with the parts that are known. For a scene with several faults, str() has a line for each of the first 20; the attributes are those of the first.

    Attributes
    ----------
    path : str
        The entry, 'bodies[0].string.modes', or ''.
    message, hint : str
        What is wrong, and what is allowed.
    file : str
        File name, '' if unknown.
    line, column : int
        Counted from 1; 0: not known.
    """
    path: str
    message: str
    hint: str
    file: str
    line: int
    column: int
    _faults: tuple
    @property
    def faults(self) -> Tuple[SceneError, ...]:
        """tuple of SceneError : all faults of the scene in the order of the file; for a single fault the error itself."""

class Scheme(metaclass=_pybind11_type):
    """A one-step time integrator: advances a group of bodies from (q0, v0) at t0 to (q1, v1) at t0 + h.

    Contact acts through one vector r, the generalised impulse [N s]:

        v1 = v_free + A^-1 r,    q1 = q_free (+) gain h (v1 - v_free)

    Schemes of the engine (``saltus.scheme("newmark")``) have this class, and a scheme written in Python may delegate any part of
    its work to one. Subclass it to write a scheme; x is a `Trial`:

    - ``begin(body, x)``: first iterate x.q, x.v, and x.gain; if one_pass() is true, it is the motion without contact;
    - ``linearise(body, x)``: fills x.v_free and x.A at the current iterate, including x.r; once per iteration ("pass");
    - ``correct(body, x) -> float``: applies x.r, updates x.q, x.v, returns the remaining relative change of velocity [1];
    - ``finish(body, x, end)``: writes end.q, end.v, end.memory;
    - ``work(body, x, end, work)``: fills the `StepWork` of the finished step, work.energy always;
    - ``one_pass(body) -> bool``: one iteration is exact for this body;  ``gain() -> float``: before any step.

    These have defaults: ``name()`` (the class's), ``needs()`` and ``refuses()`` (no trait), ``prepare(body, h)`` (any object, which
    is available as x.prepared; None), ``start(body, prepared, t, h, state)``, ``velocity(body, prepared, t, h, state, v)``,
    ``energy(body, prepared, t, h, state)``, ``free_motion(body)``, ``place(body, x, fraction, q)``, ``axes_at()``, ``axes_fixed()``,
    ``stages()``, ``velocity_at()``, ``work_velocity(x, end, w)``, ``fixed_step()``, ``pass_limits()``, ``stability_limit(xi)``.

    Scheme objects must not store the state of a run: data of a step belong to the trial, data kept between steps to the
    GroupState. Bodies, trials and states are lent for one call; keeping one of their arrays is a UsageError.
    """
    def __init__(self) -> None: ...
    def name(self) -> str:
        """Name in messages, results and reports."""
    def needs(self) -> Trait:
        """Trait : traits that the body must have."""
    def refuses(self) -> Trait:
        """Trait : traits that the body must not have."""
    def prepare(self, body: Dynamics, h: float) -> Any:
        """Constant data for (body, h): a Prepared, or None."""
    def start(self, body: Dynamics, prepared: Any, t: float, h: float, state: GroupState) -> None:
        """Converts the physical (q, v) at t to the scheme's own state."""
    def velocity(self, body: Dynamics, prepared: Any, t: float, h: float, state: GroupState, v: Any = None) -> npt.NDArray[np.float64]:
        """Physical velocity at t, the time of the state."""
    def energy(self, body: Dynamics, prepared: Any, t: float, h: float, state: GroupState) -> Energy:
        """Energy of the state as defined by the scheme [J]."""
    def begin(self, body: Dynamics, x: Trial) -> None:
        """Sets the first iterate x.q, x.v and x.gain; if one_pass() is true, the motion without contact."""
    def linearise(self, body: Dynamics, x: Trial) -> None:
        """Sets x.v_free and x.A at the current iterate, including x.r; once per iteration."""
    def correct(self, body: Dynamics, x: Trial) -> float:
        """Applies x.r, updates x.q and x.v; returns the remaining relative change of velocity [1]."""
    def one_pass(self, body: Dynamics) -> bool:
        """Whether one iteration is exact for this body."""
    def free_motion(self, body: Dynamics) -> bool:
        """Whether begin() computes the complete motion without contact; one_pass() by default."""
    def finish(self, body: Dynamics, x: Trial, end: GroupState) -> None:
        """Writes end.q, end.v and end.memory."""
    def place(self, body: Dynamics, x: Trial, fraction: float, q: Any = None) -> npt.NDArray[np.float64]:
        """Configuration at t0 + fraction h of the current iterate, in which contacts are detected."""
    def axes_at(self) -> float:
        """Fraction of the step at which the body axes for angular impulses are evaluated; 0.5."""
    def axes_fixed(self) -> bool:
        """Whether rows of contacts and A are computed once per step, and not in every iteration; False."""
    def stages(self) -> list[Stage]:
        """The contact problems of a step, in order; by default one on velocities."""
    def velocity_at(self) -> float:
        """Time of the velocity v, as a fraction of the step; 1."""
    def gain(self) -> float:
        """The gain before any step, for checks when a model is built."""
    def work_velocity(self, x: Trial, end: GroupState, w: Any = None) -> npt.NDArray[np.float64]:
        """Velocity with which the work of impulses is computed."""
    def work(self, body: Dynamics, x: Trial, end: GroupState, work: StepWork) -> None:
        """Sets the StepWork of the finished step [J], work.energy always."""
    def fixed_step(self) -> bool:
        """Whether the state depends on h, which then must not change within a run; False."""
    def pass_limits(self) -> PassLimits:
        """Stopping criteria of the iterations of a step."""
    def stability_limit(self, xi: float) -> float:
        """Largest stable h omega of a mode with damping ratio xi."""
    def __repr__(self) -> str: ...

class Shape(metaclass=_pybind11_type):
    """A shape of a rigid body, in its own frame; lengths in m. UsageError for invalid shapes."""
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @staticmethod
    def sphere(radius: float) -> Shape:
        """Centred at the origin; radius [m]."""
    @staticmethod
    def ellipsoid(radii: npt.ArrayLike) -> Shape:
        """radii: semi-axes along x, y, z [m]."""
    @staticmethod
    def capsule(radius: float, length: float) -> Shape:
        """Along z; radius [m], length [m] between the centres of its round ends."""
    @staticmethod
    def cylinder(radius: float, length: float) -> Shape:
        """Along z, with flat ends; radius [m], length [m]."""
    @staticmethod
    def box(size: npt.ArrayLike) -> Shape:
        """size: edge lengths along x, y, z [m]."""
    @staticmethod
    def plane() -> Shape:
        """The half space z <= 0; fixed bodies only."""
    @staticmethod
    def hull(points: npt.ArrayLike) -> Shape:
        """The convex hull of points, shape (n, 3), n >= 4."""
    @staticmethod
    def mesh(vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> Shape:
        """Triangles, counter-clockwise seen from outside; fixed bodies only. vertices: shape (n, 3); triangles: shape (m, 3), from 0."""
    @staticmethod
    def height_field(height: npt.ArrayLike, spacing: Sequence[float], origin: Sequence[float] = [0.0, 0.0]) -> Shape:
        """height [m], shape (along y, along x), over a grid of this spacing [m] in x and y with its first corner at origin [m]; fixed bodies only."""
    @property
    def kind(self) -> str:
        """str : 'sphere', 'box', ..."""
    @property
    def can_move(self) -> bool:
        """bool : moving bodies may have it; planes, meshes and height fields are for fixed bodies."""
    def moments(self) -> tuple[Any, ...]:
        """tuple : (volume [m^3], centre [m], inertia about the centre at density 1 [m^5], (3, 3)) of the solid."""
    def __repr__(self) -> str: ...

class Simulation(metaclass=_pybind11_type):
    """Advances a state of a model.

    `advance` does not raise if a step fails: check the report. Other Python threads run during a step, and several
    simulations, also of one `Model`, can step in several threads, which does not change the results. Bodies, schemes and
    solvers written in Python are then called by all of them, one call at a time: they must not store data between calls. After
    os.fork() in one thread while another steps, the child can use its own objects, but no simulation or model of its parent.

    Parameters
    ----------
    model : Model, Scene, path or dict
        The model. A scene, a file or a dict is built first.
    state : State, optional
        Initial state, from a simulation of this model; the start of the model if not given.
    threads : int, optional
        Number of threads for the loops of a step; by default all of the machine. Use 1 if several simulations run in one thread
        each. Results do not depend on it.

    Raises
    ------
    SceneError
        If the scene has faults.
    UsageError
        If the state belongs to another model.

    >>> sim = saltus.Simulation("ball.yaml")
    >>> q = sim.groups["ball"].q            # no copy: always shows the current state
    >>> while sim.t < 1.0:
    ...     sim.advance()
    """
    def __init__(self: Simulation, model: Union[Model, Scene, str, os.PathLike, Mapping], state: Optional[State] = None, threads: Optional[int] = None) -> None: ...
    def advance(self, h: float | str | None = None) -> StepReport:
        """Makes one step.

        Parameters
        ----------
        h : float or str, optional
            Length of the step, [s] or a text with its unit, '1 ms'; the step of the model if not given.

        Returns
        -------
        StepReport
            Result of the step. A failed step leaves the state unchanged, unless the scene has `on_failure: accept`.

        Raises
        ------
        KeyboardInterrupt
            Ctrl-C: the current step is discarded, and the simulation can continue from the state before it.
        """
    def _run(self, __arg0: float | None, __arg1: int | None, __arg2: Any, __arg3: int | None, __arg4: Any, __arg5: Any) -> RunReport: ...
    def _view(self, __arg0: int, __arg1: bool) -> npt.NDArray[np.float64]: ...
    def _addresses(self, __arg0: int) -> tuple[Any, ...]: ...
    def _velocity(self, __arg0: int) -> npt.NDArray[np.float64]: ...
    def _frames(self, __arg0: int) -> tuple[Any, ...]: ...
    def _observe(self, __arg0: Any) -> None: ...
    def _reactions(self, __arg0: int) -> npt.NDArray[np.float64]: ...
    def _set(self, __arg0: int, __arg1: Any, __arg2: Any, __arg3: Any) -> None: ...
    def _set_all(self, __arg0: Any, __arg1: Any, __arg2: Any) -> None: ...
    def _actuator_forces(self) -> npt.NDArray[np.float64]: ...
    def _coordinates(self) -> tuple[Any, ...]: ...
    def _joint_dynamics(self) -> tuple[Any, ...]: ...
    def _apply(self, __arg0: int, __arg1: int, __arg2: Sequence[tuple[int, npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]], __arg3: bool, __arg4: bool) -> None: ...
    def _applied(self, __arg0: int) -> list[Any]: ...
    def _place(self, __arg0: Sequence[tuple[int, npt.ArrayLike, npt.ArrayLike]]) -> None: ...
    def _reset(self, __arg0: Any) -> None: ...
    def _joint_load(self, __arg0: int) -> tuple[Any, ...]: ...
    def _joint_coordinate(self, __arg0: int, __arg1: int) -> tuple[Any, ...]: ...
    def _probe(self, __arg0: int) -> float: ...
    def _contacts(self) -> npt.NDArray[Any]: ...
    def _events(self) -> npt.NDArray[Any]: ...
    @property
    def _energy(self) -> tuple[Any, ...]: ...
    @property
    def _ledger(self) -> list[float]: ...
    @property
    def warnings(self) -> list[str]:
        """list of str : doubtful events in steps of this object that succeeded, each reported once with the time of the first step; at most three of a kind. Warnings about the scene are in `Model.warnings`."""
    @property
    def model(self) -> Model:
        """Model : the model, which does not change."""
    @property
    def state(self) -> State:
        """State : a copy of the current state, from which another simulation can continue."""
    @property
    def t(self) -> float:
        """float : time of the state [s]."""
    @property
    def step(self) -> int:
        """int : steps made since t = 0."""
    @property
    def h(self) -> float:
        """float : length of the last step [s]."""
    def coordinates(self: Simulation) -> Coordinates:
        """Current values and rates of all coordinates of joints, in the order of `Model.coordinates`; angles count turns."""
    def joint_dynamics(self: Simulation) -> JointDynamics:
        """Mass matrix and bias of a mechanism in the coordinates of its joints, in the order of `Model.coordinates`.

        `bias` contains gravity, loads, forces of `apply` and gyroscopic forces, but no contacts, and no springs, dampers, friction and
        actuators of the coordinates: torques tau give c'' = solve(mass, tau - bias).

        Raises
        ------
        UsageError
            If coordinates depend on each other, as in a loop, or joints are driven or hold bodies that are not rigid.
        """
    def jacobian(self: Simulation, body: Union[str, int], at: Optional[Vector] = None) -> np.ndarray:
        """Velocity of a point, and angular velocity of its body, per unit rate of each joint coordinate.

        Parameters
        ----------
        body : str or int
            A rigid body that joints connect with the world.
        at : array, shape (3,), optional
            Point in space [m]; the mass centre if not given.

        Returns
        -------
        array, shape (6, coordinates)
            Rows: velocity of the point, angular velocity, in space.
        """
    def set(self: Simulation, name: str, *, target: Optional[float] = ..., velocity: Optional[float] = ..., torque: Optional[float] = ..., force: Optional[float] = ...) -> None:
        """Sets values of the actuator of a joint from the next step on. They are part of the state.

        Parameters
        ----------
        name : str
            The joint, "bearing.slide" where it has several coordinates, or the actuator, "elbow.servo".
        target : float, optional
            Of a servo [rad], [m]. Unless `velocity` is set too, it then stands still.
        velocity : float, optional
            Of a motor, or the rate that the damping of a servo follows [rad/s], [m/s].
        torque, force : float, optional
            Given torque [N m] or force [N], for a coordinate with `torque` or `force` in the scene.

        None: the function of the scene again.

        Raises
        ------
        UsageError
            If the joint has no actuator that uses the value, or it is not finite.
        """
    def set_all(self: Simulation, *, target: Optional[Vector] = None, velocity: Optional[Vector] = None, effort: Optional[Vector] = None) -> None:
        """As `set` for all actuators at once, in a microsecond: for controllers.

        Parameters
        ----------
        target, velocity, effort : array, shape (actuators,), optional
            Values in the order of `Model.actuators`; `effort` are given torques and forces. NaN: the function of the scene;
            actuators that have no such value need NaN. An array that is not given changes nothing.

        Raises
        ------
        UsageError
            For a value that an actuator does not have or that is infinite; nothing is then changed.
        """
    def actuator_forces(self: Simulation) -> np.ndarray:
        """Mean torques [N m] and forces [N] of all actuators in the last step, in the order of `Model.actuators`; a copy, read-only."""
    def apply(self: Simulation, body: Union[str, int], force: Optional[Vector] = None, torque: Optional[Vector] = None, at: Union[None, int, Vector] = None, add: bool = False) -> None:
        """Applies a force and a torque to a body from the next step on, until the next call for this body.

        They are constant in space, act in every scheme as a load of the scene does, and are part of the state. Their work is in the
        account "load" of the ledger.

        Parameters
        ----------
        body : str or int
            A rigid body, or particles.
        force : array, shape (3,), optional
            In space [N]. Neither force nor torque: no force acts any more.
        torque : array, shape (3,), optional
            In space [N m], on a rigid body.
        at : array, shape (3,), or int, optional
            Rigid: point in space at which the force acts now; it moves with the body. The mass centre if not given. Particles:
            number of the particle.
        add : bool
            True: in addition to what acts on the body already.

        Raises
        ------
        UsageError
            For a body that does not exist or does not move, and numbers that are not finite.
        """
    def place(self: Simulation, body: Union[str, int, Mapping[str, Mapping[str, Any]]], **changes: Any) -> None:
        """Sets positions and velocities of a body, or of several at once, between two steps.

        What is not given stays. The change of energy does not count as work. Joints must stay closed: place all bodies of a
        mechanism in one call. Velocities that do not agree with joints or contacts change in the next step, as in an impact.

        Parameters
        ----------
        body : str, int or dict
            The body, or for several bodies a dict of name to their changes.
        changes
            The following, each optional.
        position, rotation : array, optional
            Mass centre [m], and quaternion (w, x, y, z) from the body to space, of a rigid body.
        velocity, angular_velocity : array, optional
            Of the mass centre [m/s], and in space [rad/s].
        q, v : array, optional
            All positions and physical velocities of a body of any kind.

        Raises
        ------
        UsageError
            If a joint would be open or numbers are not finite; the state is then unchanged.

        >>> sim.place("box", position=[0, 0, 1], velocity=[0, 0, 0])
        """
    def reset(self: Simulation, state: Optional[State] = None) -> None:
        """Continues from `state`, another state of this model; from its start if not given."""
    @property
    def groups(self) -> Mapping[Union[str, int], GroupView]:
        """Mapping of name, or number, to GroupView."""
    @property
    def bodies(self) -> Mapping[Union[str, int], BodyView]:
        """Mapping of name, or number, to BodyView."""
    @property
    def energy(self) -> Energies:
        """Energies : kinetic, potential, total [J]."""
    @property
    def ledger(self) -> Dict[str, float]:
        """dict : work on each account since t = 0 [J]."""
    def contacts(self: Simulation) -> Contacts:
        """The contacts of the last step in the current state, see `Contacts`: including those that stayed open and have no
        impulse, of which results files contain only those with a small gap. `.closed` are the closed ones.

        Returns
        -------
        Contacts
            A copy, read-only. Empty before the first step and after a failed one.
        """
    @property
    def events(self) -> Events:
        """Events : events located by event-driven integration (`time.mode: events`) in the last step, by time; a copy, read-only.
        Empty in time stepping.
        """
    def probe(self: Simulation, name: Union[str, int]) -> float:
        """Current value of the probe of this name or number, in the unit given by `Model.probe_table`."""
    def probes(self: Simulation) -> Dict[str, float]:
        """Current values of all probes by name."""
    def joint_load(self: Simulation, name: Union[str, int]) -> JointLoad:
        """Mean force and torque of the joint of this name or number on its body b, over the last step."""
    def joint_coordinate(self: Simulation, name: Union[str, int], coordinate: Union[None, str, int] = None) -> Coordinate:
        """Current value and rate of a coordinate of a joint.

        Parameters
        ----------
        name : str or int
            The joint, or one of its coordinates, "bearing.slide".
        coordinate : str or int, optional
            The coordinate, if the joint has several.
        """
    def observe(self: Simulation, watcher: Optional[Callable[[ContactSeen], Any]]) -> None:
        """Calls the function `watcher` with every contact problem after each attempt at a step; None: no function.

        Exceptions of the function propagate from `advance`, which leaves the state unchanged.
        """
    def run(self: Simulation, until: Union[None, float, str] = None, steps: Optional[int] = None, watch: Optional[Callable[[Simulation], Any]] = None, every: Optional[int] = None, before: Optional[Callable[[Simulation], Any]] = None, progress: Shown = None) -> RunReport:
        """Makes steps of the model's step length in C++, while other Python threads can run; Ctrl-C stops it within 0.1 s, also
        inside a step, which is then discarded.

        Parameters
        ----------
        until : float or str, optional
            End time, [s] or a text with its unit, '20 ms', rounded to a whole number of steps; the end of the model if
            neither `until` nor `steps` is given.
        steps : int, optional
            Number of steps, instead of `until`.
        watch : callable, optional
            Called with the simulation; a true return value stops the run.
        every : int, optional
            Number of steps between calls of `watch`; by default 1, so that runs are reproducible. A call costs
            0.2 microseconds plus the time of the function: set `every` if steps are shorter than that.
        before : callable, optional
            Called with the simulation before every step, for controllers: it may call `set`, `apply`, `place`.
        progress : bool or callable, optional
            None: a bar in terminals and notebooks, after half a second; False: none. A function is called with a
            `Progress` about ten times a second; if it returns False, the run stops.

        Returns
        -------
        RunReport

        Raises
        ------
        RunError
            If a step failed; the state is the one before it, and `error.report` is its report.
        KeyboardInterrupt
            The simulation is at the end of the last complete step and can continue with unchanged results.
        """
    def __reduce__(self: Simulation) -> Any: ...
    def __repr__(self: Simulation) -> str: ...
    def _repr_html_(self: Simulation) -> str: ...

class SolveReport(metaclass=_pybind11_type):
    """Result of a solver."""
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def converged(self) -> bool:
        """residual <= tolerance."""
    @property
    def iterations(self) -> int:
        """Pivots, sweeps or Newton steps of all attempts."""
    @property
    def residual(self) -> float:
        """problem.residual(p) of the result [1]."""
    @property
    def attempts(self) -> list[Attempt]:
        """Attempts of a solver that delegates, in order."""
    def __repr__(self) -> str: ...

class SolverMemory(metaclass=_pybind11_type):
    """Data that a solver keeps from one problem to the next.

    `active`, `factor` and `changes` are part of the state of a simulation and of its checkpoints: a solver that depends on
    them only, and not on data of its own, gives bitwise equal results after a restart.
    """
    def __init__(self) -> None: ...
    @property
    def active(self) -> list[int]:
        """List of ids of rows; a copy, assign it as a whole."""
    @active.setter
    def active(self, value: list[int]) -> None: ...
    @property
    def factor(self) -> npt.NDArray[np.float64]:
        """Numbers, in a size chosen by the solver; a copy, assign it as a whole."""
    @factor.setter
    def factor(self, value: npt.NDArray[np.float64]) -> None: ...
    @property
    def changes(self) -> int:
        """A counter for use by the solver."""
    @changes.setter
    def changes(self, value: int) -> None: ...

class Source(metaclass=_pybind11_type):
    """A force with an account in the ledger. The work of a force with a potential is part of
    Energy.potential.
    """
    def __init__(self, name: str, potential: bool = False) -> None: ...
    @property
    def name(self) -> str:
        """str : name of its account in the ledger."""
    @property
    def potential(self) -> bool:
        """bool : it has a potential."""
    def __repr__(self) -> str: ...

class SparseMatrix(metaclass=_pybind11_type):
    """A square matrix stored by rows, for products.

    SparseMatrix(matrix): from a dense array (exact zeros are left out) or a sparse matrix of SciPy.
    """
    def __init__(self, matrix: Any) -> None: ...
    @property
    def size(self) -> int:
        """int : number of rows."""
    def multiply(self, x: Any, scale: float = 1.0, out: Any = None) -> npt.NDArray[np.float64]:
        """scale A x, shape (size,)."""
    def inner(self, x: Any, y: Any) -> float:
        """x . A y, of vectors x and y."""
    def dense(self) -> npt.NDArray[np.float64]:
        """The matrix as an array, shape (size, size)."""

class SparseRows(metaclass=_pybind11_type):
    """Rows by their entries, in the form of `scipy.sparse.csr_matrix((value, column, offset), (rows, n))`.
    A column may occur more than once in a row.
    """
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def offset(self) -> npt.NDArray[np.int32]:
        """ndarray of int, (rows + 1,)"""
    @property
    def column(self) -> npt.NDArray[np.int32]:
        """ndarray of int"""
    @property
    def value(self) -> npt.NDArray[np.float64]:
        """ndarray of float"""

class Stage(metaclass=_pybind11_type):
    """One contact problem of a step. Position stages change q only: jump False."""
    def __init__(self, level: Level = ..., rows: Rows = ..., jump: bool = True) -> None: ...
    @property
    def level(self) -> Level:
        """Level : positions or velocities."""
    @property
    def rows(self) -> Rows:
        """Rows : rows that are part of the stage."""
    @property
    def jump(self) -> bool:
        """bool : the stage changes the velocity."""

class State(metaclass=_pybind11_type):
    """The state of a simulation as an immutable value, which can be kept, compared and pickled.

    The same model and the same state give bitwise equal results: `Simulation(model, state)`. States are equal if they are
    bitwise equal.
    """
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def t(self) -> float:
        """float : [s]."""
    @property
    def step(self) -> int:
        """int : steps made since t = 0."""
    @property
    def h(self) -> float:
        """float : length of the step for which the schemes store the state [s]."""
    @property
    def _groups(self) -> list[Any]: ...
    @property
    def _energy(self) -> tuple[Any, ...]: ...
    @property
    def energy_start(self) -> float:
        """float : energy at step 0 [J]."""
    @property
    def ledger(self) -> npt.NDArray[np.float64]:
        """array : work since step 0 [J], in the order of `Model.accounts`; read-only."""
    def __eq__(self, __arg0: Any) -> Any: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: Mapping[Any, Any]) -> State: ...
    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, __arg0: tuple[Any, ...]) -> None: ...
    @property
    def groups(self) -> list[Held]:
        """list of Held : (q, v, memory) of each group, read-only."""
    @property
    def energy(self) -> Energies:
        """Energies : kinetic, potential, total [J]."""
    def __repr__(self) -> Any: ...

class StepReport(metaclass=_pybind11_type):
    """Result and accuracy of one step.

    If a step failed, `good` is False and `failure` contains the known cause; the state is then the one before the step, unless
    the scene has `on_failure: accept`.
    """
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def good(self) -> bool:
        """bool : converged and finite."""
    @property
    def converged(self) -> bool:
        """bool : contacts and equations of motion were solved."""
    @property
    def finite(self) -> bool:
        """bool : whether the motion is finite."""
    @property
    def passes(self) -> int:
        """int : Newton iterations of the step."""
    @property
    def contacts(self) -> int:
        """int : contacts with an impulse."""
    @property
    def iterations(self) -> int:
        """int : iterations of the contact solver."""
    @property
    def halvings(self) -> int:
        """int : number of times the step was halved."""
    @property
    def residual(self) -> float:
        """float : residual of the contact problem as solved [1]."""
    @property
    def residual_after(self) -> float:
        """float : residual of the laws for the state after the step [1]."""
    @property
    def outstanding(self) -> float:
        """float : velocity change remaining after the last iteration [1]."""
    @property
    def linear_residual(self) -> float:
        """float : largest |b - A x|/|b| of linear iterations [1]."""
    @property
    def gap(self) -> float:
        """float : smallest gap [m], inf if no possible contact is near; < 0: penetration."""
    @property
    def joint_gap(self) -> float:
        """float : largest violation of a joint [m], [rad]."""
    @property
    def impulse(self) -> float:
        """float : sum of the normal impulses [N s]."""
    @property
    def impact(self) -> float:
        """float : work of contacts, stops and springs of joints, without friction [J]."""
    @property
    def friction(self) -> float:
        """float : work of friction [J]."""
    @property
    def joints(self) -> float:
        """float : work of the joints [J]."""
    @property
    def unexplained(self) -> float:
        """float : change of energy that is in no work term [J]."""
    @property
    def steps(self) -> int:
        """int : steps used to cover the step; in event-driven integration those of its integrator."""
    @property
    def rejected(self) -> int:
        """int : rejected steps, which were repeated with a smaller length."""
    @property
    def error(self) -> float:
        """float : largest estimated error of these steps [1]; 0: not estimated."""
    @property
    def events(self) -> int:
        """int : events located by event-driven integration: `Simulation.events`."""
    @property
    def evaluations(self) -> int:
        """int : force evaluations of event-driven integration."""
    @property
    def group(self) -> int:
        """int : group that failed, -1: no single group."""
    @property
    def failure(self) -> str:
        """str : cause of the failure according to the scheme; '' if unknown."""
    def __repr__(self) -> str: ...

class StepWork(metaclass=_pybind11_type):
    """Work terms of a finished step.

    StepWork(sources) creates one for the given number of sources.
    """
    def __init__(self, sources: int) -> None: ...
    @property
    def by_source(self) -> npt.NDArray[np.float64]:
        """ndarray : [J], one entry per source of the body, 0 for those with a potential."""
    @property
    def scheme(self) -> float:
        """float : numerical dissipation by the scheme's own formula [J], < 0 if energy is lost."""
    @scheme.setter
    def scheme(self, value: float) -> None: ...
    @property
    def projection(self) -> float:
        """float : work of impulses that changed q only [J]."""
    @projection.setter
    def projection(self, value: float) -> None: ...
    @property
    def energy(self) -> Energy:
        """Energy : energy of the end state [J]."""
    @energy.setter
    def energy(self, value: Energy) -> None: ...

class Trait(enum.IntFlag):
    """Properties of a kind of body, which are compared with the needs of a scheme when a model is built.

    Attributes
    ----------
    tangents
        C and K are available.
    affine
        F is affine in (q, v), M constant.
    modal
        modal() is available.
    rotations
        positions() != velocities(), or retract is not a sum.
    symmetric
        C and K are symmetric.
    fixed_points
        Point rows do not depend on q.
    second_order
        Forces depend on q.
    constant_mass
        M does not depend on q.
    potential
        potential_force() is available.
    rigid
        6 velocities and 7 positions per body; rigid(), load(), frames() and spin_rows() are available.
    separable
        M is constant, forces other than the gyroscopic one do not depend on v, and coast() is the motion without them.
    driven
        The potential energy depends on t through prescribed motion, and a step evaluates it at its start time. For bodies of
        the engine only; for others energy() is evaluated at the time of the state, and changes with t only are `unexplained`.
    """
    tangents: int
    affine: int
    modal: int
    rotations: int
    symmetric: int
    fixed_points: int
    second_order: int
    constant_mass: int
    potential: int
    rigid: int
    separable: int
    driven: int

class Trial(metaclass=_pybind11_type):
    """Work data of one step of one group, lent for each call of its scheme.

    q, v, r, v_free are arrays over the vectors of the engine, and can be assigned: ``x.v = x.start.v`` copies numbers. A method
    of a scheme of the engine may swap them: read ``x.q`` again after such a call.

    Trial(body, scheme, state, h, t0=0.0) creates one for tests: `state` is a GroupState as set by `scheme.start`.
    """
    def __init__(self, body: Any, scheme: Any, state: GroupState, h: float, t0: float = 0.0) -> None: ...
    @property
    def q(self) -> npt.NDArray[np.float64]:
        """ndarray : iterate of q1."""
    @q.setter
    def q(self, value: npt.NDArray[np.float64]) -> None: ...
    @property
    def v(self) -> npt.NDArray[np.float64]:
        """ndarray : iterate of v1."""
    @v.setter
    def v(self, value: npt.NDArray[np.float64]) -> None: ...
    @property
    def r(self) -> npt.NDArray[np.float64]:
        """ndarray : impulse of the last iteration, zero at the start of a stage [N s]."""
    @r.setter
    def r(self, value: npt.NDArray[np.float64]) -> None: ...
    @property
    def v_free(self) -> npt.NDArray[np.float64]:
        """ndarray : the part of v1 = v_free + A^-1 r that linearise sets."""
    @v_free.setter
    def v_free(self, value: npt.NDArray[np.float64]) -> None: ...
    @property
    def t0(self) -> float:
        """float : [s]."""
    @property
    def h(self) -> float:
        """float : [s]."""
    @property
    def start(self) -> GroupState:
        """GroupState : state at t0, never modified."""
    @property
    def prepared(self) -> Any:
        """The return value of prepare(body, h) of the scheme."""
    @property
    def stage(self) -> int:
        """int : index into stages()."""
    @stage.setter
    def stage(self, value: int) -> None: ...
    @property
    def pass_(self) -> int:
        """int : 0 in begin, then 1, 2, ... for each linearise and correct."""
    @pass_.setter
    def pass_(self, value: int) -> None: ...
    @property
    def A(self) -> Factor:
        """Factor : A of v1 = v_free + A^-1 r."""
    @property
    def M(self) -> Factor:
        """Factor : of a mass matrix that is not constant, for schemes that need it besides A."""
    @property
    def factorised(self) -> bool:
        """bool : A is valid for (body, h); set by schemes for affine bodies."""
    @factorised.setter
    def factorised(self, value: bool) -> None: ...
    @property
    def t_at(self) -> float:
        """float : time at which force and tangents are evaluated, 0 until it is set [s]."""
    @t_at.setter
    def t_at(self, value: float) -> None: ...
    @property
    def gain(self) -> float:
        """float : gain of q1 = q_free (+) gain h (v1 - v_free); set by begin."""
    @gain.setter
    def gain(self, value: float) -> None: ...
    @property
    def failure(self) -> str:
        """str : cause of a failed smooth stage of the step; '' if it did not fail."""
    @failure.setter
    def failure(self, value: str) -> None: ...
    @property
    def ledger(self) -> bool:
        """bool : work() will be called for this step."""
    @property
    def work(self) -> list[npt.NDArray[np.float64]]:
        """list of ndarray : vectors of the scheme that are kept from step to step. Assign a list of arrays, or of sizes for
        zeros, to create them.
        """
    @work.setter
    def work(self, value: list[npt.NDArray[np.float64]]) -> None: ...

class UsageError(Error, ValueError):
    """An invalid call: a size, an index, an order of calls.

    Attributes
    ----------
    place : str
        'file:line' of the check in the engine, or ''.
    """
    place: str

class _ResultsFile(metaclass=_pybind11_type): 
    def __init__(self, file: str) -> None: ...
    @property
    def file(self) -> str: ...
    @property
    def finished(self) -> bool: ...
    @property
    def rate(self) -> float: ...
    @property
    def rows(self) -> int: ...
    @property
    def frames(self) -> int: ...
    @property
    def step_names(self) -> list[str]: ...
    @property
    def accounts(self) -> list[str]: ...
    @property
    def bodies(self) -> list[Any]: ...
    @property
    def probes(self) -> list[Any]: ...
    @property
    def joints(self) -> list[Any]: ...
    @property
    def provenance(self) -> dict[Any, Any]: ...
    def title(self) -> str: ...
    def scene(self) -> str: ...
    def resolved(self) -> str: ...
    def fixed_bodies(self) -> list[Any]: ...
    def summary(self) -> str: ...
    def info(self) -> str: ...
    def info_json(self) -> str: ...
    def bibtex(self) -> str: ...
    def step_unit(self, __arg0: str) -> str: ...
    def has(self, __arg0: str) -> bool: ...
    def read(self, path: str, first: int = 0, count: int = -1) -> npt.NDArray[Any]: ...
    def _events(self) -> npt.NDArray[Any]: ...
    def points(self, body: int) -> Any: ...
    def sound(self, probe: str) -> tuple[Any, ...]: ...
    def convert(self, to: str, output: str, probe: str, nodes: str, step: int) -> tuple[Any, ...]: ...
    def report(self, output: str, size: str) -> dict[Any, Any]: ...
    def compare(self, other: _ResultsFile, tolerance: float) -> tuple[Any, ...]: ...

class _StudyResult(metaclass=_pybind11_type): 
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    def text(self) -> str: ...
    def csv(self) -> str: ...
    def json(self) -> str: ...
    def page(self) -> str: ...
    @property
    def times(self) -> list[float]: ...
    def energy(self, __arg0: int, __arg1: int) -> npt.NDArray[np.float64]: ...

class _SweepRows(metaclass=_pybind11_type): 
    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...
    @property
    def runs(self) -> int: ...
    @property
    def ok(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def invalid(self) -> int: ...
    @property
    def done(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def paths(self) -> list[Any]: ...
    @property
    def units(self) -> list[Any]: ...
    def assignments(self, __arg0: int) -> list[str]: ...
    def to_csv(self, file: str, times: bool) -> None: ...

__version__: str

_built: dict[str, str]

def _check_law(json: str) -> None: ...

def _event_kinds() -> list[str]: ...

def _options(__arg0: str, __arg1: str) -> str: ...

def _rows(__arg0: str) -> list[Any]: ...

def _run(scene: Any, set: Any, output: str, until: str, resume: bool, command_line: Sequence[str], go_on: str, dump_contact: str, dump_folder: str, outputs_anywhere: bool, progress: Any) -> dict[Any, Any]: ...

def _schema() -> str: ...

def _scheme(json: str) -> Scheme: ...

def _seconds(name: str, value: Any) -> float: ...

def _solve(problem: ContactProblem, solver: Any, tolerance: float, iterations: int, memory: SolverMemory | None, p: npt.NDArray[np.float64]) -> SolveReport:
    """Parameters
    ----------
    memory : SolverMemory or None
    p : ndarray, shape (rows,)
    """

def _study(scene: Any, set: Any, schemes: Sequence[str], steps: Sequence[float], levels: int, tolerance: float, until: float | None, probe: str, progress: Any) -> _StudyResult: ...

def _sweep(scene: Any, set: Any, values: Sequence[str], threads: int, random: int | None, seed: int | None, progress: Any) -> _SweepRows: ...

def book_sources(body: Dynamics, t: float, q: Any, v: Any, w: Any, weight_h: float, by_source: Any = None, held: float | None = None) -> npt.NDArray[np.float64]:
    """by_source += weight_h F_s(t, q, v) . w for the sources without a potential, 0 for the others [J]. For bodies with
    Trait.driven the forces of the potential energy are evaluated with prescribed coordinates at time `held`, the start x.t0
    of a step whose work.energy is also evaluated at x.t0: the energy balance of the step is then exact, and the engine moves
    the prescribed coordinates after it. Without `held` they are evaluated at t.
    """

def curvature(body: Dynamics, t: float, q: Any, v: Any, w: Any) -> float:
    """w . K w at (t, q, v) with K of the potential [J]."""

def linear(mass: Any, stiffness: Any = None, damping: Any = None, load: npt.ArrayLike | None = None, rayleigh: Sequence[float] = [0.0, 0.0], places: npt.ArrayLike | None = None, directions: npt.ArrayLike | None = None) -> Dynamics:
    """M q'' + C q' + K q = F, from arrays.

    Parameters
    ----------
    mass : array (n, n), diagonal (n,), or SciPy sparse matrix
        M [kg], symmetric positive definite.
    stiffness, damping : as mass, optional
        K [N/m], which need not be symmetric, C [N s/m]; 0 if not given. Without K the system is M v' + C v = F.
    load : array, shape (n,), optional
        Constant force [N].
    rayleigh : (float, float)
        r_M [1/s], r_K [s]: C += r_M M + r_K K.
    places, directions : array, shape (n, 3), optional
        Positions of the degrees of freedom in space: place + q direction; along z from the origin if not given.

    Returns
    -------
    Dynamics
        For ModelParts.add_group(). Point.feature is the degree of freedom.

    Raises
    ------
    UsageError
        Sizes that disagree, M not symmetric or not positive definite, numbers that are not finite.
    """

def modal(omega: npt.ArrayLike, sigma: npt.ArrayLike = 0.0, mass: npt.ArrayLike = 1.0, x: npt.ArrayLike | None = None, shapes: npt.ArrayLike | None = None, load: npt.ArrayLike | None = None, origin: npt.ArrayLike = ..., axis: npt.ArrayLike = ..., direction: npt.ArrayLike = ...) -> Dynamics:
    """mass (q'' + 2 sigma q' + omega^2 q) = load, from arrays of one number per mode.

    Parameters
    ----------
    omega : array, shape (n,)
        [rad/s], >= 0.
    sigma, mass, load : array, shape (n,), or float
        [1/s], modal mass [kg], constant modal force [N].
    x, shapes : arrays, shapes (k,) and (k, n), optional
        Values of the modes at places x [m], increasing; required by contact points and probes.
    origin, axis, direction : sequence of 3 floats
        Point x of the body is at origin + x axis and moves along direction.

    Returns
    -------
    Dynamics
        For ModelParts.add_group(). Point.local[0] is the place x along the body.
    """

def outstanding_change(body: Dynamics, x: Trial, dv: Any, response: Any) -> float:
    """Largest |dv|_M / max(|v0|_M, |v1|_M, |response|_M) over the bodies of the group, with M at (q1, v1) of the trial: the
    value that Scheme.correct() returns, with response = A^-1 r. Infinite if a number is not finite.
    """

def read_fclib(file: str | os.PathLike[str]) -> FclibProblem:
    """Reads a contact problem in the FCLIB format (HDF5).

    Parameters
    ----------
    file : path

    Returns
    -------
    FclibProblem
        With the solution and the guesses of the file.

    Raises
    ------
    SceneError
        With the file and the faulty object in it.
    """

def read_gmsh(file: str | os.PathLike[str]) -> dict[Any, Any]:
    """Reads a mesh file of Gmsh (MSH 2.2 and 4.1) as arrays.

    Returns
    -------
    dict
        nodes (n, d) [m]; elements: dict of kind to (m, k) numbers of nodes from 0, in the order of Gmsh; node_sets, element_sets:
        dicts of lists; face_sets: dict of lists of (element, face). Elements are numbered consecutively over all kinds.
    """

def solver(name: str) -> ContactSolver:
    """The contact solver of this name, one of solvers().

    Raises
    ------
    UsageError
        With the nearest name.
    """

def write_fclib(file: str | os.PathLike[str], problem: ContactProblem, p: npt.ArrayLike | None = None, *, title: str = '', description: str = '', math_info: str = '') -> None:
    """Writes a contact problem in the FCLIB format (HDF5).

    Parameters
    ----------
    file : path
        It gets its name only when it is complete.
    problem : ContactProblem
        Contacts with friction, all of one kind and size, then equalities.
    p : array, shape (rows,), optional
        A solution to be stored with it.

    Raises
    ------
    UsageError
        For laws that the format does not support.
    SceneError
        If the file cannot be created.
    """

def write_gmsh(file: str | os.PathLike[str], nodes: npt.ArrayLike, elements: dict[str, npt.ArrayLike], node_sets: Mapping[str, Sequence[int]] = {}, element_sets: Mapping[str, Sequence[int]] = {}, face_sets: Mapping[str, Sequence[Sequence[int]]] = {}) -> None:
    """Writes a mesh given as arrays to a file of Gmsh, for bodies.fem(mesh={"file": ...}). Coordinates are recovered bit for bit.

    Parameters
    ----------
    file : path
    nodes : array, shape (n, d)
        [m]; d = 3, or 2 in the x-y plane.
    elements : dict of str to array, shape (m, k)
        Numbers of nodes from 0 in the order of Gmsh, by kind: bar2, bar3, tri3, tri6, quad4, quad8, tet4, tet10, hex8, hex20,
        wedge6, pyramid5.
    node_sets, element_sets, face_sets : dict, optional
        Names for `fixed`, `loads`, `materials` and other entries of the body; faces as (element, face).

    Raises
    ------
    UsageError
        For elements that are inverted or refer to unknown nodes.
    SceneError
        If the file cannot be written.
    """
