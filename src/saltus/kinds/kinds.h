// The kinds of bodies: their descriptions for `describe`, and their builders.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/dynamics/scheme.h"
#include "saltus/spec/scene.h"

namespace saltus {

struct BuiltBody;

/// Bodies of a kind whose traits differ from other bodies of the same kind.
struct KindCase {
  std::string_view what;  ///< "with a stiffness that is not symmetric"
  unsigned traits;
};

/// Groups to which several entries of a scene contribute bodies: bodies integrated by the same
/// scheme.
class SharedGroups {
 public:
  virtual ~SharedGroups() = default;
  /// Adds the bodies of an entry of `bodies`, and sets group, first, origins and own_group of
  /// `built`, whose dynamics is set when all entries are known.
  virtual void add(std::size_t entry, BuiltBody& built) = 0;
};

/// An entry of `bodies` to be built.
struct BodyEntry {
  const Scene& scene;
  const BodySpec& body;
  std::size_t index;
  std::string path;     ///< "bodies[0]"
  SharedGroups& rigid;  ///< groups of rigid bodies
};

struct KindRow {
  BodyKind kind;
  /// entries: keys of the body entry, exactly one of which is given
  std::string_view name, summary, entries, points;
  std::vector<KindCase> cases;  ///< the usual case first; without damping
  BuiltBody (*build)(const BodyEntry&) = nullptr;
  /// "mode": what `row` of a contact refers to; empty: rows are not available
  std::string_view coordinates = {};
  std::string_view weight = {};  ///< where weight is given; empty: the gravity of the scene acts
  bool places = false;           ///< `at` accepts [x, y, z] in the frame of the body
  bool copies = false;           ///< its entry has `copies`
};
/// One row per kind, in the order of BodyKind.
std::span<const KindRow> kinds();
const KindRow& kind_row(BodyKind kind);

/// Kinds that a scheme can integrate: "modal, linear; particles without springs".
std::string kinds_for(const Scheme& scheme);
/// "rigid, pseudo-rigid and fem".
std::string kinds_that(const std::function<bool(const KindRow&)>& has);

}  // namespace saltus
