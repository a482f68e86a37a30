// Points, frames and their rows of bodies written in Python.
#include <algorithm>
#include <cmath>

#include "py_body_methods.h"
#include "py_dynamics.h"
#include "saltus/bodies/row_table.h"

namespace saltus::python {
using namespace body_methods;
namespace {

/// number of velocities up to which rows of points are stored in full
constexpr Eigen::Index kFullRows = 64;
constexpr double kHuge = 1e100;  ///< positions above which computed places may overflow

}  // namespace

namespace {

[[noreturn]] void no_such_point(const PythonSide& side, int feature, int n) {
  throw UsageError("class " + side.class_name() + " has no point " + std::to_string(feature) +
                   ": without methods points " + "or point, point i is coordinate i, 0 to " +
                   std::to_string(n - 1) + ", and moves along z");
}

/// Points of a finite state must be finite; a state that overflows is reported by the scheme.
void expect_places(const PythonSide& side, int method, View q, View x,
                   std::span<const PointRef> at) {
  if (x.allFinite() || !q.allFinite() || (q.array().abs() >= kHuge).any()) return;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]))
      throw UsageError(side.name_of(method) + " gave " + std::to_string(x[i]) + " as " +
                       "xyz"[i % 3] + " of point " +
                       std::to_string(at[static_cast<std::size_t>(i / 3)].feature) +
                       ": a place is 3 finite numbers");
}

}  // namespace

void PythonBody::points(double t, View q, std::span<const PointRef> at, Out x) const {
  const auto n = static_cast<Eigen::Index>(at.size());
  if (side_.overridden(kPoints)) {
    const Gil gil;
    mark(x.data(), x.size());
    const py::float_ time(t);
    const py::tuple where = points_to_python(at);
    Loan lq(q.data(), q.size(), false), lx;
    lx.over(x.data(), n, 3, 3, 1, true);
    const std::array shape{n, Eigen::Index(3)};
    side_.written(kPoints, side_.call(kPoints, {time.ptr(), lq.get(), where.ptr(), lx.get()}),
                  lx.get(), x, "x", shape);
    expect_places(side_, kPoints, q, x, at);
    return side_.returned(kPoints, {{&lq, "q"}, {&lx, "x"}});
  }
  if (side_.has(kPoint)) {
    const Gil gil;
    Loan lq(q.data(), q.size(), false);
    for (Eigen::Index i = 0; i < n; ++i) {
      const py::int_ feature(at[static_cast<std::size_t>(i)].feature);
      const std::string what = "what " + side_.name_of(kPoint) + " returned";
      assign(x.segment(3 * i, 3), side_.call(kPoint, {feature.ptr(), lq.get()}), what.c_str());
    }
    expect_places(side_, kPoint, q, x, at);
    return side_.returned(kPoint, {{&lq, "q"}});
  }
  x.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const int feature = at[static_cast<std::size_t>(i)].feature;
    if (feature < 0 || feature >= positions()) no_such_point(side_, feature, positions());
    x[3 * i + 2] = q[feature];
  }
}

void PythonBody::rows(int method, View q, View axes, std::span<const PointRef> at,
                      PointRows& J) const {
  const Eigen::Index n = velocities(), count = static_cast<Eigen::Index>(at.size());
  const Eigen::Index several =
      has(traits(), Trait::rigid) ? bodies() : 1;  // rows of rigid bodies are one block per body
  const Gil gil;
  py::array_t<double> table({count, Eigen::Index(3), n});
  double* const value = table.mutable_data();
  std::fill_n(value, table.size(), 0.0);
  if (method == kPointJacobian) {
    Loan lq(q.data(), q.size(), false);
    for (Eigen::Index i = 0; i < count; ++i) {
      const py::int_ feature(at[static_cast<std::size_t>(i)].feature);
      const py::object result = side_.call(method, {feature.ptr(), lq.get()});
      const std::array shape{Eigen::Index(3), n};
      if (result.is_none())
        wrong("what {} returned has {}, shape (3, {}) is expected", side_.name_of(method),
              shape_text(result), n);
      side_.written(method, result, nullptr, Eigen::Map<Vector>(value + 3 * n * i, 3 * n), "J",
                    shape);
    }
    side_.returned(method, {{&lq, "q"}});
  } else {
    const py::tuple where = points_to_python(at);
    Loan lq(q.data(), q.size(), false), la(axes.data(), axes.size(), false);
    const std::array shape{count, Eigen::Index(3), n};
    side_.written(method, side_.call(method, {lq.get(), la.get(), where.ptr(), table.ptr()}),
                  table.ptr(), Eigen::Map<Vector>(value, table.size()), "J", shape);
    side_.returned(method, {{&lq, "q"}, {&la, "axes"}});
  }
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  const bool whole = n <= kFullRows || several > 1;
  const Eigen::Index width = whole ? n / several : 1;
  J.width = static_cast<int>(width);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double* const row = value + 3 * n * i;
    if (whole) {
      const Eigen::Index first = several > 1 ? width * at[static_cast<std::size_t>(i)].body : 0;
      for (Eigen::Index k = 0; k < 3 * n; ++k)
        if (row[k] != 0.0 && (k % n < first || k % n >= first + width))
          throw UsageError(side_.name_of(method) + ": a point of body " +
                           std::to_string(at[static_cast<std::size_t>(i)].body) +
                           " moves with velocity " + std::to_string(k % n) +
                           ", which does not belong to that body");
      J.column.push_back(static_cast<int>(first));
      for (int axis = 0; axis < 3; ++axis)
        J.value.insert(J.value.end(), row + axis * n + first, row + axis * n + first + width);
    } else {
      for (Eigen::Index j = 0; j < n; ++j) {
        if (row[j] == 0.0 && row[n + j] == 0.0 && row[2 * n + j] == 0.0) continue;
        J.column.push_back(static_cast<int>(j));
        for (int axis = 0; axis < 3; ++axis) J.value.push_back(row[axis * n + j]);
      }
    }
    J.offset.push_back(static_cast<int>(J.column.size()));
  }
}

void PythonBody::point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const {
  if (side_.overridden(kPointRows)) return rows(kPointRows, q, axes, at, J);
  if (side_.has(kPointJacobian)) return rows(kPointJacobian, q, axes, at, J);
  if (side_.has(kPoints) || side_.has(kPoint)) side_.missing(kPointRows, "(q, axes, at, J)");
  J.width = 1;
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  for (const PointRef& ref : at) {
    if (ref.feature < 0 || ref.feature >= velocities())
      no_such_point(side_, ref.feature, velocities());
    J.column.push_back(ref.feature);
    J.value.insert(J.value.end(), {0.0, 0.0, 1.0});
    J.offset.push_back(static_cast<int>(J.column.size()));
  }
}

void PythonBody::spin_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const {
  if (!side_.overridden(kSpinRows)) return Dynamics::spin_rows(q, axes, at, J);
  rows(kSpinRows, q, axes, at, J);
}

void PythonBody::frames(double t, View q, std::span<Pose> out) const {
  if (!side_.overridden(kFrames)) return Dynamics::frames(t, q, out);
  const Gil gil;
  const auto n = static_cast<py::ssize_t>(out.size());
  py::array_t<double> x({n, py::ssize_t(3)}), R({n, py::ssize_t(3), py::ssize_t(3)});
  mark(x.mutable_data(), x.size());
  mark(R.mutable_data(), R.size());
  const py::float_ time(t);
  Loan lq(q.data(), q.size(), false);
  side_.call(kFrames, {time.ptr(), lq.get(), x.ptr(), R.ptr()});
  side_.returned(kFrames, {{&lq, "q"}});
  const py::none nothing;
  side_.written(kFrames, nothing, nullptr, Eigen::Map<Vector>(x.mutable_data(), x.size()), "x");
  side_.written(kFrames, nothing, nullptr, Eigen::Map<Vector>(R.mutable_data(), R.size()), "R");
  for (py::ssize_t i = 0; i < n; ++i) {
    Pose& pose = out[static_cast<std::size_t>(i)];
    pose.x = Eigen::Map<const Vector3>(x.data() + 3 * i);
    pose.R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data() + 9 * i);
  }
}

void PythonBody::drift(int method, double t, View q, std::span<const PointRef> at, Out d) const {
  const Gil gil;
  d.setZero();
  const auto n = static_cast<Eigen::Index>(at.size());
  const py::float_ time(t);
  const py::tuple where = points_to_python(at);
  Loan lq(q.data(), q.size(), false), ld;
  ld.over(d.data(), n, 3, 3, 1, true);
  const std::array shape{n, Eigen::Index(3)};
  side_.written(method, side_.call(method, {time.ptr(), lq.get(), where.ptr(), ld.get()}), ld.get(),
                d, "d", shape);
  side_.returned(method, {{&lq, "q"}, {&ld, "d"}});
}
void PythonBody::spin_drift(double t, View q, std::span<const PointRef> at, Out d) const {
  if (!side_.overridden(kSpinDrift)) return Dynamics::spin_drift(t, q, at, d);
  drift(kSpinDrift, t, q, at, d);
}
void PythonBody::point_drift(double t, View q, std::span<const PointRef> at, Out d) const {
  if (!side_.overridden(kPointDrift)) return Dynamics::point_drift(t, q, at, d);
  drift(kPointDrift, t, q, at, d);
}

// S of the points at q = 0, where the rows are constant
std::unique_ptr<PointTable> PythonBody::table(std::span<const PointRef> at,
                                              std::span<const Vector3> direction) const {
  if (!has(traits(), Trait::fixed_points)) return nullptr;
  const Vector origin = Vector::Zero(positions());
  Vector x(3 * static_cast<Eigen::Index>(at.size())), rest(static_cast<Eigen::Index>(at.size()));
  points(0.0, origin, at, x);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    rest[k] = direction[i].dot(x.segment<3>(3 * k));
  }
  PointRows J;
  point_rows(origin, origin, at, J);
  return row_table(velocities(), J, direction, std::move(rest));
}

}  // namespace saltus::python
