// The kinds of bodies that a scene can hold: what `describe` says of each, and what builds a body
// of it.
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

/// Bodies of a kind whose traits differ from those of others of the kind.
struct KindCase {
  std::string_view what;  ///< "with a stiffness that is not symmetric"
  unsigned traits;
};

/// Groups that entries of a scene share: bodies that are moved alike.
class SharedGroups {
 public:
  virtual ~SharedGroups() = default;
  /// Takes the bodies of an entry of `bodies`, and sets group, first, origins and own_group of
  /// `built`, which gets its dynamics when all entries are known.
  virtual void add(std::size_t entry, BuiltBody& built) = 0;
};

/// An entry of `bodies` that is to be built.
struct BodyEntry {
  const Scene& scene;
  const BodySpec& body;
  std::size_t index;
  std::string path;     ///< "bodies[0]"
  SharedGroups& rigid;  ///< of rigid bodies
};

struct KindRow {
  BodyKind kind;
  std::string_view name, summary, entries, points;  ///< entries: of the body, one of which it has
  std::vector<KindCase> cases;                      ///< the common one first; without damping
  BuiltBody (*build)(const BodyEntry&) = nullptr;
  std::string_view coordinates = {};  ///< "mode": what `row` of a contact counts; empty: it cannot
  std::string_view weight = {};  ///< where weight is given; empty: the gravity of the scene acts
  bool places = false;           ///< `at` takes [x, y, z] in the frame of the body
  bool copies = false;           ///< its entry has `copies`
};
/// One row a kind, in the order of BodyKind.
std::span<const KindRow> kinds();
const KindRow& kind_row(BodyKind kind);

/// Kinds that a scheme can move: "modal, linear; particles without springs".
std::string kinds_for(const Scheme& scheme);
/// "rigid, pseudo-rigid and fem".
std::string kinds_that(const std::function<bool(const KindRow&)>& has);

}  // namespace saltus
