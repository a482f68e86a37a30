// Interface of built bodies for contacts, joints, outputs and warnings of a scene: one class for
// each kind of body.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/fem/redistributed_mass.h"
#include "saltus/model/model.h"
#include "saltus/spec/body_names.h"
#include "saltus/spec/scene.h"

namespace saltus {

struct BuiltBody;
struct ProbeRequest;

/// A point of a body that contacts, joints or outputs use.
struct TouchPoint {
  PointRef ref;
  std::string name;  ///< for messages: "degree of freedom 3", "bob", "x = 0.3 m", "[0, 0, 0.1]"
  std::string path;  ///< of the entry that names the point
};

/// A body named by a contact, joint or output: a single body, or one of several copies.
struct NamedBuilt {
  const BuiltBody& built;
  const BodySpec& body;
  int copy = 0;
  std::string name;  ///< as written in the scene
};

/// Why a contact cannot move a point along a direction.
struct HeldPoint {
  std::string_view how;     ///< "prescribed"
  std::string_view remedy;  ///< hint of the fault
};

/// What it means that a body has no surface in a scene with laws between surfaces.
struct SurfaceLack {
  bool by_choice = false;       ///< its own entries switch the surface off
  bool solid = false;           ///< it occupies space that other bodies would pass through
  bool joint_suffices = false;  ///< acceptable if a joint holds the body, as a weight
  std::string_view why = "";    ///< appended to the name of the kind in messages
};

/// Planes that stop nodes of a body.
struct BodyStops {
  std::vector<NodeStop> stop;
  std::vector<std::string> path;  ///< path of each stop
  double size = 0.0;              ///< size of the body [m]
};

/// Immutable. A kind overrides what differs from a body with named points that move in space. `of`
/// is the body to which the object belongs; faults are thrown as SceneError at `path`, the entry
/// that names the point.
class BuiltKind {
 public:
  virtual ~BuiltKind() = default;

  // -- points
  /// The one point that `at` names.
  virtual TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                           const std::string& path) const = 0;
  /// The points that one entry of a list names: several if it names a set.
  virtual std::vector<TouchPoint> points(const NamedBuilt& of, const PlaceSpec& at,
                                         const std::string& path) const {
    return {point(of, at, path)};
  }
  /// The points of a contact without `at`. path: of the contact.
  virtual std::vector<TouchPoint> all_points(const NamedBuilt& of,
                                             const std::string& path) const = 0;
  /// `at` may be [x, y, z] in the frame of the body.
  virtual bool takes_places() const { return false; }
  /// Points have names rather than numbers.
  virtual bool names_points() const { return false; }
  /// Its modes with the places along it [m]; null: the body has no such places.
  virtual const Modal* along() const { return nullptr; }
  /// Position and direction of each degree of freedom; empty if not defined.
  virtual std::span<const DofPoint> dof_points() const { return {}; }
  /// Why no contact along `normal` can move the point; nothing if a contact can move it.
  virtual std::optional<HeldPoint> held(const PointRef&, const Vector3& /*normal*/) const {
    return std::nullopt;
  }
  /// Largest |dx/dq| of its places, as a scale for round-off; 0: none.
  virtual double largest_motion() const { return 0.0; }

  // -- coordinates
  /// Component of q of a degree of freedom, -1: its motion is prescribed.
  virtual int free_index(int dof) const { return dof; }
  /// Appended to the message that a scheme needs the traits `lacks`, which the body does not have.
  virtual std::string_view why_lacks(unsigned /*lacks*/) const { return ""; }

  // -- joints
  /// The body has axes that rotate with it, so that a joint can constrain directions.
  virtual bool has_axes() const { return false; }
  /// The frame of its places in space, for fixed bodies with axes.
  virtual Pose fixed_frame(const Scene& scene, const NamedBody& body,
                           const std::string& path) const;

  // -- outputs
  /// Row over all coordinates that a probe of velocity or displacement evaluates; null: the probe
  /// uses a point and a direction.
  virtual std::shared_ptr<const PointTable> probe_table(const ProbeRequest&) const {
    return nullptr;
  }
  /// Defines which reactions a probe sums.
  virtual void set_reaction(const ProbeRequest& request, Probe& probe) const;
  /// Defines the function of a probe of stress or strain, for kinds that have them.
  virtual void set_field(const ProbeRequest& request, Probe& probe) const;
  /// Fields of a mesh can be stored: stress, strain, resultants.
  virtual bool has_mesh() const { return false; }

  // -- the start, surfaces
  /// Largest angular velocity of its bodies at t = 0 [rad/s]; initial: state of its group.
  virtual double spin(const BuiltBody&, const BodySpec&, const GroupState& /*initial*/) const {
    return 0.0;
  }
  virtual SurfaceLack surface_lack(const BodySpec&) const { return {}; }
  /// path: "bodies[0]".
  virtual BodyStops stops(const BodySpec&, const std::string& /*path*/) const { return {}; }
};

}  // namespace saltus
