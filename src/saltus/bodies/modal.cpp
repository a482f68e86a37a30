#include "saltus/bodies/modal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/bodies/shape_table.h"

namespace saltus {

Modal::Modal(Vector mass, Vector omega, Vector sigma, std::shared_ptr<const ModeShapes> shapes,
             ModalPlacement placement, Vector load, std::vector<CoordinatePoint> more_points)
    : data_{std::move(mass), std::move(omega), std::move(sigma)},
      load_(std::move(load)),
      shapes_(std::move(shapes)),
      placement_(std::move(placement)),
      more_points_(std::move(more_points)) {
  static std::atomic<std::uint64_t> bodies{0};
  serial_ = ++bodies;
  const Eigen::Index n = data_.mass.size();
  expects(n > 0 && data_.omega.size() == n && data_.sigma.size() == n,
          "give one mass, omega and sigma per mode");
  expects(load_.size() == 0 || load_.size() == n, "give one load per mode, or none");
  expects(!shapes_ || shapes_->modes() == n, "the number of shapes must equal the number of modes");
  expect_points(more_points_, static_cast<int>(n));
  expects((data_.mass.array() > 0.0).all() && data_.mass.allFinite(),
          "masses must be positive and finite");
  expects((data_.omega.array() >= 0.0).all() && data_.omega.allFinite(),
          "omega must be >= 0 and finite");
  expects((data_.sigma.array() >= 0.0).all() && data_.sigma.allFinite(),
          "sigma must be >= 0 and finite");
  stiffness_ = data_.mass.array() * data_.omega.array().square();
  damping_ = 2.0 * data_.mass.array() * data_.sigma.array();
  damped_ = !damping_.isZero(0.0);
  sources_ = {{"elastic", true}, {"damping", false}};
  data_.damping = 1;
  if (load_.size() > 0) {
    sources_.push_back({"load", false});
    data_.load = 2;
  }
}

unsigned Modal::traits() const {
  const unsigned traits = Trait::tangents | Trait::affine | Trait::modal | Trait::symmetric |
                          Trait::fixed_points | Trait::second_order | Trait::constant_mass |
                          Trait::potential;
  return damped_ ? traits : traits | Trait::separable;
}

// F = -K q - C v + load
void Modal::force(double, View q, View v, Out f) const {
  if (damped_)
    f.array() = -(stiffness_.array() * q.array()) - damping_.array() * v.array();
  else
    f.array() = -(stiffness_.array() * q.array());
  if (load_.size() > 0) f += load_;
}

void Modal::potential_force(double, View q, Out f) const {
  f.array() = -(stiffness_.array() * q.array());
}

void Modal::multiply(Combination s, double, View, View, View x, Out y) const {
  y.array() =
      (s.m * data_.mass.array() + s.c * damping_.array() + s.k * stiffness_.array()) * x.array();
}

void Modal::factorise(Combination s, double, View, View, Factor& A) const {
  if (!std::holds_alternative<Diagonal>(A.form)) A.form = Diagonal{};
  std::get<Diagonal>(A.form).inverse =
      (s.m * data_.mass.array() + s.c * damping_.array() + s.k * stiffness_.array()).inverse();
}

// Cached, because a hammer or a bow does not change its position along the body: computing the
// sines took half the time of each of its steps.
Eigen::Map<const Vector> Modal::shape(double x) const {
  struct Kept {
    std::uint64_t body = 0, place = 0;
    std::vector<double> shape;
  };
  static thread_local std::array<Kept, 8> all;  // each stores its body
  static thread_local std::size_t next = 0;     // entry to replace next
  const auto place = std::bit_cast<std::uint64_t>(x);
  const auto n = static_cast<std::size_t>(positions());
  auto kept = std::ranges::find_if(
      all, [&](const Kept& k) { return k.body == serial_ && k.place == place; });
  if (kept == all.end()) {
    kept = all.begin() + static_cast<std::ptrdiff_t>(next);
    next = (next + 1) % all.size();
    kept->body = 0;  // until the shape is computed: a table throws if it has no such point
    kept->shape.resize(n);
    shapes_->row(x, Eigen::Map<Vector>(kept->shape.data(), positions()));
    kept->body = serial_;
    kept->place = place;
  }
  return {kept->shape.data(), positions()};
}

void Modal::points(double, View q, std::span<const PointRef> at, Out x) const {
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (const CoordinatePoint* own = coordinate_point(at[i])) {
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) = own->at([&](int mode) { return q[mode]; });
      continue;
    }
    const double place = at[i].local.x();
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) =
        placement_.origin + place * placement_.axis + shape(place).dot(q) * placement_.direction;
  }
}

// x' = direction shape(x)^T v: one block of all columns per point
void Modal::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  const auto n = static_cast<std::size_t>(positions());
  J.width = positions();
  J.offset.assign(1, 0);
  J.column.assign(at.size(), 0);
  J.value.resize(3 * n * at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> block(&J.value[3 * n * i],
                                                                                3, positions());
    if (const CoordinatePoint* own = coordinate_point(at[i])) {
      block.setZero();
      for (const CoordinatePoint::Term& term : own->terms) block.col(term.dof) += term.direction;
    } else {
      block = placement_.direction * shape(at[i].local.x()).transpose();
    }
    J.offset.push_back(static_cast<int>(i) + 1);
  }
}

std::unique_ptr<PointTable> Modal::table(std::span<const PointRef> at,
                                         std::span<const Vector3> direction) const {
  if (std::ranges::any_of(at, [](const PointRef& ref) { return ref.feature != 0; }))
    return coordinate_table(at, direction);
  expects(shapes_ != nullptr, "a modal body with points needs mode shapes");
  std::vector<double> x(at.size()), along(at.size());
  Vector rest(static_cast<Eigen::Index>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i) {
    x[i] = at[i].local.x();
    along[i] = direction[i].dot(placement_.direction);
    rest[static_cast<Eigen::Index>(i)] =
        direction[i].dot(placement_.origin + x[i] * placement_.axis);
  }
  return shape_table(*shapes_, x, along, std::move(rest));
}

// Rows of any kind, stored dense: the fast transform supports only positions along the body.
std::unique_ptr<PointTable> Modal::coordinate_table(std::span<const PointRef> at,
                                                    std::span<const Vector3> direction) const {
  const auto rows = static_cast<Eigen::Index>(at.size());
  Vector x(3 * rows), rest(rows);
  const Vector q = Vector::Zero(positions());
  points(0.0, q, at, x);
  PointRows J;
  point_rows(q, q, at, J);
  Matrix S(rows, positions());
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Vector3& n = direction[static_cast<std::size_t>(i)];
    const Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> block(
        &J.value[static_cast<std::size_t>(3 * positions() * i)], 3, positions());
    S.row(i) = n.transpose() * block;
    rest[i] = n.dot(x.segment<3>(3 * i));
  }
  return dense_table(S, std::move(rest));
}

std::unique_ptr<PointTable> Modal::probe(double x, double max_omega) const {
  Vector shape(positions());
  shapes_->row(x, shape);
  for (int j = 0; j < positions(); ++j)
    if (data_.omega[j] > max_omega) shape[j] = 0.0;
  return dense_table(shape.transpose(), Vector::Zero(1));
}

Energy Modal::energy(double, View q, View v) const {
  return {0.5 * (data_.mass.array() * v.array().square()).sum(),
          0.5 * (stiffness_.array() * q.array().square()).sum()};
}

void Modal::power(double, std::optional<double>, View q, View v, View w,
                  std::span<double> by_source) const {
  by_source[0] = -(stiffness_.array() * q.array() * w.array()).sum();
  by_source[1] = -(damping_.array() * v.array() * w.array()).sum();
  if (load_.size() > 0) by_source[2] = load_.dot(w);
}

}  // namespace saltus
