// How contacts between shapes move over a step: the point of contact along both surfaces, and its
// normal.
//
// The relative velocity of two bodies at their contact is that of different material points at
// different times of a step. With c the point of contact, n the normal and body s moving with
// (v_s, omega_s) about x_s,
//
//     w = (v_0 + omega_0 x (c - x_0)) - (v_1 + omega_1 x (c - x_1)),
//     carried = dw/dt = omega_0 x (c' - v_0) - omega_1 x (c' - v_1) + w x (n x n')          (1)
//
// at constant (v_s, omega_s), in axes that turn with n. c' and n' are differences of two
// detections, so any pair of shapes works without a formula for its curvature. For a ball on a
// plane (1) is 0; a rim that rolls has the centripetal acceleration of its point minus that which
// the travel of the contact along the rim takes away. Source: docs/theory/rolling.md.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "saltus/assembly/surface_frames.h"
#include "saltus/detection/detector.h"

namespace saltus {

/// The step in which contacts are followed.
struct SurfaceCourse {
  double t0 = 0.0, h = 0.0;                 ///< [s]
  double phi = 1.0;                         ///< contacts are detected at t0 + phi h
  SurfaceFrames::Configurations v, middle;  ///< of each member: at t0, and at t0 + h/2
  /// Step of the scene [s], which may consist of several: motion that does not matter in it is not
  /// followed.
  double interval = 0.0;
};

class SurfaceMotion {
 public:
  /// A contact in the middle of the step. place: of each side's point, at the time of detection.
  struct Carried {
    Vector3 normal = Vector3::UnitZ();
    std::array<Vector3, 2> local, place;  ///< in the frame of each side, and in space [m]
    Vector3 rate = Vector3::Zero();       ///< (1) [m/s^2]
  };

  explicit SurfaceMotion(SurfaceFrames& frames) : frames_(frames) {}

  /// Follows the contacts found at the configurations q, with the frames at `poses`.
  void follow(const SurfaceCourse& course, SurfaceFrames::Configurations q,
              std::span<const Pose> poses, std::span<const DetectedContact> found,
              Detector& detector);
  /// No step is being followed.
  void end() { active_ = false; }
  bool active() const { return active_; }
  /// Contact k of follow() with normal n, at x. Callable from any thread.
  Carried carried(std::size_t k, const std::array<int, 2>& frame, const Vector3& x,
                  const Vector3& n) const;
  /// The point of a contact: midway between the surfaces, but on the surface of the moving body if
  /// only one moves, so that a ball has the arm r.
  Vector3 place(const std::array<int, 2>& frame, const ContactPoint& point) const;
  /// The frame's pose in the middle of the step.
  const Pose& middle(int frame) const { return middle_[static_cast<std::size_t>(frame)]; }
  double middle_time() const { return course_.t0 + 0.5 * course_.h; }
  bool at_middle() const { return course_.phi == 0.5; }  ///< contacts are detected there

 private:
  struct Twist {
    Vector3 v = Vector3::Zero(), omega = Vector3::Zero();
  };
  bool still(const DetectedContact& contact, std::span<const Collider> colliders,
             double margin) const;
  double speed(const DetectedContact& contact, std::span<const Collider> colliders) const;

  SurfaceFrames& frames_;
  SurfaceCourse course_;
  bool active_ = false;
  double dt_ = 0.0;  ///< from the first to the second detection [s]
  std::span<const Pose> poses_;
  std::vector<Pose> ahead_, middle_;  ///< one per frame
  std::vector<Twist> twist_;          ///< one per frame
  std::vector<std::array<int, 2>> pairs_;
  std::vector<DetectedContact> moved_;  ///< of pairs_, by the second detection
  std::vector<int> moved_of_;           ///< of each contact: its index in moved_, or -1
};

}  // namespace saltus
