// Pieces of URDF files for the tests of their import.
#pragma once
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/import/urdf.h"
#include "saltus/import/urdf_tree.h"

namespace urdf_test {

/// A robot whose contents begin in line 2.
inline std::string robot(const std::string& contents) {
  return "<robot name=\"r\">\n" + contents + "</robot>\n";
}
/// One line: a link of 2 kg with an inertia that some mass has, and what else is given.
inline std::string part(const std::string& name, const std::string& more = "") {
  return "<link name=\"" + name +
         "\"><inertial><mass value=\"2\"/><inertia ixx=\"0.02\" ixy=\"0\" ixz=\"0\" iyy=\"0.03\" "
         "iyz=\"0\" izz=\"0.04\"/></inertial>" +
         more + "</link>\n";
}
/// One line: a link without mass.
inline std::string frame(const std::string& name, const std::string& more = "") {
  return "<link name=\"" + name + "\">" + more + "</link>\n";
}
/// One line.
inline std::string joint(const std::string& name, const std::string& type,
                         const std::string& parent, const std::string& child,
                         const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + more + "</joint>\n";
}
inline const std::string kLimit = "<limit lower=\"-1\" upper=\"1\" effort=\"5\" velocity=\"2\"/>";
inline const std::string kBox =
    "<collision><geometry><box size=\"0.2 0.3 0.4\"/></geometry></collision>";

inline saltus::UrdfScene scene_of(const std::string& contents,
                                  const saltus::UrdfOptions& options = {}) {
  return saltus::urdf_scene(saltus::read_urdf_text(robot(contents), "r.urdf"), options);
}

inline bool any_holds(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace urdf_test
