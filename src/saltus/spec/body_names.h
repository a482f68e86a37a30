// Bodies by the names that contacts, joints, outputs and `ignore` use: "block", or "block.3" of a
// body with copies; joints and their coordinates by those that couplings and outputs use: "elbow",
// "bearing.slide".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/spec/spec.h"

namespace saltus {

/// An entry of `bodies`, and which of its copies.
struct NamedBody {
  std::size_t entry = 0;
  int copy = 0;  ///< -1: the name is that of all copies together
};

/// How many bodies an entry stands for; 0: a file of copies gives it.
int copies_of(const BodySpec& body);
/// "block", "block.3".
std::string copy_name(const BodySpec& body, int copy);

/// The body of this name. Of copies that a file gives, any number is found here.
std::optional<NamedBody> find_body(const SceneSpec& scene, std::string_view name);

/// A coordinate of an entry of `joints`.
struct NamedCoordinate {
  std::size_t joint = 0;
  int coordinate = 0;  ///< -1: the name is that of a joint with none or several
};
/// The joint of this name.
std::optional<std::size_t> find_joint(const SceneSpec& scene, std::string_view name);
/// A joint by its name, or one of its coordinates.
std::optional<NamedCoordinate> find_coordinate(const SceneSpec& scene, std::string_view name);
/// What is wrong with a name that one coordinate must have. key: of the entry.
std::optional<Fault> one_coordinate_fault(const SceneSpec& scene, const std::string& name,
                                          const std::string& key);

/// What is wrong with a name that one body must have: "there is no body 'x'", or it has copies.
/// key: of the entry.
std::optional<Fault> one_body_fault(const SceneSpec& scene, const std::string& name,
                                    const std::string& key);

}  // namespace saltus
