// Comparison of two results files: which numbers differ, and by how much.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// A table that both files contain.
struct TableDifference {
  std::string table;  ///< "step/residual", "bodies/ball/q"
  std::size_t rows_a = 0, rows_b = 0, columns_a = 1, columns_b = 1;
  double largest = 0.0;  ///< |a - b| over common rows; inf: only one of the two is NaN
  double scale = 0.0;    ///< largest |a| of the table; largest/scale is the relative difference
  std::size_t row = 0, column = 0;  ///< where `largest` occurs
  bool differs = false;             ///< number of rows differs, or largest > tolerance scale

  double relative() const { return scale > 0.0 ? largest / scale : largest; }
};

struct Comparison {
  std::vector<TableDifference> tables;      ///< in file order
  std::vector<std::string> only_a, only_b;  ///< tables that only one file contains
  bool same_scene = true;                   ///< resolved scenes are, but for checkpoints

  bool differs() const;
};

/// Compares the numbers of /step, /ledger, /probes, /frames, /bodies, /joints, /contacts and
/// /events, except wall times. tolerance 0: numbers must be equal (-0 equals 0); otherwise relative
/// to the largest value of a table. Throws SceneError if a file is damaged.
Comparison compare_results(const ResultsReader& a, const ResultsReader& b, double tolerance);

std::string comparison_text(const Comparison& comparison, const ResultsReader& a,
                            const ResultsReader& b);
std::string comparison_json(const Comparison& comparison, const ResultsReader& a,
                            const ResultsReader& b);

}  // namespace saltus
