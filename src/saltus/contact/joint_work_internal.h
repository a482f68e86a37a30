// What JointSystem keeps: members, the sides of joints on them, and where their rows go in G.
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

/// The columns of rows, and a copy to check whether they are still the same.
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
    Vector x;  ///< places of the joint's own points, where there are no frames
    std::vector<PointRef> own, point_at, spin_at;  ///< own points, those that rows mean, bodies
    KnownRows J, Js;
    Vector drift[2], spin_drift[2];  ///< at t0 and t1
    bool drifts = false;
    std::vector<JointMotion> motion;  ///< of the own points, for bias()
    Vector d, d_spin;
  };
  struct Side {
    int member = -1;  ///< -1: the world
    int point = -1;   ///< of own and point_at
    int spin = -1;    ///< of spin_at
    PointRef ref;
    Matrix3 axes;
  };
  struct Frames {
    JointFrame a, b;
  };
  struct Held {
    JointKind kind;
    double length;
    int given;      ///< index in the constructor's span
    int node = -1;  ///< of the matrix, -1: no rows
    Side side[2];   ///< a, b
  };
  struct Coupled {
    JointCoupling given;
    std::vector<int> joint;  ///< of each term, index of held
    double turn = 0.0;       ///< 2 pi w; 0: no angles, < 0: the rates alone are held
    int node = -1;
  };
  /// Entries of one PointRows that a side of a joint gives to a node.
  struct Write {
    int member, side;
    bool spin, add;
    int entry;  ///< of the rows of the member
    JointMatrix::Place to;
  };
  /// What a joint gives to a node: its own rows, or one of its coordinates.
  struct Part {
    int node, joint;
    int coordinate;  ///< -1: its rows
    double weight;
    std::size_t end;  ///< of its writes, which begin where those of the part before end
  };

  std::span<const Joint> joints;  ///< given, for the time of the constructor
  std::vector<Member> members;
  std::vector<Held> held;
  std::vector<int> held_of;  ///< of each joint given, -1: left out
  std::vector<Coupled> coupled;
  std::vector<Frames> at_rows, now;  ///< of the last make_rows(); work space

  JointMatrix matrix;
  std::vector<int> size;  ///< rows of each node, and what turns among them
  std::vector<char> turns;
  std::vector<std::array<int, 2>> rows_of_joint;  ///< first, number
  std::vector<std::string> name;                  ///< of each node
  std::vector<int> node_of_row;
  int rows = 0;
  double longest_arm = 0.0;  ///< largest coordinate of a joint's point in the frame of its body [m]
  std::vector<Part> parts;
  std::vector<Write> writes;
  std::vector<char> moved;  ///< rows, of moved()
  bool arranged = false;
  bool sparse_blocks = false;  ///< some writes fill a block in part
  Vector drift0, drift1;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static Eigen::Index three(int point) { return 3 * static_cast<Eigen::Index>(point); }

  void hold(int index, std::span<const int> member_of_group);
  Side side(const Joint& joint, const JointSide& given, std::span<const int> member_of_group);
  void couple(const JointCoupling& coupling);
  void add_node(int rows_, const std::string& name_);

  void place(Member& m, double t, View q);
  void place(double t, const Configuration& q, std::vector<Frames>& to);
  void frame(const Side& s, JointFrame& of) const;
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
