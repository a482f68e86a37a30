// What is made for one length of step: coefficients of the schemes, trials, and islands with their
// tables.
#pragma once
#include <memory>
#include <vector>

#include "saltus/sim/step_in_work.h"

namespace saltus {

class StepTables {
 public:
  /// Trials alone: prepare() and make_islands() follow.
  explicit StepTables(const Model& model);

  /// Makes the coefficients for steps of h anew; factors are spoilt.
  void prepare(double h);
  /// After the first prepare() and Scheme::begin(), which says which groups keep their operator.
  void make_islands();
  /// Islands make their tables from the factors of the trials.
  void prepare_islands();

  /// Tables of other lengths than the one in use are stored, some of those used last; the present
  /// ones are for h.
  void store_lengths(double h);
  bool stores_lengths() const { return most_ > 0; }
  /// Exchanges the tables in use for those of h. False: there were none, and the new ones have to
  /// be prepared.
  bool exchange(double h);
  /// The tables in use are spoilt, and the stored ones dropped.
  void clear();

  PreparedSchemes prepared() const { return prepared_; }
  std::span<Trial> trials() { return trials_; }
  Islands islands() const { return islands_; }

 private:
  /// Of one length of step; islands: those that have tables, others null.
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
  std::vector<char> tabled_;    ///< of each island: it has tables for its h
  std::vector<Tables> stored_;  ///< of other lengths, those used last first
  std::size_t most_ = 0;        ///< of them
  double length_ = 0.0;         ///< that the tables in use are for; 0: they are spoilt
};

}  // namespace saltus
