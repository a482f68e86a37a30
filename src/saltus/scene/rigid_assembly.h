// All rigid bodies of a scene: sorts them into groups with equal integration, and their shapes into
// Surfaces.
#pragma once
#include <string>
#include <vector>

#include "saltus/kinds/build_body.h"
#include "saltus/kinds/build_rigid.h"
#include "saltus/scene/surface_table.h"

namespace saltus {

/// Receives the entries of kind rigid one by one, in the order of the scene. Bodies with equal
/// scheme, gravity and drag form one group, with one name each; those with `motion` form one of
/// kind moving; fixed ones belong to the world.
class RigidAssembly final : public SharedGroups {
 public:
  RigidAssembly(const Scene& scene, ModelParts& parts) : scene_(scene), parts_(parts) {}

  void add(std::size_t entry, BuiltBody& built) override;
  /// Builds the groups when all their bodies are known, and sets the dynamics of the entries of
  /// `bodies` that belong to a group.
  void finish_groups(std::vector<BuiltBody>& bodies);
  /// Adds the shapes and their materials.
  void add_surfaces(SurfaceTable& table);
  /// Sets Surfaces::excluded. Requires the boundary surfaces.
  void find_excluded();
  /// Sets Surfaces::plane. Arguments: whether bodies of other kinds that can be in contact move in
  /// space, or in the x-y plane.
  void find_plane(bool others_in_space, bool others_in_xy);
  /// Checks that every running surface drives something by friction. Requires laws and plane.
  void expect_running() const;
  /// Warns of bodies that overlap at the start.
  void warn_of_overlaps();
  /// True if most bodies, and more than kHeap, move by forces, are in no joint, and do not rest on
  /// faces at the start as the stones of a wall do.
  bool is_heap() const;
  std::vector<Pose> starts() const;  ///< poses of Surfaces::frames at t = 0
  /// The body of a collider.
  const RigidPart& owner(std::size_t collider) const {
    return all_[collider_member_[collider]].part;
  }

 private:
  struct GroupDraft {
    int group = 0;
    bool led = false;  ///< with prescribed `motion`
    SchemeChoice scheme;
    Vector3 gravity = Vector3::Zero();
    bool own_gravity = false;  ///< gravity in time of the scene does not act on it
    double drag = 0.0, spin_drag = 0.0;
    std::vector<std::size_t> members;  ///< indices into all_
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
  int colour_of(const Member& member) const;  ///< 0xrrggbb, -1: none
  bool moves_by_forces(const Member& member) const;
  std::vector<std::size_t> welded() const;
  std::vector<char> on_faces() const;  ///< one per entry of all_
  std::vector<int> named_surfaces(const std::string& name, const std::string& path) const;

  const Scene& scene_;
  ModelParts& parts_;
  std::vector<Member> all_;
  std::vector<GroupDraft> drafts_;
  std::vector<std::size_t> collider_member_;  ///< indices into all_
  std::vector<std::string> collider_path_;    ///< path of its shape
};

}  // namespace saltus
