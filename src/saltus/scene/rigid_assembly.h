// All rigid bodies of a scene: into groups of bodies that are moved alike, and their shapes into
// Surfaces.
#pragma once
#include <string>
#include <vector>

#include "saltus/kinds/build_body.h"
#include "saltus/kinds/build_rigid.h"
#include "saltus/scene/surface_table.h"

namespace saltus {

/// Takes the entries of kind rigid one by one, in the order of the scene. Bodies of one scheme,
/// gravity and drag make one group, with one name each; those with `motion` make one of kind
/// moving; fixed ones belong to the world.
class RigidAssembly final : public SharedGroups {
 public:
  RigidAssembly(const Scene& scene, ModelParts& parts) : scene_(scene), parts_(parts) {}

  void add(std::size_t entry, BuiltBody& built) override;
  /// Makes the groups whose bodies are all known. Those of `bodies` that belong to one get its
  /// dynamics.
  void finish_groups(std::vector<BuiltBody>& bodies);
  /// Shapes and their materials.
  void add_surfaces(SurfaceTable& table);
  /// Surfaces::excluded. Boundary surfaces are known.
  void find_excluded();
  /// Surfaces::plane. Whether bodies of other kinds that touch move in space, or in the plane of x
  /// and y.
  void find_plane(bool others_in_space, bool others_in_xy);
  /// Surfaces that run drag at something. Laws and the plane are known.
  void expect_running() const;
  /// Warns of bodies that start inside each other.
  void warn_of_overlaps();
  /// Whether most bodies, and more than kHeap, move by forces, are held by no joint, and do not
  /// rest on faces at the start, as the stones of a wall do.
  bool is_heap() const;
  std::vector<Pose> starts() const;  ///< poses of Surfaces::frames at t = 0
  /// The body of a collider.
  const RigidPart& owner(std::size_t collider) const {
    return all_[collider_member_[collider]].part;
  }

 private:
  struct GroupDraft {
    int group = 0;
    bool led = false;  ///< by `motion`
    SchemeChoice scheme;
    Vector3 gravity = Vector3::Zero();
    double drag = 0.0, spin_drag = 0.0;
    std::vector<std::size_t> members;  ///< of all_
  };
  struct Member {
    RigidPart part;
    std::size_t entry = 0;
    int draft = -1, body = 0;  ///< -1: the world
    int frame = -1;
  };

  int draft_of(const BodySpec& body, const std::string& path);
  void make_rigid(const GroupDraft& draft);
  void make_moving(const GroupDraft& draft);
  int add_running(const Member& member, const PlacedShape& shape);
  bool moves_by_forces(const Member& member) const;
  std::vector<char> on_faces() const;  ///< of all_
  std::vector<int> named_surfaces(const std::string& name, const std::string& path) const;

  const Scene& scene_;
  ModelParts& parts_;
  std::vector<Member> all_;
  std::vector<GroupDraft> drafts_;
  std::vector<std::size_t> collider_member_;  ///< of all_
  std::vector<std::string> collider_path_;    ///< the entry of its shape
};

}  // namespace saltus
