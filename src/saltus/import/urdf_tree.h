// The tree of links of a URDF robot, their initial configuration, and warnings about doubtful
// values.
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
  std::vector<int> order;          ///< links, each after its parent
  std::vector<int> joint;          ///< of each link: the joint to its parent, -1 for the root
  std::vector<int> parent;         ///< link of each joint
  std::vector<int> child;          ///< link of each joint
  std::vector<int> leader;         ///< for each joint: the joint that it mimics, -1: none
  std::vector<double> coordinate;  ///< initial value for each joint: 0, or the limit closest to 0
  std::vector<Pose> pose;          ///< initial pose of each link, the root at the origin
};
/// Throws SceneError for joints of missing links, links with two parents, several roots, cycles,
/// and mimics of joints that do not move. Adds warnings.
UrdfTree urdf_tree(const UrdfRobot& robot, std::vector<std::string>& warnings);

/// The file of a mesh: relative to the folder of the robot, `file://`, or `package://name/...`:
/// below a folder `name` that contains the robot's file, or lies next to it or next to one of its
/// parent folders. Throws SceneError with the name of the link.
std::filesystem::path urdf_mesh_file(const UrdfRobot& robot, const UrdfLink& link,
                                     const UrdfShape& shape);

/// The shape in its own frame; a mesh becomes the hull of its vertices. Throws SceneError with the
/// name of the link.
Shape urdf_solid(const UrdfRobot& robot, const UrdfLink& link, const UrdfShape& shape);

/// Throws SceneError with the name of the link if no mass distribution has this inertia.
void expect_physical(const UrdfRobot& robot, const UrdfLink& link);

/// Warns about doubtful mass and inertia of a link compared with its shapes, whose bounding box
/// along the axes of the link is `box`.
void lint_inertia(const UrdfRobot& robot, const UrdfLink& link, const Bounds& box,
                  std::vector<std::string>& warnings);
/// Warns about doubtful limits of the joints.
void lint_limits(const UrdfRobot& robot, std::vector<std::string>& warnings);

}  // namespace saltus
