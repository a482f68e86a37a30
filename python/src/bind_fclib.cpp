// Contact problems in files of the FCLIB format.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include "contact_problem.h"
#include "file_lock.h"
#include "saltus/base/error.h"
#include "saltus/exchange/fclib.h"

namespace saltus::python {
namespace {

class FileProblem final : public Problem {
 public:
  explicit FileProblem(std::shared_ptr<const FclibProblem> read)
      : Problem(read), read_(std::move(read)) {}
  const FclibProblem& read() const { return *read_; }

 private:
  std::shared_ptr<const FclibProblem> read_;
};

py::array_t<double> array_of(const Vector& x) { return py::array_t<double>(x.size(), x.data()); }

/// Impulses of all rows: contacts, then equalities.
py::array_t<double> impulses(const FclibProblem& P, const FclibSolution& s) {
  py::array_t<double> p(P.rows());
  Eigen::Map<Vector> out(p.mutable_data(), P.rows());
  out.setZero();
  out.head(s.r.size()) = s.r;
  if (s.l.size() > 0) out.tail(s.l.size()) = s.l;
  return p;
}

py::dict solution_of(const FclibProblem& P, const FclibSolution& s) {
  py::dict out;
  out["p"] = impulses(P, s);
  for (const auto& [name, x] : {std::pair{"u", &s.u}, std::pair{"v", &s.v}, std::pair{"l", &s.l}})
    if (x->size() > 0) out[name] = array_of(*x);
  return out;
}

std::shared_ptr<FileProblem> read_file(const std::filesystem::path& path) {
  auto read = std::make_shared<FclibProblem>();
  {
    const FileLock lock;
    *read = read_fclib(path.string(), FclibRead::solutions);
  }
  return std::make_shared<FileProblem>(std::move(read));
}

/// Requires contacts of one kind and size, then equalities of one row each, as the format supports.
FclibProblem writable(const Problem& given) {
  const auto& data = given.data();
  if (!data) throw UsageError("write_fclib: use problem.copy() to write a problem of a simulation");
  FclibProblem P;
  static_cast<ContactProblemData&>(P) = *data;
  for (std::size_t c = 0; c < P.laws.size(); ++c) {
    const Law& law = P.laws[c];
    const auto wrong = [&](const std::string& what) {
      throw UsageError(fmt::format(
          "write_fclib: law {} is {}{} (the format supports contacts with friction, all of one "
          "kind and size, 3 or 2 rows, 5 or 3 with rolling, then equalities of one row)",
          c, name_of(law.kind), what));
    };
    if (law.kind == LawKind::equality) {
      if (law.size != 1) wrong(fmt::format(" of {} rows", law.size));
      ++P.equalities;
      continue;
    }
    if (law.kind != LawKind::coulomb && law.kind != LawKind::rolling) wrong("");
    if (law.spinnings() > 0) wrong(" with spinning friction");
    if (P.equalities > 0) wrong(" after an equality");
    if (P.contacts == 0) {
      P.spacedim = law.size;
      P.rolling = law.kind == LawKind::rolling;
      if (law.size == 1) wrong(" of 1 row");
    } else if (law.size != P.spacedim || P.rolling != (law.kind == LawKind::rolling)) {
      wrong(fmt::format(" of {} rows after {} of {}", law.size,
                        name_of(P.rolling ? LawKind::rolling : LawKind::coulomb), P.spacedim));
    }
    ++P.contacts;
  }
  if (P.contacts == 0) throw UsageError("write_fclib: the problem has no contact with friction");
  return P;
}

void write_file(const std::filesystem::path& path, const Problem& given,
                const std::optional<Doubles>& p, const std::string& title,
                const std::string& description, const std::string& math_info) {
  FclibProblem P = writable(given);
  P.title = title;
  P.description = description;
  P.math_info = math_info;
  if (p) {
    const Vector r = rows_of(*p, P.rows(), "p");
    Vector u(P.rows());
    P.W->apply(r, u);
    u += P.b;
    const int m = P.contacts * P.spacedim;
    P.solution = FclibSolution{r.head(m), u.head(m), Vector(), r.tail(P.equalities)};
  }
  const FileLock lock;
  write_fclib(path.string(), P);
}

}  // namespace

void bind_fclib(py::module_& m) {
  using F = FileProblem;
  py::class_<F, Problem, std::shared_ptr<F>>(
      m, "FclibProblem",
      R"(A contact problem read from a file of the FCLIB format: a ContactProblem with the additional data of the file.

First the contacts, rows (N, T1, T2), (N, T), (N, T1, T2, R1, R2) or (N, T, R), then the equalities, one law per row. Global
problems are condensed.)")
      .def_property_readonly(
          "title", [](const F& self) { return self.read().title; }, "As in the file.")
      .def_property_readonly(
          "description", [](const F& self) { return self.read().description; }, "As in the file.")
      .def_property_readonly(
          "math_info", [](const F& self) { return self.read().math_info; }, "As in the file.")
      .def_property_readonly(
          "notes", [](const F& self) { return self.read().notes; },
          "Assumptions that had to be made, one line each.")
      .def_property_readonly(
          "spacedim", [](const F& self) { return self.read().spacedim; }, "Rows per contact.")
      .def_property_readonly(
          "equalities", [](const F& self) { return self.read().equalities; },
          "Number of equality rows, after the contacts.")
      .def_property_readonly(
          "rolling", [](const F& self) { return self.read().rolling; },
          "Whether contacts have rows of moments.")
      .def_property_readonly(
          "condensed", [](const F& self) { return self.read().global; },
          "True if the file contains a global problem, M v = H r + G l + f.")
      .def_property_readonly(
          "solution",
          [](const F& self) -> py::object {
            if (!self.read().solution) return py::none();
            return solution_of(self.read(), *self.read().solution);
          },
          "dict or None : the solution stored in the file, with p (all rows) and, if stored, u, v, "
          "l.")
      .def_property_readonly(
          "guesses",
          [](const F& self) {
            py::list out;
            for (const FclibSolution& s : self.read().guesses)
              out.append(solution_of(self.read(), s));
            return out;
          },
          "list of dict : guesses in the file, in the form of `solution`.");
  m.def("read_fclib", &read_file, py::arg("file"),
        R"(Reads a contact problem in the FCLIB format (HDF5).

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
    With the file and the faulty object in it.)");
  m.def("write_fclib", &write_file, py::arg("file"), py::arg("problem"), py::arg("p") = py::none(),
        py::kw_only(), py::arg("title") = "", py::arg("description") = "",
        py::arg("math_info") = "",
        R"(Writes a contact problem in the FCLIB format (HDF5).

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
    If the file cannot be created.)");
}

}  // namespace saltus::python
