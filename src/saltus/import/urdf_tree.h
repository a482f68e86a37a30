// How the links of a URDF robot hang together, where they are at the start, and what is doubtful
// about them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "saltus/import/urdf_robot.h"
#include "saltus/shapes/shape.h"

namespace saltus {

/// Indices of links and joints in the order of the file.
struct UrdfTree {
  int root = 0;
  std::vector<int> order;   ///< links, each behind its parent
  std::vector<int> joint;   ///< of each link: the joint to its parent, -1 for the root
  std::vector<int> parent;  ///< link of each joint
  std::vector<int> child;   ///< link of each joint
  std::vector<int> leader;  ///< of each joint: the one that it mimics, -1: none
  std::vector<double>
      coordinate;  ///< of each joint at the start: 0, or the end of its range that is next to 0
  std::vector<Pose> pose;  ///< of each link at the start, the root at the origin
};
/// Throws SceneError for joints of links that are not there, links with two parents, several roots,
/// cycles, and mimics of what does not move. Adds warnings.
UrdfTree urdf_tree(const UrdfRobot& robot, std::vector<std::string>& warnings);

/// The file of a mesh: relative to the folder of the robot, `file://`, or `package://name/...`
/// below a folder `name` that holds the robot or lies beside it or beside one that holds it. Throws
/// SceneError naming the link.
std::filesystem::path urdf_mesh_file(const UrdfRobot& robot, const UrdfLink& link,
                                     const UrdfShape& shape);

/// The shape itself, in its own frame; a mesh is the hull of its vertices. Throws SceneError naming
/// the link.
Shape urdf_solid(const UrdfRobot& robot, const UrdfLink& link, const UrdfShape& shape);

/// Whether some distribution of mass has this inertia; throws SceneError naming the link.
void expect_physical(const UrdfRobot& robot, const UrdfLink& link);

/// What is doubtful about mass and inertia of a link, seen beside its shapes, which fill `box`
/// along the axes of the link.
void lint_inertia(const UrdfRobot& robot, const UrdfLink& link, const Bounds& box,
                  std::vector<std::string>& warnings);
/// What is doubtful about the limits of the joints.
void lint_limits(const UrdfRobot& robot, std::vector<std::string>& warnings);

}  // namespace saltus
