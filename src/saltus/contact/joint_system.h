// The joints of some groups: g(q) = 0 and couplings of their coordinates, eliminated directly,
// never swept.
//
//     G v = 0,   v = v_free + A^-1 (r + G^T L),   S L = c - G (v_free + A^-1 r),   S = G A^-1 G^T
//
// S is sparse by joints and factorised by LDL^T in an order without fill where the joints make a
// tree: a chain costs O(n). Rows that depend on others carry what makes the sum of w_i L_i^2 least,
// w_i the mean diagonal of S over the point rows, or the turning ones, of the joint: a choice that
// knows no order and no units.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/base/difference.h"
#include "saltus/contact/joint.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// Where a joint sits on one side. Group -1: the world, ref.local is the place. On bodies with
/// frames (rigid or moved) ref.local and axes are in the frame of the body, else `axes` is fixed in
/// space.
struct JointSide {
  int group = -1;
  PointRef ref;
  Matrix3 axes = Matrix3::Identity();
};

struct Joint {
  std::string name;  ///< as the user wrote it
  JointKind kind = JointKind::ball;
  JointSide a, b;
  double length = 0.0;    ///< of a distance [m]
  double strength = 0.0;  ///< of a distance: mean pull of a step that breaks it [N]; 0: carries any
};

/// sum of weight_k c_k = value(t) over coordinates of joints: gears, screws, driven coordinates.
///
/// Angles are known but for turns, so the sum is known but for multiples of 2 pi w, w the greatest
/// number of which the weights of all angles are multiples: 1 for a driven angle, the pitch over 2
/// pi for a screw, 1/n_2 for a pair of wheels with n_1 and n_2 teeth and the weights 1 and n_1/n_2.
/// The gap is what is left to the nearest of them. Where w is below 1/128 of the largest weight no
/// such w could be told apart from the error of a step: the coupling then holds rates alone, its
/// gap is 0.
struct JointCoupling {
  struct Term {
    int joint = 0, coordinate = 0;
    double weight = 1.0;
  };
  std::string name;
  std::vector<Term> terms;
  /// Value and rate at t; empty: 0.
  std::function<std::array<double, 2>(double t)> value{};
  /// The second derivative; empty: differences of the rate.
  std::function<double(double t)> second{};
  Breaks breaks{};  ///< jumps: of its rate
};

/// The w of JointCoupling: the greatest number of which all weights of angles are multiples; 0
/// where it would be below 1/128 of the largest.
double common_measure(std::span<const double> weights);

/// A group as the joints see it.
struct JointMember {
  int group = 0;
  const Dynamics* body = nullptr;
};

class JointSystem {
 public:
  /// Joints and couplings whose groups are all among `members`; the others are left out. Throws
  /// UsageError naming the joint or coupling: a joint of a body or of the world with itself, axes
  /// of a body that has none, terms that are not there. Of bodies without axes `JointSide::axes`
  /// are fixed in space. left_out: one a joint, those not 0 are left out, and couplings over them;
  /// empty: none.
  JointSystem(std::span<const Joint> joints, std::span<const JointCoupling> couplings,
              std::vector<JointMember> members, std::span<const char> left_out = {});
  ~JointSystem();
  JointSystem(JointSystem&&) noexcept;
  JointSystem& operator=(JointSystem&&) noexcept;

  bool empty() const { return rows() == 0; }
  int rows() const;
  /// Rows of joint i of the span given to the constructor: first and number; number 0: none of
  /// these groups.
  std::array<int, 2> rows_of(int joint) const;
  /// A member with velocities that row i holds, after make_rows().
  int member_of_row(int i) const;
  /// The name of the joint or coupling that row i belongs to.
  const std::string& name_of_row(int i) const;

  using Configuration = std::function<const Vector&(int member)>;
  /// g of every row at t, members at q. [m], [rad]
  void gaps(double t, const Configuration& q, Out g);
  /// G with the members at q at t, on their own axes; the velocities d that bodies and couplings
  /// have by themselves: G v + d = 0. Takes nothing from the heap while the columns of the rows
  /// stay.
  void make_rows(double t, const Configuration& q);
  /// Where a motion of a step leads from and to, where it is at mid-step, and whose axes carry
  /// angular impulses.
  struct Motion {
    double t0, t1;
    const Configuration &q0, &q1, &q, &axes;
  };
  /// G of a step. The joints' points and axes are the means of those at q0 and q1,  x_m = (x0 +
  /// x1)/2, n_m = (n0 + n1)/2, not made unit again. Gaps that are bilinear in them (all but that of
  /// a distance, which has its own mean, and angles) then change by exactly  g1 - g0 = h G v  where
  /// bodies move by  x1 - x0 = h v  and  R1 = R0 cay(h Omega),  and both sides of a joint that is
  /// closed at q0 and q1 take their impulses at one point: joints do no work and keep momentum.
  /// Source: O. Gonzalez, Physica D 132, 1999 (discrete gradients of constraints).
  void make_rows(const Motion& motion);
  std::span<const char> turns() const;  ///< of every row: g is an angle [rad]
  /// The point and the axes of a joint on a and b at the last make_rows().
  std::array<JointFrame, 2> frames(int joint) const;
  /// Largest coordinate of the joints' points at the last gaps(), in space and in the frames of
  /// their bodies: the scale of round-off in gaps [m].
  double extent() const;
  /// gamma, with (G v + d)' = G v' + gamma, at the place of the last make_rows(t, q), members
  /// moving with v. Rates of members that move by themselves are differences `rate` at t. For
  /// groups of rigid bodies, those that are moved, and those with Trait::fixed_points and nothing
  /// prescribed.
  void bias(double t, const Difference& rate, const Configuration& q, const Configuration& v,
            Out gamma);
  /// Of a gamma that was made of rates of the rows by the difference: the part of couplings with a
  /// `second` becomes that at t.
  void put_exact(double t, const Difference& rate, Out gamma) const;
  /// c'' of a coordinate of a joint with v' = 0, after bias().
  double coordinate_bias(int joint, int coordinate) const;
  /// Of every row: whether it has a drift, whatever that is now: couplings with a value, joints on
  /// what is moved.
  std::span<const char> moved() const;
  /// Times at which the drifts of rows jump, those of couplings and of bodies that are moved [s];
  /// increasing.
  std::vector<double> jumps() const;
  const Vector& drift0() const;
  const Vector& drift1() const;
  /// Row of a coordinate of a joint at the place of the last make_rows(): entries for laws on it.
  /// Adds weight times the part of a member to row `row` of H (rows in order), and returns the
  /// drifts at t0 and t1 that this member has of itself, times weight.
  std::array<double, 2> add_coordinate(int joint, int coordinate, double weight, int member,
                                       int row, class GroupRows& H) const;
  /// Value of a coordinate with the members at q at t; at the place of the last make_rows(). [m],
  /// [rad]
  double coordinate(double t, const Configuration& q, int joint, int coordinate);
  double coordinate(int joint, int coordinate) const;
  /// Those of many at once: `of` are pairs of joint and coordinate.
  void coordinates(double t, const Configuration& q, std::span<const std::array<int, 2>> of,
                   Out values);

  void multiply_add(int member, View v, Out u) const;   ///< u += G v
  void transpose_add(int member, View L, Out r) const;  ///< r += G^T L
  /// Impulses L of the rows on the points of members with prescribed degrees of freedom, which r =
  /// G^T L leaves out: of joints and couplings, where the rows are. use(group, point, impulse in
  /// space).
  using UseImpulse = std::function<void(int group, const PointRef& at, const Vector3& impulse)>;
  void point_impulses(View L, const UseImpulse& use) const;
  /// The same of a law on a coordinate of a joint.
  void point_impulses(int joint, int coordinate, double p, const UseImpulse& use) const;
  /// G: rows() rows, a column a velocity of the member.
  void dense(int member, Eigen::Ref<Matrix> G) const;

  /// Rows of G that a joint or coupling has on a body: rows first .. first + count - 1, columns
  /// column .. of a member, those of row i at value + i stride. In the order of the rows; of bodies
  /// of 6 velocities each block has 6 columns.
  struct Block {
    int first, count, member, column, stride;
    const double* value;
  };
  void blocks(std::vector<Block>& out) const;

  using Factors = std::function<const Factor&(int member)>;
  /// S of the rows as they are; where A^-1 is not symmetric, of its symmetric part. False: it is
  /// not finite.
  bool factorise(const Factors& A);
  /// Joints that with their bodies and the world make no tree: rows may depend on those of other
  /// joints.
  bool loops() const;
  /// With the rows of a place where the joints are closed: which rows depend on others.
  /// factorise_kept() then leaves those out near this place, where they depend only nearly, and
  /// solve() makes the choice of this place among the reactions. In a tree factorise_kept() is
  /// factorise().
  bool find_dependent(const Factors& A);
  bool factorise_kept(const Factors& A);
  /// X <- the least L with S L = X on the rows that do not depend on others, column by column.
  void solve(Eigen::Ref<Matrix> X) const;
  /// u = S L
  void apply(View L, Out u) const;
  double diagonal(int row) const;  ///< S_ii
  const Vector& diagonal() const;  ///< of every row
  /// Rows that depend on others, increasing.
  std::span<const int> dependent() const;

 private:
  struct Structure;
  std::unique_ptr<Structure> structure_;
};

}  // namespace saltus
