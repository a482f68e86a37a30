// Law, Delassus, ContactProblem: u = W p + b with a law for each contact.
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "contact_problem.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/contact/body_blocks.h"
#include "saltus/contact/body_delassus.h"
#include "saltus/contact/jointed_delassus.h"
#include "saltus/contact/measures.h"
#include "saltus/contact/residual.h"

namespace saltus::python {

namespace {

constexpr double kMirrored = 1e-12;  // relative to max |W|, as for problems in files
constexpr double kLargest = 1e100, kLeast = 1e-100;  // their squares are representable
constexpr std::pair<LawKind, std::string_view> kKinds[] = {{LawKind::equality, "equality"},
                                                           {LawKind::unilateral, "unilateral"},
                                                           {LawKind::box, "box"},
                                                           {LawKind::coulomb, "coulomb"},
                                                           {LawKind::rolling, "rolling"}};

// ---- Law

void expect_not_negative(const char* name, double value, bool read, std::string_view kind) {
  if (!(value >= 0.0) || !std::isfinite(value))
    wrong("Law: {} is {} (a finite number >= 0)", name, value);
  if (!read && value != 0.0) wrong("Law: a {} law has no {}", kind, name);
}

Law make_law(const std::string& kind, std::optional<int> size, double friction, double rolling,
             double bound, double spinning) {
  Law law{law_kind(kind), 0, 1, friction, rolling, bound, spinning};
  const bool rolls = law.kind == LawKind::rolling, rubs = rolls || law.kind == LawKind::coulomb;
  law.size = size.value_or(rolls ? (spinning > 0.0 ? 6 : 5) : rubs ? 3 : 1);
  expect_not_negative("friction", friction, rubs, kind);
  expect_not_negative("rolling", rolling, rolls, kind);
  expect_not_negative("bound", bound, law.kind == LawKind::box, kind);
  expect_not_negative("spinning", spinning, rolls, kind);
  if (law.size < 1) wrong("Law: size is {} (rows of the contact, at least 1)", law.size);
  if (law.kind == LawKind::coulomb && law.size > 3)
    wrong("Law: a coulomb law has size {} (1: N; 2: N, T in the plane; 3: N, T1, T2)", law.size);
  if (rolls && (law.size < 3 || law.size > 6))
    wrong(
        "Law: a rolling law has size {} (3: N, T, R in the plane; 4: N, T1, T2, S; "
        "5: N, T1, T2, R1, R2; 6: with S)",
        law.size);
  if (rolls && rolling > 0.0 && law.rollings() == 0)
    wrong("Law: rolling requires rows R, but a rolling law of size 4 has N, T1, T2, S");
  if (rolls && spinning > 0.0 && law.spinnings() == 0)
    wrong("Law: spinning requires a row S (size 4 or 6), but size is {}", law.size);
  return law;
}

std::string repr(const Law& law) {
  std::string text = fmt::format("Law('{}', size={}", name_of(law.kind), law.size);
  for (const auto& [name, value] : {std::pair{"friction", law.friction},
                                    {"rolling", law.rolling},
                                    {"bound", law.bound},
                                    {"spinning", law.spinning}})
    if (value != 0.0) text += fmt::format(", {}={}", name, value);
  return text + ")";
}

// ---- from arrays

/// Laws with consecutive rows; UsageError if they do not cover `rows`.
std::vector<Law> in_order(std::vector<Law> laws, Eigen::Index rows) {
  int next = 0;
  for (Law& law : laws) {
    law.first = next;
    next += law.size;
  }
  if (next != rows) wrong("the {} laws have {} rows in total, b has {}", laws.size(), next, rows);
  return laws;
}

void expect_scale(const char* name, double largest) {
  if (!std::isfinite(largest)) wrong("{} has elements that are not finite", name);
  if (largest != 0.0 && !(largest >= kLeast && largest <= kLargest))
    wrong(
        "the largest element of {} is {:g} (0, or {:g} to {:g}: residuals are computed from "
        "squares)",
        name, largest, kLeast, kLargest);
}

/// The largest |x_i|; the first one that is not finite, if any.
double largest(const double* x, std::size_t n) {
  double most = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) return x[i];
    most = std::max(most, std::abs(x[i]));
  }
  return most;
}

void expect_square(py::ssize_t rows, py::ssize_t columns, Eigen::Index n) {
  if (rows != n || columns != n)
    wrong("W has the shape ({}, {}), b has {} elements: W must be ({}, {})", rows, columns, n, n,
          n);
}

std::shared_ptr<const Delassus> dense_operator(const Doubles& W, Eigen::Index n,
                                               std::optional<bool> symmetric) {
  if (W.ndim() != 2) wrong("W has {} dimensions, but a matrix has 2", W.ndim());
  expect_square(W.shape(0), W.shape(1), n);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  auto made = std::make_shared<DenseDelassus>();
  made->W = Eigen::Map<const RowMajor>(W.data(), n, n);
  const double most = largest(W.data(), static_cast<std::size_t>(W.size()));
  expect_scale("W", most);
  bool same = true;
  for (Eigen::Index j = 0; j < n && same; ++j)
    for (Eigen::Index i = 0; i < j && same; ++i)
      same = std::abs(made->W(i, j) - made->W(j, i)) <= kMirrored * most;
  made->is_symmetric = symmetric.value_or(same);
  return made;
}

std::shared_ptr<const Delassus> sparse_operator(const py::object& W, std::span<const Law> laws,
                                                Eigen::Index n, std::optional<bool> symmetric) {
  py::object csr = W.attr("tocoo")();  // duplicate entries are summed below
  const auto shape = csr.attr("shape").cast<std::pair<py::ssize_t, py::ssize_t>>();
  expect_square(shape.first, shape.second, n);
  using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;
  const auto row = csr.attr("row").cast<Indices>(), column = csr.attr("col").cast<Indices>();
  const auto value = csr.attr("data").cast<Doubles>();
  expect_scale("W", largest(value.data(), static_cast<std::size_t>(value.size())));
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(value.size()));
  for (py::ssize_t k = 0; k < value.size(); ++k)
    entries.push_back({row.data()[k], column.data()[k], value.data()[k]});
  auto made = std::make_shared<BlockDelassus>(block_matrix(laws, entries), false);
  const double most = largest(made->W.value.data(), made->W.value.size());
  expect_scale("W", most);
  bool same = true;
  for (int c = 0; c < made->W.contacts() && same; ++c)
    for (int k = made->W.offset[static_cast<std::size_t>(c)];
         k < made->W.offset[static_cast<std::size_t>(c) + 1] && same; ++k) {
      const int d = made->W.column[static_cast<std::size_t>(k)];
      const double *const block = made->W.block(k), *const mirror =
                                                        made->W.block(made->W.find(d, c));
      const int rows = made->W.size(c), columns = made->W.size(d);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          same =
              same && std::abs(block[i * columns + j] - mirror[j * rows + i]) <= kMirrored * most;
    }
  made->is_symmetric = symmetric.value_or(same);
  return made;
}

std::shared_ptr<Problem> make_problem(const py::object& W, const Doubles& b, std::vector<Law> laws,
                                      std::optional<std::vector<int>> ids,
                                      std::optional<bool> symmetric) {
  auto data = std::make_shared<ContactProblemData>();
  if (b.ndim() != 1) wrong("b has {} dimensions, but a vector has 1", b.ndim());
  const Eigen::Index n = b.size();
  data->b = rows_of(b, n, "b");
  expect_scale("b", largest(b.data(), static_cast<std::size_t>(n)));
  data->laws = in_order(std::move(laws), n);
  data->W = py::hasattr(W, "tocoo") ? sparse_operator(W, data->laws, n, symmetric)
                                    : dense_operator(py::cast<Doubles>(W), n, symmetric);
  if (ids) {
    if (static_cast<Eigen::Index>(ids->size()) != n)
      wrong("ids has {} elements, b has {}", ids->size(), n);
    for (std::size_t i = 1; i < ids->size(); ++i)
      if ((*ids)[i] <= (*ids)[i - 1])
        wrong("ids[{}] is {} after {} (ids of the rows must increase)", i, (*ids)[i],
              (*ids)[i - 1]);
    data->ids = std::move(*ids);
  } else {
    for (int i = 0; i < n; ++i) data->ids.push_back(i);
  }
  return std::make_shared<Problem>(std::move(data));
}

/// The same numbers in separate memory.
std::shared_ptr<Problem> copy_of_problem(const Problem& self) {
  const ContactProblem& problem = self.get();
  auto data = std::make_shared<ContactProblemData>();
  data->b = problem.b;
  data->laws.assign(problem.laws.begin(), problem.laws.end());
  data->ids.assign(problem.ids.begin(), problem.ids.end());
  if (const BodyRows* const H = problem.W.bodies()) {
    data->W = std::make_shared<BodyDelassus>(*H);
  } else if (const BlockMatrix* const blocks = problem.W.blocks()) {
    data->W = std::make_shared<BlockDelassus>(*blocks, problem.W.symmetric());
  } else {
    auto dense = std::make_shared<DenseDelassus>();
    const Eigen::Index n = problem.b.size();
    dense->W.setZero(n, n);
    if (const Matrix* const held = problem.W.dense())
      dense->W = *held;
    else
      for (int j = 0; j < n; ++j) problem.W.column(j, 1.0, dense->W.col(j));
    dense->is_symmetric = problem.W.symmetric();
    data->W = std::move(dense);
  }
  return std::make_shared<Problem>(std::move(data));
}

// ---- Delassus

/// The W of a problem, which is kept alive.
struct Operator_ {
  std::shared_ptr<const Problem> problem;
  const Delassus& W() const { return problem->get().W; }

  BlockMatrix blocks() const {
    BlockMatrix made;
    if (const BodyRows* const H = W().blocks() ? nullptr : W().bodies()) {
      std::vector<int> touch;
      blocks_of_bodies(*H, made, touch);
    } else {
      blocks_of(problem->get(), made);
    }
    return made;
  }
  int row(int i, const char* axis) const {
    const int n = W().rows();
    if (i < -n || i >= n) throw py::index_error(fmt::format("{} {} of {}", axis, i, n));
    return i < 0 ? i + n : i;
  }
};

const char* form(const Delassus& W) {
  return W.blocks()    ? "blocks"
         : W.bodies()  ? "bodies"
         : W.jointed() ? "joints"
         : W.dense()   ? "dense"
                       : "table";
}

py::array_t<double> dense(const Operator_& self) {
  const Delassus& W = self.W();
  const int n = W.rows();
  py::array_t<double, py::array::f_style> out({n, n});
  Eigen::Map<Matrix> to(out.mutable_data(), n, n);
  if (const Matrix* const held = W.dense()) {
    to = *held;
  } else {
    to.setZero();
    for (int j = 0; j < n; ++j) W.column(j, 1.0, to.col(j));
  }
  return out;
}

py::array_t<double> product(const Operator_& self, const Doubles& p) {
  const Delassus& W = self.W();
  py::array_t<double> u(W.rows());
  W.apply(rows_of(p, W.rows(), "p", false), Eigen::Map<Vector>(u.mutable_data(), W.rows()));
  return u;
}

py::object csr(const Operator_& self) {
  const BlockMatrix W = self.blocks();
  std::vector<int> offset{0}, column;
  std::vector<double> value;
  for (int c = 0; c < W.contacts(); ++c)
    for (int i = 0; i < W.size(c); ++i) {
      for (int k = W.offset[static_cast<std::size_t>(c)];
           k < W.offset[static_cast<std::size_t>(c) + 1]; ++k) {
        const int d = W.column[static_cast<std::size_t>(k)];
        for (int j = 0; j < W.size(d); ++j) {
          column.push_back(W.first[static_cast<std::size_t>(d)] + j);
          value.push_back(W.block(k)[i * W.size(d) + j]);
        }
      }
      offset.push_back(static_cast<int>(column.size()));
    }
  const auto array = [](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::value_type;
    return py::array_t<T>(static_cast<py::ssize_t>(x.size()), x.data());
  };
  return py::module_::import("scipy.sparse")
      .attr("csr_matrix")(py::make_tuple(array(value), array(column), array(offset)),
                          py::arg("shape") = py::make_tuple(W.rows(), W.rows()));
}

py::list block_list(const Operator_& self) {
  const BlockMatrix W = self.blocks();
  py::list out;
  for (int c = 0; c < W.contacts(); ++c)
    for (int k = W.offset[static_cast<std::size_t>(c)];
         k < W.offset[static_cast<std::size_t>(c) + 1]; ++k) {
      const int d = W.column[static_cast<std::size_t>(k)];
      out.append(py::make_tuple(c, d, py::array_t<double>({W.size(c), W.size(d)}, W.block(k))));
    }
  return out;
}

void bind_law(py::module_& m) {
  py::class_<Law>(
      m, "Law",
      R"(The law of one contact of a contact problem, between its impulse p and velocity u.

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
    For an unknown kind, a size that the kind does not support, a number that is negative or not used by the kind.)")
      .def(py::init(&make_law), py::arg("kind"), py::arg("size") = py::none(),
           py::arg("friction") = 0.0, py::arg("rolling") = 0.0, py::arg("bound") = 0.0,
           py::arg("spinning") = 0.0)
      .def_property_readonly(
          "kind", [](const Law& law) { return name_of(law.kind); }, "Kind, as given.")
      .def_readonly("first", &Law::first, "First row in the problem.")
      .def_readonly("size", &Law::size, "Rows.")
      .def_property_readonly(
          "rows", [](const Law& law) { return py::slice(law.first, law.first + law.size, 1); },
          "Slice of the rows: p[law.rows].")
      .def_readonly("friction", &Law::friction, "mu [1].")
      .def_readonly("rolling", &Law::rolling, "mu_R [m].")
      .def_readonly("bound", &Law::bound, "Bound of a box [N s].")
      .def_readonly("spinning", &Law::spinning, "sigma [m].")
      .def("__repr__", &repr);
}

void bind_delassus(py::module_& m) {
  py::class_<Operator_>(m, "Delassus",
                        R"(W of u = W p + b: impulses p [N s] to velocities u [m/s], W in 1/kg.

`W @ p` multiplies, `numpy.asarray(W)` and `W.dense()` form the matrix, `W.csr()` a SciPy matrix.)")
      .def_property_readonly(
          "shape",
          [](const Operator_& self) { return py::make_tuple(self.W().rows(), self.W().rows()); },
          "tuple of int : (rows, rows).")
      .def_property_readonly(
          "symmetric", [](const Operator_& self) { return self.W().symmetric(); },
          "Whether solvers may assume symmetry.")
      .def_property_readonly(
          "form", [](const Operator_& self) { return form(self.W()); },
          "Storage form: 'dense', 'blocks', 'bodies', 'joints' or 'table'.")
      .def("dense", &dense, "The matrix, a copy, shape (rows, rows).")
      .def(
          "__array__",
          [](const Operator_& self, const py::object& type) {
            return py::object(dense(self))
                .attr("astype")(type.is_none() ? py::object(py::dtype("d")) : type);
          },
          py::arg("dtype") = py::none())
      .def("apply", &product, py::arg("p"), "W p as a new array.")
      .def("__matmul__", &product, py::arg("p"))
      .def(
          "__getitem__",
          [](const Operator_& self, std::pair<int, int> ij) {
            return self.W().entry(self.row(ij.first, "row"), self.row(ij.second, "column"));
          },
          py::arg("ij"), "W[i, j], one entry.")
      .def(
          "csr", &csr,
          "scipy.sparse.csr_matrix of the stored blocks; entries of a row in order of the columns.")
      .def("blocks", &block_list,
           "list of tuple : (c, d, W_cd) of the stored blocks, by contacts, c and then d "
           "increasing.")
      .def("__repr__", [](const Operator_& self) {
        return fmt::format("<saltus.Delassus {} x {}, {}{}>", self.W().rows(), self.W().rows(),
                           form(self.W()), self.W().symmetric() ? ", symmetric" : "");
      });
}

void bind_measures(py::module_& m) {
  using T = ContactMeasures;
  py::class_<T>(m, "ContactMeasures", "Error measures of impulses p for a contact problem.")
      .def_readonly("residual", &T::residual,
                    "The measure used as stopping criterion of solvers [1].")
      .def_readonly("siconos", &T::siconos, "|F|/max(|b|, |p|, |u|) with rho = 1, of mixed units.")
      .def_readonly("fclib", &T::fclib, "|F|/(1 + sqrt |b|) with rho = 1, of mixed units.")
      .def_readonly("penetration", &T::penetration, "max(-u_N, 0) [m/s].")
      .def_readonly("cone", &T::cone, "Largest distance of p outside its cone [N s; N m s].")
      .def_readonly("angle", &T::angle,
                    "Largest angle between -u_T and p_T of a sliding contact [rad].")
      .def_readonly("gap", &T::gap, "|sum p . u^|, the duality gap [J].")
      .def_readonly("open", &T::open, "Number of contacts without impulse.")
      .def_readonly("sticking", &T::sticking, "Number of sticking contacts.")
      .def_readonly("sliding", &T::sliding, "Number of sliding contacts.")
      .def("__repr__", [](const T& self) {
        return fmt::format(
            "<ContactMeasures residual {:.3g}, penetration {:.3g} m/s, cone {:.3g} N s, {} open, "
            "{} sticking, {} sliding>",
            self.residual, self.penetration, self.cone, self.open, self.sticking, self.sliding);
      });
}

}  // namespace

const ContactProblem& Problem::get() const {
  if (view_) return **view_;
  if (lent_ == nullptr)
    throw UsageError(
        "this contact problem is only valid during its call; keep problem.copy() instead");
  return *lent_;
}

Eigen::Map<const Vector> rows_of(const Doubles& x, Eigen::Index rows, const char* name,
                                 bool finite) {
  if (x.ndim() != 1) wrong("{} has {} dimensions, but a vector has 1", name, x.ndim());
  if (x.size() != rows) wrong("{} has {} elements, the problem has {} rows", name, x.size(), rows);
  for (py::ssize_t i = 0; finite && i < x.size(); ++i)
    if (!std::isfinite(x.data()[i]))
      wrong("{}[{}] is {}, not a finite number", name, i, x.data()[i]);
  return {x.data(), rows};
}

std::string_view name_of(LawKind kind) { return kKinds[static_cast<std::size_t>(kind)].second; }

LawKind law_kind(const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& [kind, text] : kKinds) {
    if (text == name) return kind;
    names.push_back(text);
  }
  wrong("there is no law '{}' of contact problems ({})", name, did_you_mean(name, names));
}

std::string_view lasting(std::string_view name) {
  static std::set<std::string, std::less<>> names;
  const auto found = names.find(name);
  return found != names.end() ? *found : *names.emplace(name).first;
}

void bind_problem(py::module_& m) {
  bind_law(m);
  bind_delassus(m);
  bind_measures(m);
  py::class_<Problem, std::shared_ptr<Problem>>(m, "ContactProblem",
                                                R"(u = W p + b with one law per contact.

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

A problem passed from a simulation to a solver written in Python is valid during that call only; use `copy()` to keep it.)")
      .def(py::init(&make_problem), py::arg("W"), py::arg("b"), py::arg("laws"),
           py::arg("ids") = py::none(), py::arg("symmetric") = py::none())
      .def_property_readonly(
          "W", [](const std::shared_ptr<Problem>& self) { return self->get(), Operator_{self}; },
          "The Delassus operator [1/kg].")
      .def_property_readonly(
          "b",
          [](const py::object& object) {
            const auto& self = object.cast<const Problem&>();
            const View b = self.get().b;
            if (!self.lent()) return array_over(b.data(), b.size(), object);
            // may be used after the call
            return read_only(py::array_t<double>(b.size(), b.data()));
          },
          "Velocities without impulses [m/s], shape (rows,).")
      .def_property_readonly(
          "laws",
          [](const Problem& self) {
            const auto laws = self.get().laws;
            py::tuple out(laws.size());
            for (std::size_t c = 0; c < laws.size(); ++c) out[c] = py::cast(laws[c]);
            return out;
          },
          "tuple of Law : one per contact.")
      .def_property_readonly(
          "ids",
          [](const Problem& self) {
            const auto ids = self.get().ids;
            return read_only(py::array_t<int>(static_cast<py::ssize_t>(ids.size()), ids.data()));
          },
          "Ids of the rows, increasing.")
      .def_property_readonly("rows", &Problem::rows, "Size of p, u and b.")
      .def_property_readonly(
          "contacts", [](const Problem& self) { return self.get().laws.size(); }, "Number of laws.")
      .def_property_readonly("over", &Problem::over,
                             "True after the end of the call for which it was lent.")
      .def("copy", &copy_of_problem, "A copy that stays valid after the call.")
      .def(
          "velocity",
          [](const Problem& self, const Doubles& p) {
            const ContactProblem& problem = self.get();
            py::array_t<double> u(problem.b.size());
            Eigen::Map<Vector> out(u.mutable_data(), problem.b.size());
            problem.W.apply(rows_of(p, problem.b.size(), "p", false), out);
            out += problem.b;
            return u;
          },
          py::arg("p"), "u = W p + b [m/s].")
      .def(
          "residual",
          [](const Problem& self, const Doubles& p) {
            const ContactProblem& problem = self.get();
            return residual(problem, rows_of(p, problem.b.size(), "p", false));
          },
          py::arg("p"), "The residual of impulses p [1], the stopping criterion of every solver.")
      .def(
          "measures",
          [](const Problem& self, const Doubles& p) {
            const ContactProblem& problem = self.get();
            return measure(problem, rows_of(p, problem.b.size(), "p", false));
          },
          py::arg("p"), "ContactMeasures of impulses p.")
      .def("__repr__", [](const Problem& self) {
        if (self.over()) return std::string("<saltus.ContactProblem, over>");
        return fmt::format("<saltus.ContactProblem of {} contacts, {} rows, W by {}>",
                           self.get().laws.size(), self.rows(), form(self.get().W));
      });
}

}  // namespace saltus::python
