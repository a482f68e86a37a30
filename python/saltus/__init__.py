"""Saltus: time integration of mechanical systems with impact, unilateral contact and friction.

    import saltus
    sim = saltus.Simulation(saltus.Scene.read("ball.yaml"))
    while sim.t < 2.0:
        sim.advance()
    print(sim.groups["ball"].q)
"""
from ._core import *  # noqa: F401,F403
from ._core import __version__  # noqa: F401
from . import _batch, _control, _model, _scene, _simulation  # noqa: F401
from ._progress import Progress  # noqa: F401
from ._registry import built, describe, kinds, laws, schema, schemes, solvers  # noqa: F401
from ._simulation import BodyView, Contacts, Events, GroupView  # noqa: F401
from ._solve import Solution, contact_laws, residual, solve  # noqa: F401
from ._extend import with_dynamics, with_scheme  # noqa: F401
from ._law import ContactLaw  # noqa: F401
from .models import contact, coupling, dynamics_of, law, make_scene, output, scheme, surface  # noqa: F401
from . import bodies, joints, shapes  # noqa: F401

from ._named import NotOfThisKind  # noqa: F401
from ._results import Body, Comparison, Joint, Page, Results, Sound  # noqa: F401
from ._run import RunWarning, run  # noqa: F401
from ._study import Study, StudyRun, StudyScheme, study  # noqa: F401
from ._sweep import Sweep, sweep  # noqa: F401
