// ContactSolver: those of the registry, those written in Python, and a function that solves one
// problem.
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

// ---- arguments and results

/// A SolveReport with its own strings.
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

/// A separate SolverMemory, or one of the engine during a call.
struct Memory {
  std::shared_ptr<SolverMemory> own;
  SolverMemory* lent = nullptr;
  Memory() : own(std::make_shared<SolverMemory>()), lent(own.get()) {}
  explicit Memory(SolverMemory& memory) : lent(&memory) {}
  SolverMemory& get() const {
    if (lent == nullptr) throw UsageError("this solver memory is only valid during its call");
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

/// The attribute of a Python solver, called if it is a method; a null object if the class only has
/// that of the base class.
py::object own_attribute(const ContactSolver* self, const char* name) {
  const py::object object = py::cast(self, py::return_value_policy::reference);
  const py::object base = py::type::of<ContactSolver>().attr(name);
  const py::object found = py::type::of(object).attr(name);
  if (found.is(base)) return {};
  py::object value = object.attr(name);
  return PyCallable_Check(value.ptr()) ? value() : value;
}

/// Converts a result of a Python solver to T; TypeError.
template <class T>
T as(const py::handle& given, std::string_view solver, const char* what, const char* wanted) {
  try {
    return given.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error(fmt::format("{}.{} gave {} ({} is expected)", solver, what,
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
    // p is copied in and out, since views of the array may be used after the call.
    py::array_t<double> impulses(p.size(), p.data());
    int iterations = 0;
    SolveReport report;
    {
      const ProblemLoan loan(problem);
      const MemoryLoan keep(memory);
      Limits lasting_limits = limits;  // may be used after the call
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
        throw py::type_error(fmt::format(
            "{}.solve() gave {} (expected the number of iterations, a SolveReport or nothing)",
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
  mutable std::string_view name_;  // valid until the end of the process
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
    throw UsageError("p is written: it must be a contiguous, writable array of float");
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
  py::class_<Limits>(m, "Limits", "Stopping criteria of a contact solver.")
      .def(py::init([](double tolerance, int iterations) {
             const Limits limits{.tolerance = tolerance, .iterations = iterations};
             expect_limits(limits);
             return limits;
           }),
           py::arg("tolerance") = 1e-12, py::arg("iterations") = 10000)
      .def_readonly("tolerance", &Limits::tolerance, "Limit of problem.residual(p) [1].")
      .def_readonly("iterations", &Limits::iterations,
                    "Largest number of pivots, sweeps or Newton steps.")
      .def("__repr__", [](const Limits& limits) {
        return fmt::format("Limits(tolerance={:g}, iterations={})", limits.tolerance,
                           limits.iterations);
      });
  py::class_<Report::Attempt>(m, "Attempt", "One solver that was called, and its result.")
      .def_readonly("solver", &Report::Attempt::solver, "Its name.")
      .def_readonly("iterations", &Report::Attempt::iterations,
                    "Iterations, as counted by that solver.")
      .def_readonly("residual", &Report::Attempt::residual, "Residual of its result [1].")
      .def("__repr__", [](const Report::Attempt& a) {
        return fmt::format("<{}: {} iterations, residual {:.3g}>", a.solver, a.iterations,
                           a.residual);
      });
  py::class_<Report>(m, "SolveReport", "Result of a solver.")
      .def_readonly("converged", &Report::converged, "residual <= tolerance.")
      .def_readonly("iterations", &Report::iterations,
                    "Pivots, sweeps or Newton steps of all attempts.")
      .def_readonly("residual", &Report::residual, "problem.residual(p) of the result [1].")
      .def_readonly("attempts", &Report::attempts, "Attempts of a solver that delegates, in order.")
      .def("__repr__", [](const Report& r) {
        return fmt::format("<SolveReport {} after {} iterations, residual {:.3g}>",
                           r.converged ? "converged" : "not converged", r.iterations, r.residual);
      });
  py::class_<Memory, std::shared_ptr<Memory>>(
      m, "SolverMemory",
      R"(Data that a solver keeps from one problem to the next.

`active`, `factor` and `changes` are part of the state of a simulation and of its checkpoints: a solver that depends on
them only, and not on data of its own, gives bitwise equal results after a restart.)")
      .def(py::init<>())
      .def_property(
          "active", [](const Memory& self) { return self.get().active; },
          [](const Memory& self, std::vector<int> x) { self.get().active = std::move(x); },
          "List of ids of rows; a copy, assign it as a whole.")
      .def_property(
          "factor",
          [](const Memory& self) {
            const auto& x = self.get().factor;
            return read_only(py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data()));
          },
          [](const Memory& self, const Doubles& x) {
            self.get().factor.assign(x.data(), x.data() + x.size());
          },
          "Numbers, in a size chosen by the solver; a copy, assign it as a whole.")
      .def_property(
          "changes", [](const Memory& self) { return self.get().changes; },
          [](const Memory& self, std::uint64_t n) { self.get().changes = n; },
          "A counter for use by the solver.");
}

}  // namespace

std::shared_ptr<const ContactSolver> solver_of(const py::object& solver) {
  if (py::isinstance<py::str>(solver)) return by_name(solver.cast<std::string>());
  if (!py::isinstance<ContactSolver>(solver))
    throw UsageError("a contact solver must be a name or a saltus.ContactSolver, not " +
                     py::repr(solver).cast<std::string>());
  return hold<ContactSolver>(solver);
}

void bind_solver(py::module_& m) {
  bind_problem(m);
  bind_small(m);
  py::class_<ContactSolver, PythonSolver, std::shared_ptr<ContactSolver>>(
      m, "ContactSolver",
      R"(Solves contact problems. Get one from the registry by solver(name), or derive from this class:

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
one problem passes to another. An exception in solve() propagates unchanged from Simulation.advance() and saltus.solve().)")
      .def(py::init<>())
      .def_property_readonly("name", &ContactSolver::name, "Name in messages and reports.")
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
    Impulses [N s]; the warm start on entry, the best result on return.

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
