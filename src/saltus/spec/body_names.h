// Look-up by name: bodies as contacts, joints, outputs and `ignore` name them ("block", or
// "block.3" for one of several copies); joints and their coordinates as couplings and outputs name
// them ("elbow", "bearing.slide").
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/spec/spec.h"

namespace saltus {

/// An entry of `bodies` and the number of one of its copies.
struct NamedBody {
  std::size_t entry = 0;
  int copy = 0;  ///< -1: the name refers to all copies together
};

/// While it lives, the look-ups below in this scene and thread use a table of names instead of a
/// search, so that n of them cost n and not n^2. Bodies and joints of the scene and their names
/// must not change meanwhile.
class NameIndex {
 public:
  explicit NameIndex(const SceneSpec& scene);
  ~NameIndex();
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  /// The first entry of exactly this name, by the table of the scene if there is one.
  static std::optional<std::size_t> body(const SceneSpec& scene, std::string_view name);
  static std::optional<std::size_t> joint(const SceneSpec& scene, std::string_view name);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

/// Number of bodies that an entry creates; 0: a file of copies defines it.
int copies_of(const BodySpec& body);
/// "block", "block.3".
std::string copy_name(const BodySpec& body, int copy);

/// The body of this name. If the copies come from a file, any copy number is accepted here.
std::optional<NamedBody> find_body(const SceneSpec& scene, std::string_view name);

/// A coordinate of an entry of `joints`.
struct NamedCoordinate {
  std::size_t joint = 0;
  int coordinate = 0;  ///< -1: the name is that of a joint that has no coordinate or several
};
/// The joint of this name.
std::optional<std::size_t> find_joint(const SceneSpec& scene, std::string_view name);
/// A joint by its name, or one of its coordinates.
std::optional<NamedCoordinate> find_coordinate(const SceneSpec& scene, std::string_view name);
/// The fault of a name that must refer to exactly one coordinate. key: key of the entry.
std::optional<Fault> one_coordinate_fault(const SceneSpec& scene, const std::string& name,
                                          const std::string& key);

/// The fault of a name that must refer to exactly one body: "there is no body 'x'", or the body has
/// copies. key: key of the entry.
std::optional<Fault> one_body_fault(const SceneSpec& scene, const std::string& name,
                                    const std::string& key);

}  // namespace saltus
