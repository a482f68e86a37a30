// Data of JointSystem: members, the sides of joints on them, and the positions of their rows in G.
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "saltus/contact/joint_bias.h"
#include "saltus/contact/joint_matrix.h"
#include "saltus/contact/joint_system.h"

namespace saltus {

/// The columns of rows, and a copy to detect changes.
struct KnownRows {
  PointRows rows;
  int width = -1;
  std::vector<int> offset, column;

  bool changed() {
    if (width == rows.width && offset == rows.offset && column == rows.column) return false;
    width = rows.width;
    offset = rows.offset;
    column = rows.column;
    return true;
  }
};

struct JointSystem::Structure {
  struct Member {
    JointMember of;
    bool frames = false;
    std::vector<Pose> pose;
    Vector x;  ///< positions of the joints' own points, if there are no frames
    /// Own points, points that rows use, bodies with rotation rows.
    std::vector<PointRef> own, point_at, spin_at;
    KnownRows J, Js;
    Vector spin;                     ///< angular velocities of spin_at, in angle_rates()
    PointRows spin_J;                ///< work space of angle_rates()
    Vector drift[2], spin_drift[2];  ///< at t0 and t1
    bool drifts = false;
    std::vector<JointMotion> motion;  ///< motion of the own points, for bias()
    Vector d, d_spin;
  };
  struct Side {
    int member = -1;  ///< -1: the world
    int point = -1;   ///< index in own and point_at
    int spin = -1;    ///< index in spin_at
    PointRef ref;
    Matrix3 axes;
  };
  struct Frames {
    JointFrame a, b;
  };
  struct Held {
    JointKind kind;
    double length;
    int given;            ///< index in the constructor's span
    int node = -1;        ///< node of the matrix, -1: no rows
    bool across = false;  ///< it has two rows across the direction of its link
    Side side[2];         ///< a, b
  };
  struct Coupled {
    JointCoupling given;
    std::vector<int> joint;  ///< index in held of each term
    double turn = 0.0;       ///< 2 pi w; 0: no angles, < 0: only rates are constrained
    int node = -1;
  };
  /// Entries of one PointRows that a side of a joint contributes to a node.
  struct Write {
    int member, side;
    bool spin, add;
    int entry;  ///< index in the rows of the member
    JointMatrix::Place to;
  };
  /// Contribution of a joint to a node: its own rows, or one of its coordinates.
  struct Part {
    int node, joint;
    int coordinate;  ///< -1: its own rows
    double weight;
    std::size_t end;  ///< end of its writes, which start at the end of the previous part
  };

  std::span<const Joint> joints;  ///< the constructor's span, valid during construction
  std::vector<Member> members;
  std::vector<Held> held;
  std::vector<int> held_of;  ///< for each joint of the span, -1: left out
  std::vector<Coupled> coupled;
  std::vector<Frames> at_rows, now;  ///< at the last make_rows(); work space

  JointMatrix matrix;
  std::vector<int> size;  ///< of each node: rows
  std::vector<char> turns;
  std::vector<std::array<int, 2>> rows_of_joint;  ///< first, number
  std::vector<std::string> name;                  ///< name of each node
  std::vector<int> node_of_row;
  int rows = 0;
  double longest_arm = 0.0;  ///< largest coordinate of a joint's point in the frame of its body [m]
  std::vector<Part> parts;
  std::vector<Write> writes;
  std::vector<char> moved;  ///< result of moved()
  bool arranged = false;
  bool sparse_blocks = false;  ///< some writes fill only part of a block
  Vector drift0, drift1;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static Eigen::Index three(int point) { return 3 * static_cast<Eigen::Index>(point); }

  void hold(int index, std::span<const int> member_of_group, bool across);
  static void rows_of(const Held& joint, const Frames& f, JointRows& rows);
  Side side(const Joint& joint, const JointSide& given, std::span<const int> member_of_group);
  void couple(const JointCoupling& coupling);
  void add_node(int rows_, const std::string& name_);

  void place(Member& m, double t, View q);
  void place(double t, const Configuration& q, std::vector<Frames>& to);
  void frame(const Side& s, JointFrame& of) const;
  void measure_spins(Member& m, double t, View q, View v);
  void aim(const Side& s, const Vector3& x);
  void make_rows(double t0, double t1, const Configuration& q, const Configuration& axes);
  void arrange();
  void fill(double t0, double t1);
  double value(const Held& joint, int coordinate) const;
  double sum(const Coupled& c, const std::vector<Frames>& frames) const;
  double drift(const Side& s, const JointRow& row, int instant) const;
  void push(const Held& joint, const JointRow& row, double p, const UseImpulse& use) const;
  void move(double t, const Difference& rate, View q, View v, Member& m);
  const JointMotion& motion(const Side& s) const;
};

}  // namespace saltus
