// A body described by its modes:  mass_j (q_j'' + 2 sigma_j q_j' + omega_j^2 q_j) = load_j + r_j.
//
// Its points lie on a line in space and move along one direction, so that it can be in contact with
// any other kind of body:
//     X(x) = origin + x axis + u(x) direction,   u(x) = sum_j shape_j(x) q_j
#pragma once
#include <cstdint>
#include <memory>

#include "saltus/bodies/coordinate_point.h"
#include "saltus/bodies/mode_shapes.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

struct ModalPlacement {
  Vector3 origin = Vector3::Zero();      ///< position of x = 0 [m]
  Vector3 axis = Vector3::UnitX();       ///< unit
  Vector3 direction = Vector3::UnitZ();  ///< unit, direction of motion
};

class Modal final : public Dynamics {
 public:
  /// mass [kg], omega [rad/s], sigma [1/s], one per mode; load [N]: constant modal forces or empty;
  /// more_points: coordinates are the modes. Throws UsageError for sizes that differ, mass <= 0,
  /// negative or non-finite omega or sigma.
  Modal(Vector mass, Vector omega, Vector sigma, std::shared_ptr<const ModeShapes> shapes,
        ModalPlacement placement = {}, Vector load = {},
        std::vector<CoordinatePoint> more_points = {});

  int positions() const override { return static_cast<int>(data_.mass.size()); }
  int velocities() const override { return positions(); }
  unsigned traits() const override;

  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;

  /// PointRef::feature 0: local.x() is the position x along the body [m]; 1 + i: point i of
  /// `more_points`.
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;
  /// Like table() for one point along the direction of the body, without the modes above max_omega.
  std::unique_ptr<PointTable> probe(double x, double max_omega) const;

  std::span<const Source> sources() const override { return sources_; }
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;
  const ModalData* modal() const override { return &data_; }

  bool has_shapes() const { return shapes_ != nullptr; }
  const ModeShapes& shapes() const { return *shapes_; }
  const ModalPlacement& placement() const { return placement_; }

 private:
  /// The coordinate point of `at`, or null if it is a point along the body.
  const CoordinatePoint* coordinate_point(const PointRef& at) const {
    if (at.feature == 0) return nullptr;
    expects(at.feature > 0 && at.feature <= static_cast<int>(more_points_.size()),
            "this modal body has no such point");
    return &more_points_[static_cast<std::size_t>(at.feature - 1)];
  }
  std::unique_ptr<PointTable> coordinate_table(std::span<const PointRef> at,
                                               std::span<const Vector3> direction) const;
  /// All shapes at x [m], cached per thread for the last eight positions.
  Eigen::Map<const Vector> shape(double x) const;

  ModalData data_;
  Vector stiffness_, damping_, load_;  ///< mass omega^2 [N/m], 2 mass sigma [N s/m], [N]
  /// True if damping_ is not all 0, which costs two more streams of memory.
  bool damped_ = false;
  std::shared_ptr<const ModeShapes> shapes_;
  ModalPlacement placement_;
  std::vector<CoordinatePoint> more_points_;
  std::vector<Source> sources_;
  std::uint64_t serial_;  ///< unique among all bodies ever created
};

}  // namespace saltus
