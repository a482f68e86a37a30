// Data computed for one step length: coefficients of the schemes, trials, and islands with their
// tables.
#pragma once
#include <memory>
#include <vector>

#include "saltus/sim/step_in_work.h"

namespace saltus {

class StepTables {
 public:
  /// Creates only the trials: call prepare() and make_islands() next.
  explicit StepTables(const Model& model);

  /// Recomputes the coefficients for steps of h; factors become invalid.
  void prepare(double h);
  /// Call after the first prepare() and Scheme::begin(), which determines the groups that keep
  /// their operator.
  void make_islands();
  /// Islands build their tables from the factors of the trials.
  void prepare_islands();

  /// Stores the tables of a number of recently used step lengths; the present tables are for h.
  void store_lengths(double h);
  bool stores_lengths() const { return most_ > 0; }
  /// Exchanges the present tables for those of h. False: none were stored, and the new ones have to
  /// be prepared.
  bool exchange(double h);
  /// The present tables become invalid, and the stored ones are discarded.
  void clear();

  PreparedSchemes prepared() const { return prepared_; }
  std::span<Trial> trials() { return trials_; }
  Islands islands() const { return islands_; }

 private:
  /// Tables of one step length; islands: only those that have tables, others are null.
  struct Tables {
    double h = 0.0;
    std::vector<std::unique_ptr<Prepared>> prepared;
    std::vector<Trial> trials;
    std::vector<std::unique_ptr<Island>> islands;
  };
  std::unique_ptr<Island> make_island(int island, bool& with_tables) const;
  std::unique_ptr<Island> island_with_tables(int island) const;

  const Model& model_;
  std::vector<std::unique_ptr<Prepared>> prepared_;
  std::vector<Trial> trials_;
  std::vector<std::unique_ptr<Island>> islands_;
  std::vector<char> tabled_;    ///< for each island: it has tables for its h
  std::vector<Tables> stored_;  ///< of other lengths, most recently used first
  std::size_t most_ = 0;        ///< maximum number of them
  double length_ = 0.0;         ///< step length of the present tables; 0: they are invalid
};

}  // namespace saltus
