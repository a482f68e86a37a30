// Materials of all that touches, and the laws of `surfaces` between them: shapes of rigid bodies
// and boundary surfaces of deformable ones alike.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/spec/scene.h"

namespace saltus {

class SurfaceTable {
 public:
  SurfaceTable(const Scene& scene, ModelParts& parts) : scene_(scene), parts_(parts) {}

  /// Something that may touch.
  struct Holder {
    int body = 0;  ///< any number of its own
    std::string name;
    bool free = false;  ///< it moves by forces
    bool self = false;  ///< it may touch itself
  };
  /// Index of its material, a new one where none of this name was held yet.
  int hold(const std::string& material, const Holder& holder);
  /// A scheme that moves bodies by forces.
  void moved_by(const SchemeChoice& scheme);
  /// A body of least extent `thickness` [m] that moves.
  void moves(double thickness);

  /// Surfaces::materials, law and the laws of the scene. The first entry that fits a pair counts.
  void find_laws();
  /// Surfaces::margin.
  void find_margin();
  /// Warns once of two materials between which contacts are possible and no law acts.
  void warn_of_lawless();

 private:
  const Scene& scene_;
  ModelParts& parts_;
  std::vector<std::string> materials_;
  /// The first two bodies of a material, and the first two of them that move by forces: enough to
  /// find two that may be in contact.
  struct Holders {
    std::vector<Holder> free, any;
  };
  std::vector<Holders> holders_;
  std::vector<bool> apart_;  ///< of two materials, as Surfaces::law: they are said not to touch
  std::vector<SchemeChoice> schemes_;
  double least_ = 0.0;  ///< thickness [m], 0: nothing moves
};

/// Bodies of a scene from which they are a heap, if the scene is one.
inline constexpr int kHeap = 50;
/// Bodies that deform and touch, from which their contacts are solved as those of a heap.
inline constexpr std::size_t kSoftBodies = 20;
/// Fraction of the size of a shape: of the smallest one for the margin, of the smaller of two for a
/// depth that gives a warning.
inline constexpr double kSmallShare = 0.01;
/// The same for the margin of event-driven integration.
inline constexpr double kEventShare = 0.25;

}  // namespace saltus
