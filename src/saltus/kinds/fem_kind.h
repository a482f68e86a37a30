// Bodies of kind fem: points of their meshes, or the places of `fem.modes.at` of a reduced body.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "saltus/kinds/modal_kind.h"

namespace saltus {

class FemKind final : public BuiltKind {
 public:
  /// mesh: also given if the body is a ReducedMesh, for its places. stops: null without
  /// `fem.stops`. pose: of the frame of the mesh in the reference. prescribed: degrees of freedom,
  /// in their order.
  FemKind(std::shared_ptr<const Fem> mesh, std::shared_ptr<const RedistributedMass> stops,
          const Pose& pose, std::vector<int> prescribed);
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override;
  std::vector<TouchPoint> points(const NamedBuilt& of, const PlaceSpec& at,
                                 const std::string& path) const override;
  std::vector<TouchPoint> all_points(const NamedBuilt& of, const std::string& path) const override;
  bool takes_places() const override { return true; }
  std::optional<HeldPoint> held(const PointRef& ref, const Vector3& normal) const override;
  int free_index(int dof) const override;
  /// The force along a direction on a node, or the sum over the nodes of a set.
  void set_reaction(const ProbeRequest& request, Probe& probe) const override;
  bool has_mesh() const override { return true; }
  void set_field(const ProbeRequest& request, Probe& probe) const override;
  double spin(const BuiltBody&, const BodySpec& spec, const GroupState&) const override;
  SurfaceLack surface_lack(const BodySpec& spec) const override;
  BodyStops stops(const BodySpec& spec, const std::string& path) const override;

 private:
  TouchPoint node_point(int node, const std::string& path) const;
  const std::vector<int>& node_set(const NamedBuilt& of, const std::string& set,
                                   const std::string& path) const;
  bool is_prescribed(int node, int axis) const;

  std::shared_ptr<const Fem> fem_;
  std::shared_ptr<const RedistributedMass> stopped_;
  Pose pose_;
  std::vector<int> prescribed_;
};

/// With `fem.modes.at`: a modal body whose points are those places.
class FemModesKind final : public ModalKind {
 public:
  /// places: in the frame of the mesh; along: x of each along `body` [m].
  FemModesKind(std::shared_ptr<const Modal> body, std::vector<Vector3> places,
               std::vector<double> along);
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override;
  bool takes_places() const override { return true; }
  std::shared_ptr<const PointTable> probe_table(const ProbeRequest& request) const override;
  SurfaceLack surface_lack(const BodySpec& spec) const override;

 private:
  std::vector<Vector3> places_;
  std::vector<double> along_;
};

/// path: "bodies[0]".
BuiltBody build_fem(const Scene& scene, const BodySpec& body, const std::string& path);

}  // namespace saltus
