// Materials of all contact surfaces, and the laws of `surfaces` between them, for shapes of rigid
// bodies and boundary surfaces of deformable bodies.
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

  /// An object with a contact surface.
  struct Holder {
    int body = 0;  ///< any number that is unique to the body
    std::string name;
    bool free = false;  ///< it moves by forces
    bool self = false;  ///< contact with itself is detected
  };
  /// Index of its material; a new one if the name has not been used before.
  int hold(const std::string& material, const Holder& holder);
  /// Registers a scheme that moves bodies by forces.
  void moved_by(const SchemeChoice& scheme);
  /// Registers a moving body of smallest extent `thickness` [m].
  void moves(double thickness);

  /// Sets Surfaces::materials, law and the laws of the scene. The first entry that matches a pair
  /// applies.
  void find_laws();
  /// Sets Surfaces::margin.
  void find_margin();
  /// Warns once of two materials that can be in contact but have no law.
  void warn_of_lawless();

 private:
  const Scene& scene_;
  ModelParts& parts_;
  std::vector<std::string> materials_;
  /// The first two bodies of a material, and the first two of these that move by forces: enough to
  /// find a pair that can be in contact.
  struct Holders {
    std::vector<Holder> free, any;
  };
  std::vector<Holders> holders_;
  std::vector<bool> apart_;  ///< for two materials, indexed as Surfaces::law: `touches: false`
  std::vector<SchemeChoice> schemes_;
  double least_ = 0.0;  ///< thickness [m], 0: no body moves
};

/// Number of bodies above which a scene can count as a heap.
inline constexpr int kHeap = 50;
/// Number of deformable bodies in contact above which the contact tolerance is that of a heap.
inline constexpr std::size_t kSoftBodies = 20;
/// Fraction of the size of a shape: of the smallest one for the margin, of the smaller of two for
/// the overlap depth that gives a warning.
inline constexpr double kSmallShare = 0.01;
/// The corresponding fraction for the margin of event-driven integration.
inline constexpr double kEventShare = 0.25;

}  // namespace saltus
