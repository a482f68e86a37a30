// G of the joints by blocks, and S = G A^-1 G^T, which is sparse by joints, factorised.
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

/// Rows stand in nodes, one a joint or coupling; columns in units, sets of columns of one member
/// that rows take together: the bodies of a rigid group, particles, all modes of a string. Two
/// nodes have a block in S where they share a unit, or a member whose factor is an Operator.
class JointMatrix {
 public:
  /// The rows of a node have entries in columns column .. column + width - 1 of a member.
  struct Entry {
    int node = 0, member = 0, column = 0, width = 0;
  };
  /// Where they stand: those of row i at values() + begin + i stride.
  struct Place {
    std::size_t begin = 0;
    int stride = 0;
  };

  /// size: rows of each node. turns: of each row; rows of a node with the same mark have one
  /// weight. velocities: columns of each member. Writes `places` of the entries; the values are 0
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
  /// Of members without entries no factor is asked for. Where A^-1 is not symmetric its symmetric
  /// part is taken. False: S is not finite.
  bool factorise(const Factors& A);
  /// Joints that with their bodies and the world make no tree, so that rows may depend on those of
  /// other joints.
  bool loops() const { return loops_; }
  /// The choice of the rows that are left out, alone: rows that depend on others at the place of
  /// these G. It is that of G A^-1 G^T with A of each unit divided by its mean, which knows no
  /// ratio of masses.
  bool find_dependent(const Factors& A);
  /// As factorise(), without the rows of the last choice where there are loops: for G near that of
  /// find_dependent(), which goes before.
  bool factorise_kept(const Factors& A);
  const BlockLdlt& factor() const { return ldlt_; }
  void apply(View L, Out u) const;                      ///< u = S L
  const Vector& diagonal() const { return diagonal_; }  ///< S_ii

 private:
  struct Unit {
    int column, width;
    int begin, end;  ///< its incidences
  };
  /// The rows of a node in the columns of a unit: size x width, row by row.
  struct Incidence {
    int node;
    int place;  ///< of the node in Member::nodes
    std::size_t begin;
  };
  /// Units first .. last - 1 of a member; coupled: its factor is an Operator.
  struct Member {
    int velocities = 0, first = 0, last = 0;
    bool coupled = false;
    std::vector<int> nodes;  ///< that have columns in it, increasing
    std::vector<int> row;    ///< first of each among the rows of the member, and their number
  };
  /// A block of S that two rows of incidences add to.
  struct Target {
    std::size_t begin;
    bool first;  ///< nothing was added before
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

  std::vector<int> size_, first_;  // of each node: rows, and the first of them (n + 1)
  std::vector<char> turns_;
  std::vector<Member> members_;
  std::vector<Unit> units_;
  std::vector<Incidence> incidences_;
  std::vector<double> G_;

  bool loops_ = false;
  bool alike_ = false;     // A of each unit is divided by its mean
  bool arranged_ = false;  // the pattern of S is that of G and of the factors seen last
  BlockPattern pattern_;
  std::vector<int> offset_, column_;           // of the graph of S
  std::vector<std::size_t> start_;             // of its blocks in S_
  std::vector<Target> targets_;                // in the order in which units are added
  std::vector<std::array<int, 2>> untouched_;  // blocks that no unit adds to
  struct Mirror {
    std::size_t from, to;
    int rows, columns;
  };
  std::vector<Mirror> mirrors_;
  std::vector<double> S_, Y_;
  std::vector<double> X_, T_;  // of coupled members
  Vector weight_, diagonal_;
  BlockLdlt ldlt_;
};

}  // namespace saltus
