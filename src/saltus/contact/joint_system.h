// The joints of some groups: g(q) = 0 and couplings of their coordinates, eliminated directly
// instead of iteratively.
//
//     G v = 0,   v = v_free + A^-1 (r + G^T L),   S L = c - G (v_free + A^-1 r),   S = G A^-1 G^T
//
// S is sparse by joints and factorised by LDL^T, in an order without fill if the joints form a
// tree: a chain costs O(n). Impulses of dependent rows minimise the sum of w_i L_i^2, w_i the mean
// diagonal of S over the point rows, or the rotation rows, of the joint: a choice that depends
// neither on the order of the rows nor on units.
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

/// Position of a joint on one side. Group -1: the world, ref.local is the position. On bodies with
/// frames (rigid or with prescribed motion) ref.local and axes are in the frame of the body, else
/// `axes` is fixed in space.
struct JointSide {
  int group = -1;
  PointRef ref;
  Matrix3 axes = Matrix3::Identity();
};

struct Joint {
  std::string name;  ///< as the user wrote it
  JointKind kind = JointKind::ball;
  JointSide a, b;
  double length = 0.0;  ///< of a distance joint [m]
  /// Of a distance joint: mean tension of a step that breaks it [N]; 0: unbreakable.
  double strength = 0.0;
  /// Selects the turn at t = 0 of each coordinate that is an angle: the nearest to this [rad].
  std::array<double, 4> start{};
};

/// sum of weight_k c_k = value(t) over coordinates of joints: gears, screws, driven coordinates.
///
/// Angles are known up to full turns, so the sum is known up to multiples of 2 pi w, w the greatest
/// number of which the weights of all angles are multiples: 1 for a driven angle, the pitch over 2
/// pi for a screw, 1/n_2 for a pair of wheels with n_1 and n_2 teeth and the weights 1 and n_1/n_2.
/// The gap is the distance to the nearest of these multiples. If w is below 1/128 of the largest
/// weight, these multiples are too close to be distinguished from the error of a step: the coupling
/// then constrains only rates, and its gap is 0.
struct JointCoupling {
  struct Term {
    int joint = 0, coordinate = 0;
    double weight = 1.0;
  };
  std::string name;
  std::vector<Term> terms;
  /// Value and rate at t; empty: 0.
  std::function<std::array<double, 2>(double t)> value{};
  /// Second derivative; empty: differences of the rate.
  std::function<double(double t)> second{};
  Breaks breaks{};  ///< jumps of its rate
};

/// The w of JointCoupling: the greatest number of which all weights of angles are multiples; 0 if
/// it would be below 1/128 of the largest weight.
double common_measure(std::span<const double> weights);

/// A group in a JointSystem.
struct JointMember {
  int group = 0;
  const Dynamics* body = nullptr;
};

class JointSystem {
 public:
  /// Uses the joints and couplings whose groups are all among `members`; the others are left out.
  /// Throws UsageError with the name of the joint or coupling: a joint of a body or of the world
  /// with itself, axes of a body that has none, missing terms. For bodies without axes
  /// `JointSide::axes` are fixed in space. left_out: one per joint; a joint whose value is not 0 is
  /// left out, with all couplings that use it; empty: none. across: joints of kind distance get two
  /// rows more, across their direction and with gaps of 0, which are meant to yield.
  JointSystem(std::span<const Joint> joints, std::span<const JointCoupling> couplings,
              std::vector<JointMember> members, std::span<const char> left_out = {},
              bool across = false);
  ~JointSystem();
  JointSystem(JointSystem&&) noexcept;
  JointSystem& operator=(JointSystem&&) noexcept;

  bool empty() const { return rows() == 0; }
  int rows() const;
  /// Rows of joint i of the constructor's span: first row and number; number 0 if it is not a joint
  /// of these groups.
  std::array<int, 2> rows_of(int joint) const;
  /// A member with velocities that row i constrains, after make_rows().
  int member_of_row(int i) const;
  /// Name of the joint or coupling of row i.
  const std::string& name_of_row(int i) const;

  using Configuration = std::function<const Vector&(int member)>;
  /// g of every row at t, with members at q. [m], [rad]
  void gaps(double t, const Configuration& q, Out g);
  /// G with the members at q at t, on their own axes, and the velocities d due to prescribed motion
  /// of bodies and couplings: G v + d = 0. Allocates nothing while the columns of the rows do not
  /// change.
  void make_rows(double t, const Configuration& q);
  /// Start and end of the motion in a step, its mid-step configuration, and the configuration whose
  /// axes carry angular impulses.
  struct Motion {
    double t0, t1;
    const Configuration &q0, &q1, &q, &axes;
  };
  /// G of a step. The joints' points and axes are the means of those at q0 and q1, not normalised:
  ///     x_m = (x0 + x1)/2,  n_m = (n0 + n1)/2
  /// Gaps that are bilinear in them (all but that of a distance, which has its own mean, and
  /// angles) then change by exactly  g1 - g0 = h G v  if bodies move by
  ///     x1 - x0 = h v,  R1 = R0 cay(h Omega)
  /// On both sides of a joint whose gap is 0 at q0 and q1 the impulses act at the same point:
  /// joints do no work and conserve momentum. Source: O. Gonzalez, Physica D 132, 1999 (discrete
  /// gradients of constraints).
  void make_rows(const Motion& motion);
  std::span<const char> turns() const;  ///< for every row: whether g is an angle [rad]
  /// Point and axes of a joint on a and b at the last make_rows().
  std::array<JointFrame, 2> frames(int joint) const;
  /// Largest coordinate of the joints' points at the last gaps(), in space and in the frames of
  /// their bodies: the scale of round-off in gaps [m].
  double extent() const;
  /// gamma, with (G v + d)' = G v' + gamma, at the configuration of the last make_rows(t, q), with
  /// member velocities v. Rates of prescribed motions are differences `rate` at t. For groups of
  /// rigid bodies, groups with prescribed motion, and groups with Trait::fixed_points and no
  /// prescribed degrees of freedom.
  void bias(double t, const Difference& rate, const Configuration& q, const Configuration& v,
            Out gamma);
  /// Corrects a gamma that was computed from differences of the rates of the rows: the contribution
  /// of couplings with a `second` becomes the exact one at t.
  void put_exact(double t, const Difference& rate, Out gamma) const;
  /// c'' of a joint coordinate with v' = 0, after bias().
  double coordinate_bias(int joint, int coordinate) const;
  /// For every row: whether it can have a drift, whatever its present value: couplings with a
  /// value, joints on bodies with prescribed motion.
  std::span<const char> moved() const;
  /// Times at which drifts of rows jump, due to couplings and prescribed motion [s]; increasing.
  std::vector<double> jumps() const;
  const Vector& drift0() const;
  const Vector& drift1() const;
  /// Row of a joint coordinate at the configuration of the last make_rows(), for laws on it. Adds
  /// weight times the entries of a member to row `row` of H (rows in order), and returns weight
  /// times the drifts of this member at t0 and t1.
  std::array<double, 2> add_coordinate(int joint, int coordinate, double weight, int member,
                                       int row, class GroupRows& H) const;
  /// Value of a coordinate with the members at q at t; or at the configuration of the last
  /// make_rows(). [m], [rad]
  double coordinate(double t, const Configuration& q, int joint, int coordinate);
  double coordinate(int joint, int coordinate) const;
  /// Values of many coordinates at once: `of` are pairs of joint and coordinate.
  void coordinates(double t, const Configuration& q, std::span<const std::array<int, 2>> of,
                   Out values);

  /// Rates of coordinates that are angles, with the members at q and v at t [rad/s]. Keeps the rows
  /// of the last make_rows().
  void angle_rates(double t, const Configuration& q, const Configuration& v,
                   std::span<const std::array<int, 2>> of, Out rates);

  void multiply_add(int member, View v, Out u) const;   ///< u += G v
  void transpose_add(int member, View L, Out r) const;  ///< r += G^T L
  /// Impulses due to L at the points of members with prescribed degrees of freedom, which r = G^T L
  /// omits, from joints and couplings, at the configuration of the rows. use(group, point, impulse
  /// in space).
  using UseImpulse = std::function<void(int group, const PointRef& at, const Vector3& impulse)>;
  void point_impulses(View L, const UseImpulse& use) const;
  /// The same for a law on a joint coordinate.
  void point_impulses(int joint, int coordinate, double p, const UseImpulse& use) const;
  /// G: rows() rows, one column per velocity of the member.
  void dense(int member, Eigen::Ref<Matrix> G) const;

  /// Rows of G of a joint or coupling on a body: rows first .. first + count - 1, columns from
  /// `column` of a member on, with row i at value + i stride. In the order of the rows; for bodies
  /// of 6 velocities each block has 6 columns.
  struct Block {
    int first, count, member, column, stride;
    const double* value;
  };
  void blocks(std::vector<Block>& out) const;

  using Factors = std::function<const Factor&(int member)>;
  /// Factorises S for the present rows; if A^-1 is not symmetric, for its symmetric part. Returns
  /// false if S is not finite.
  bool factorise(const Factors& A);
  /// Whether joints, bodies and the world do not form a tree: rows may then depend on those of
  /// other joints.
  bool loops() const;
  /// For rows in a configuration that satisfies the constraints: determines which rows depend on
  /// others. Close to this configuration, where they depend only nearly, factorise_kept() leaves
  /// out the same rows, and solve() chooses among the reactions as it would there. In a tree
  /// factorise_kept() is the same as factorise().
  bool find_dependent(const Factors& A);
  bool factorise_kept(const Factors& A);
  /// From now on rows yield: S_ii has the compliance of its row in addition [1/kg]. Empty: none.
  void yield(const Vector& compliance);
  /// X <- the least L with S L = X on the rows that do not depend on others, column by column.
  void solve(Eigen::Ref<Matrix> X) const;
  /// u = S L
  void apply(View L, Out u) const;
  double diagonal(int row) const;  ///< S_ii
  const Vector& diagonal() const;  ///< one entry per row
  /// Rows that depend on others, increasing.
  std::span<const int> dependent() const;

 private:
  struct Structure;
  std::unique_ptr<Structure> structure_;
};

}  // namespace saltus
