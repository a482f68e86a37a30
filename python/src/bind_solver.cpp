// ContactSolver: those of the registry, those written in Python, and one call that solves a problem.
#include <pybind11/stl.h>

#include <fmt/format.h>

#include "contact_solver.h"
#include "extend.h"
#include "gil.h"
#include "python_stop.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/registry.h"

namespace saltus::python {
namespace {

// ---- what goes in and comes out

/// SolveReport with names of its own.
struct Report {
  bool converged = false;
  int iterations = 0;
  double residual = 0.0;
  struct Attempt {
    std::string solver;
    int iterations;
    double residual;
  };
  std::vector<Attempt> attempts;

  explicit Report(const SolveReport& report)
      : converged(report.converged), iterations(report.iterations), residual(report.residual) {
    for (int k = 0; k < report.attempted; ++k) {
      const saltus::Attempt& a = report.attempts[static_cast<std::size_t>(k)];
      attempts.push_back({std::string(a.solver), a.iterations, a.residual});
    }
  }
};

/// A SolverMemory of its own, or one of the engine for the time of a call.
struct Memory {
  std::shared_ptr<SolverMemory> own;
  SolverMemory* lent = nullptr;
  Memory() : own(std::make_shared<SolverMemory>()), lent(own.get()) {}
  explicit Memory(SolverMemory& memory) : lent(&memory) {}
  SolverMemory& get() const {
    if (lent == nullptr) throw UsageError("this solver memory ended with the call it was given to");
    return *lent;
  }
};

class MemoryLoan {
 public:
  explicit MemoryLoan(SolverMemory& memory)
      : memory_(std::make_shared<Memory>(memory)), object_(py::cast(memory_)) {}
  MemoryLoan(const MemoryLoan&) = delete;
  MemoryLoan& operator=(const MemoryLoan&) = delete;
  ~MemoryLoan() { memory_->lent = nullptr; }
  const py::object& object() const { return object_; }

 private:
  std::shared_ptr<Memory> memory_;
  py::object object_;
};

// ---- a solver written in Python

/// The attribute of a Python solver, called if it is a method; a null object where the class has only that of the base.
py::object own_attribute(const ContactSolver* self, const char* name) {
  const py::object object = py::cast(self, py::return_value_policy::reference);
  const py::object base = py::type::of<ContactSolver>().attr(name);
  const py::object found = py::type::of(object).attr(name);
  if (found.is(base)) return {};
  py::object value = object.attr(name);
  return PyCallable_Check(value.ptr()) ? value() : value;
}

/// What a solver of Python gave as a T; TypeError.
template <class T>
T as(const py::handle& given, std::string_view solver, const char* what, const char* wanted) {
  try {
    return given.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error(fmt::format("{}.{} gave {} ({} is wanted)", solver, what,
                                     py::repr(given).cast<std::string>(), wanted));
  }
}

class PythonSolver final : public ContactSolver, public Extended {
 public:
  void check() const override {
    if (!py::get_override(static_cast<const ContactSolver*>(this), "solve"))
      throw UsageError(std::string(name()) +
                       " must have the method solve(self, problem, limits, memory, p)");
  }
  std::string_view name() const override {
    const Gil gil;
    if (name_.empty()) {
      const py::object given = own_attribute(this, "name");
      name_ = lasting(given ? py::str(given).cast<std::string>()
                            : py::type::of(py::cast(this, py::return_value_policy::reference))
                                  .attr("__name__")
                                  .cast<std::string>());
    }
    return name_;
  }
  bool handles(LawKind kind) const override {
    const Gil gil;
    const py::function given = py::get_override(static_cast<const ContactSolver*>(this), "handles");
    if (!given) return true;
    const py::object said = into_python([&] { return given(std::string(name_of(kind))); });
    return as<bool>(said, name(), "handles()", "True or False");
  }
  bool needs_symmetric() const override {
    const Gil gil;
    const py::object given = own_attribute(this, "needs_symmetric");
    return given && as<bool>(given, name(), "needs_symmetric", "True or False");
  }
  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const Gil gil;
    check();
    const py::function given = py::get_override(static_cast<const ContactSolver*>(this), "solve");
    // p is an array of its own, copied in and out: views of it may outlive the call.
    py::array_t<double> impulses(p.size(), p.data());
    int iterations = 0;
    SolveReport report;
    {
      const ProblemLoan loan(problem);
      const MemoryLoan keep(memory);
      Limits lasting_limits = limits;  // may outlive the call
      lasting_limits.stop = nullptr;
      const py::object said = into_python(
          [&] { return given(loan.object(), lasting_limits, keep.object(), impulses); });
      if (py::isinstance<Report>(said)) {
        const auto& inner = said.cast<const Report&>();
        iterations = inner.iterations;
        for (const Report::Attempt& a : inner.attempts)
          report.attempt(lasting(a.solver), {{}, a.iterations, a.residual, {}, 0});
      } else if (py::isinstance<py::int_>(said)) {
        iterations = as<int>(said, name(), "solve()", "a number of iterations");
      } else if (!said.is_none()) {
        throw py::type_error(
            fmt::format("{}.solve() gave {} (the number of iterations, a SolveReport or nothing)",
                        name(), py::repr(said).cast<std::string>()));
      }
    }
    p = Eigen::Map<const Vector>(impulses.data(), p.size());
    report.iterations = iterations;
    report.residual = residual(problem, p);
    report.converged = report.residual <= limits.tolerance;
    return report;
  }

 private:
  mutable std::string_view name_;  // lasting
};

// ---- solve

std::string able(const ContactProblem& problem) {
  std::string names;
  for (const SolverRow& row : solvers()) {
    const auto solver = row.make();
    bool handles = problem.W.symmetric() || !solver->needs_symmetric();
    for (const Law& law : problem.laws) handles = handles && solver->handles(law.kind);
    if (handles) names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

void expect_handled(const ContactSolver& solver, const ContactProblem& problem) {
  for (const Law& law : problem.laws)
    if (!solver.handles(law.kind))
      throw UsageError(fmt::format("solver {} does not handle {} laws (allowed here: {})",
                                   solver.name(), name_of(law.kind), able(problem)));
  if (!problem.W.symmetric() && solver.needs_symmetric())
    throw UsageError(fmt::format("solver {} needs a symmetric W (allowed here: {})", solver.name(),
                                 able(problem)));
}

void expect_limits(const Limits& limits) {
  if (!(limits.tolerance > 0.0))
    throw UsageError(fmt::format("tolerance is {} (a number > 0)", limits.tolerance));
  if (limits.iterations < 1)
    throw UsageError(fmt::format("iterations is {} (at least 1)", limits.iterations));
}

Report solve_in_place(const ContactSolver& solver, const Problem& given, Limits limits,
                      Memory* memory, py::array_t<double>& p) {
  const ContactProblem& problem = given.get();
  expect_limits(limits);
  if (p.ndim() != 1 || p.size() != problem.b.size())
    throw UsageError(
        fmt::format("p has {} elements, the problem has {} rows", p.size(), problem.b.size()));
  if (p.size() == 0) return Report(SolveReport{.converged = true});
  if (!p.writeable() || p.strides(0) != static_cast<py::ssize_t>(sizeof(double)))
    throw UsageError("p is written: a contiguous array of float that may be changed");
  expect_handled(solver, problem);
  SolverMemory none;
  SolverMemory& keep = memory != nullptr ? memory->get() : none;
  Eigen::Map<Vector> out(p.mutable_data(), p.size());
  SolveReport report;
  PythonStop stop;
  limits.stop = &stop;
  {
    const Others others;
    report = solve_certified(solver, problem, limits, keep, out);
  }
  stop.rethrow();
  return Report(report);
}

std::shared_ptr<ContactSolver> by_name(const std::string& name) {
  if (const SolverRow* const row = find_solver(name)) return row->make();
  std::vector<std::string_view> names;
  for (const SolverRow& row : solvers()) names.push_back(row.name);
  throw UsageError(
      fmt::format("there is no contact solver '{}' ({})", name, did_you_mean(name, names)));
}

void bind_small(py::module_& m) {
  py::class_<Limits>(m, "Limits", "When a contact solver may stop.")
      .def(py::init([](double tolerance, int iterations) {
             const Limits limits{.tolerance = tolerance, .iterations = iterations};
             expect_limits(limits);
             return limits;
           }),
           py::arg("tolerance") = 1e-12, py::arg("iterations") = 10000)
      .def_readonly("tolerance", &Limits::tolerance, "On problem.residual(p) [1].")
      .def_readonly("iterations", &Limits::iterations, "Pivots, sweeps or Newton steps at most.")
      .def("__repr__", [](const Limits& limits) {
        return fmt::format("Limits(tolerance={:g}, iterations={})", limits.tolerance,
                           limits.iterations);
      });
  py::class_<Report::Attempt>(m, "Attempt", "One solver that was asked, and how far it came.")
      .def_readonly("solver", &Report::Attempt::solver, "Its name.")
      .def_readonly("iterations", &Report::Attempt::iterations, "As that solver counts.")
      .def_readonly("residual", &Report::Attempt::residual, "Of what it found [1].")
      .def("__repr__", [](const Report::Attempt& a) {
        return fmt::format("<{}: {} iterations, residual {:.3g}>", a.solver, a.iterations,
                           a.residual);
      });
  py::class_<Report>(m, "SolveReport", "How a solver ended.")
      .def_readonly("converged", &Report::converged, "residual <= tolerance.")
      .def_readonly("iterations", &Report::iterations,
                    "Pivots, sweeps or Newton steps of all attempts.")
      .def_readonly("residual", &Report::residual, "problem.residual(p) of what came out [1].")
      .def_readonly("attempts", &Report::attempts, "What a solver that delegates did, in order.")
      .def("__repr__", [](const Report& r) {
        return fmt::format("<SolveReport {} after {} iterations, residual {:.3g}>",
                           r.converged ? "converged" : "not converged", r.iterations, r.residual);
      });
  py::class_<Memory, std::shared_ptr<Memory>>(m, "SolverMemory",
                                              R"(What a solver carries from one problem to the next.

`active`, `factor` and `changes` are part of the state of a simulation and of its checkpoints: a solver that decides by
them, and by nothing of its own, gives the same bits after a restart.)")
      .def(py::init<>())
      .def_property(
          "active", [](const Memory& self) { return self.get().active; },
          [](const Memory& self, std::vector<int> x) { self.get().active = std::move(x); },
          "List of ids of rows; a copy, set it whole.")
      .def_property(
          "factor",
          [](const Memory& self) {
            const auto& x = self.get().factor;
            return read_only(py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data()));
          },
          [](const Memory& self, const Doubles& x) {
            self.get().factor.assign(x.data(), x.data() + x.size());
          },
          "Numbers, as many as the solver wants; a copy, set it whole.")
      .def_property(
          "changes", [](const Memory& self) { return self.get().changes; },
          [](const Memory& self, std::uint64_t n) { self.get().changes = n; },
          "A counter of the solver's own.");
}

}  // namespace

std::shared_ptr<const ContactSolver> solver_of(const py::object& solver) {
  if (py::isinstance<py::str>(solver)) return by_name(solver.cast<std::string>());
  if (!py::isinstance<ContactSolver>(solver))
    throw UsageError("a contact solver is a name or a saltus.ContactSolver, not " +
                     py::repr(solver).cast<std::string>());
  return hold<ContactSolver>(solver);
}

void bind_solver(py::module_& m) {
  bind_problem(m);
  bind_small(m);
  py::class_<ContactSolver, PythonSolver, std::shared_ptr<ContactSolver>>(
      m, "ContactSolver",
      R"(Solves contact problems. Take one of the registry by solver(name), or derive from this class:

    class MySolver(saltus.ContactSolver):
        name = "my-solver"                      # of messages and reports; that of the class if not given
        needs_symmetric = False
        def handles(self, kind):                # 'equality', 'unilateral', 'box', 'coulomb', 'rolling'
            return kind == "unilateral"
        def solve(self, problem, limits, memory, p):
            W = problem.W.csr()                 # also dense(), blocks(), apply(p)
            ...                                 # p: the warm start, to be written in place: p[:] = ...
            return iterations                   # or None, or the SolveReport of a solver that was asked

Whether it converged is decided by `problem.residual(p) <= limits.tolerance`, not by what is returned. `problem` and
`memory` end with the call. Islands of a simulation may be solved in several threads: keep nothing in the solver that one
problem hands to another. An exception in solve() leaves Simulation.advance() and saltus.solve() as it is.)")
      .def(py::init<>())
      .def_property_readonly("name", &ContactSolver::name, "Of messages and reports.")
      .def_property_readonly("needs_symmetric", &ContactSolver::needs_symmetric,
                             "Whether W must be symmetric.")
      .def(
          "handles",
          [](const ContactSolver& self, const std::string& kind) {
            return self.handles(law_kind(kind));
          },
          py::arg("kind"), "Whether it can solve laws of this kind.")
      .def(
          "solve",
          [](const ContactSolver& self, const Problem& problem, std::optional<Limits> limits,
             Memory* memory, py::array_t<double>& p) {
            return solve_in_place(self, problem, limits.value_or(Limits{}), memory, p);
          },
          py::arg("problem"), py::arg("limits").none(true), py::arg("memory").none(true),
          py::arg("p").noconvert(), R"(Solves a ContactProblem in place.

Parameters
----------
problem : ContactProblem
limits : Limits or None
    None: 1e-12, 10000.
memory : SolverMemory or None
p : ndarray, shape (rows,)
    Impulses [N s]; the warm start on entry, the best found on return.

Returns
-------
SolveReport)")
      .def("__repr__", [](const ContactSolver& self) {
        return fmt::format("<saltus.ContactSolver {}>", self.name());
      });
  m.def("solver", &by_name, py::arg("name"), R"(The contact solver of this name, one of solvers().

Raises
------
UsageError
    With the nearest name.)");
  m.def(
      "_solve",
      [](const Problem& problem, const py::object& solver, double tolerance, int iterations,
         Memory* memory, py::array_t<double>& p) {
        return solve_in_place(*solver_of(solver), problem, {tolerance, iterations}, memory, p);
      },
      py::arg("problem"), py::arg("solver"), py::arg("tolerance"), py::arg("iterations"),
      py::arg("memory").none(true), py::arg("p").noconvert(),
      "Parameters\n----------\nmemory : SolverMemory or None\np : ndarray, shape (rows,)");
  bind_fclib(m);
}

}  // namespace saltus::python
