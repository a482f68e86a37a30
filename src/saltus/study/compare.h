// Two results files side by side: where their numbers differ, and by how much.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// A table that both files have.
struct TableDifference {
  std::string table;  ///< "step/residual", "bodies/ball/q"
  std::size_t rows_a = 0, rows_b = 0, columns_a = 1, columns_b = 1;
  double largest =
      0.0;  ///< |a - b|, of the rows that both have; inf: one is no number where the other is
  double scale = 0.0;  ///< largest |a| of the table; largest/scale is the relative difference
  std::size_t row = 0, column = 0;  ///< of the largest
  bool differs = false;             ///< rows, or largest > tolerance scale

  double relative() const { return scale > 0.0 ? largest / scale : largest; }
};

struct Comparison {
  std::vector<TableDifference> tables;      ///< in the order of the files' tables
  std::vector<std::string> only_a, only_b;  ///< tables of one file alone
  bool same_scene = true;                   ///< resolved scenes, byte for byte

  bool differs() const;
};

/// Numbers of /step, /ledger, /probes, /frames, /bodies, /joints, /contacts and /events; times that
/// the machine took are left out. tolerance 0: all must be equal, -0 and 0 too; else relative to
/// the largest value of a table. Throws SceneError: damaged.
Comparison compare_results(const ResultsReader& a, const ResultsReader& b, double tolerance);

std::string comparison_text(const Comparison& comparison, const ResultsReader& a,
                            const ResultsReader& b);
std::string comparison_json(const Comparison& comparison, const ResultsReader& a,
                            const ResultsReader& b);

}  // namespace saltus
