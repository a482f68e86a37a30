// G of the joints in blocks, and the factorised S = G A^-1 G^T, which is sparse by joints.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/linear_algebra/block_ldlt.h"
#include "saltus/linear_algebra/factor.h"

namespace saltus {

/// Rows are grouped in nodes, one per joint or coupling. Columns are grouped in units, sets of
/// columns of one member that rows use together: the bodies of a rigid group, particles, all modes
/// of a string. Two nodes have a block in S if they have a common unit, or a common member whose
/// factor is an Operator.
class JointMatrix {
 public:
  /// The rows of a node have entries in columns column .. column + width - 1 of a member.
  struct Entry {
    int node = 0, member = 0, column = 0, width = 0;
  };
  /// Position of the entries: those of row i are at values() + begin + i stride.
  struct Place {
    std::size_t begin = 0;
    int stride = 0;
  };

  /// size: rows of each node. turns: mark of each row; rows of a node with the same mark have one
  /// weight. velocities: columns of each member. Sets `places` of the entries; the values are 0
  /// afterwards.
  void arrange(std::vector<int> size, std::vector<char> turns, std::vector<int> velocities,
               std::span<const Entry> entries, std::vector<Place>& places);

  int rows() const { return first_.empty() ? 0 : first_.back(); }
  int nodes() const { return static_cast<int>(size_.size()); }
  int first(int node) const { return first_[static_cast<std::size_t>(node)]; }
  std::vector<double>& values() { return G_; }

  void multiply_add(int member, View v, Out u) const;   ///< u += G v
  void transpose_add(int member, View L, Out r) const;  ///< r += G^T L
  void dense(int member, Eigen::Ref<Matrix> G) const;   ///< G of the member, zeros included

  using Factors = std::function<const Factor&(int member)>;
  /// Members without entries need no factor. If A^-1 is not symmetric, its symmetric part is used.
  /// Returns false if S is not finite.
  bool factorise(const Factors& A);
  /// Whether joints, bodies and the world do not form a tree, so that rows may depend on those of
  /// other joints.
  bool loops() const { return loops_; }
  /// Only chooses the rows that are left out: rows that depend on others at the position of these
  /// G. The choice is that for G A^-1 G^T with A of each unit divided by its mean, so that it does
  /// not depend on mass ratios.
  bool find_dependent(const Factors& A);
  /// Like factorise(), but with loops leaves out the rows of the last choice: for G close to that
  /// of find_dependent(), which must be called first.
  bool factorise_kept(const Factors& A);
  void yield(const Vector& compliance) { compliance_ = compliance; }  ///< see JointSystem::yield
  const BlockLdlt& factor() const { return ldlt_; }
  void apply(View L, Out u) const;                      ///< u = S L
  const Vector& diagonal() const { return diagonal_; }  ///< S_ii

 private:
  struct Unit {
    int column, width;
    int begin, end;  ///< range of its incidences
  };
  /// The rows of a node in the columns of a unit: size x width, row by row.
  struct Incidence {
    int node;
    int place;  ///< index of the node in Member::nodes
    std::size_t begin;
  };
  /// Units first .. last - 1 of a member; coupled: its factor is an Operator.
  struct Member {
    int velocities = 0, first = 0, last = 0;
    bool coupled = false;
    std::vector<int> nodes;  ///< nodes with columns in it, increasing
    std::vector<int> row;    ///< first row of each node within the member, then their total number
  };
  /// A block of S to which two rows of incidences contribute.
  struct Target {
    std::size_t begin;
    bool first;  ///< no earlier contribution
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void make_pattern();
  std::size_t block(int i, int j) const;
  void add_unit(const Unit& unit, const double* inverse, double divisor, const Target*& target);
  void add_body(const Unit& unit, const Eigen::Matrix<double, 6, 6>& A, const Target*& target);
  void add_coupled(const Member& member, const Factor& A);
  void weigh();
  void find_loops();
  void assemble(const Factors& A);
  BlockLdlt::Blocks blocks() const { return {pattern_, size_.data(), S_.data(), start_.data()}; }

  std::vector<int> size_, first_;  // of each node: number of rows, and first row (n + 1 entries)
  std::vector<char> turns_;
  std::vector<Member> members_;
  std::vector<Unit> units_;
  std::vector<Incidence> incidences_;
  std::vector<double> G_;

  bool loops_ = false;
  bool alike_ = false;     // A of each unit is divided by its mean
  bool arranged_ = false;  // the pattern of S matches G and the factors used last
  BlockPattern pattern_;
  std::vector<int> offset_, column_;           // graph of S
  std::vector<std::size_t> start_;             // start of its blocks in S_
  std::vector<Target> targets_;                // in the order in which units are added
  std::vector<std::array<int, 2>> untouched_;  // blocks to which no unit contributes
  struct Mirror {
    std::size_t from, to;
    int rows, columns;
  };
  std::vector<Mirror> mirrors_;
  std::vector<double> S_, Y_;
  std::vector<double> X_, T_;  // of coupled members
  Vector weight_, diagonal_, compliance_;
  BlockLdlt ldlt_;
};

}  // namespace saltus
