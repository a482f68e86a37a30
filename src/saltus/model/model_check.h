// Checks that the parts of a model fit together: schemes and traits of groups, laws, schemes and
// solver, surfaces.
#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"

namespace saltus {

class ModelCheck {
 public:
  /// parts: must have a solver and checked joints; islands: that of each group.
  ModelCheck(const ModelParts& parts, std::span<const int> islands)
      : parts_(parts), islands_(islands) {}
  /// Returns warnings about valid but doubtful input, one line each. Throws SceneError that names
  /// the entry, UsageError if parts are missing.
  std::vector<std::string> run();

 private:
  using Sides = std::vector<const Group*>;  ///< the groups between which a law acts: one or two

  void check_options() const;
  void check_group(std::size_t g) const;
  void check_pair(const ContactPair& pair);
  void check_joint_laws();
  void check_surfaces() const;
  void find_surface_groups();
  void check_boundary(const Surfaces::DeformingBoundary& boundary) const;
  void check_corrections() const;
  void check_surface_law(int index);
  void check_axis(int index, const std::string& path) const;

  /// Checks a law between groups; friction: its contacts have tangents.
  void check_law(int index, bool friction, const Sides& sides);
  /// Checks that both sides solve the same contact problems in a step.
  void check_stages(const std::string& path, const Sides& sides) const;
  /// Checks that law and solver suit a group and its scheme.
  void check_side(const ContactLaw& law, const std::string& path, const Group& side) const;
  /// Warns if the velocities of the two sides belong to different instants of the step.
  void warn_of_instants(const std::string& path, const Sides& sides);
  /// Laws that act at any gap or along the surface need schemes that do not correct positions.
  void check_creep(const std::string& path, const Sides& sides) const;
  /// A compliant law needs schemes whose positions depend on its force in the step.
  void check_spring(const std::string& path, const Sides& sides);

  bool steps() const { return parts_.options.mode == TimeMode::stepping; }
  const ContactLaw& law(int i) const { return *parts_.laws[static_cast<std::size_t>(i)]; }
  std::string law_path(int law) const;

  const ModelParts& parts_;
  std::span<const int> islands_;
  std::set<int> surface_laws_;    ///< laws between surfaces
  std::set<int> surface_groups_;  ///< groups with surfaces that forces can move
  std::set<std::string> told_;    ///< laws for which a warning exists
  std::vector<std::string> warnings_;
};

}  // namespace saltus
