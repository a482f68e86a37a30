#include "saltus/spec/linear_spec.h"

namespace saltus {
namespace {

/// A matrix given by rows must be square: as many numbers in each row as there are rows.
std::optional<Fault> matrix_fault(const std::string& key, const MatrixSpec& matrix) {
  if (const auto* file = std::get_if<std::string>(&matrix); file && file->empty())
    return Fault{key, "is an empty file name", ""};
  if (const auto* diagonal = std::get_if<std::vector<double>>(&matrix)) {
    if (diagonal->empty()) return Fault{key, "is empty", "rows [[a, b], [c, d]], or a diagonal"};
    return std::nullopt;
  }
  const auto* rows = std::get_if<std::vector<std::vector<double>>>(&matrix);
  if (!rows) return std::nullopt;
  if (rows->empty()) return Fault{key, "is empty", "rows [[a, b], [c, d]], or a diagonal"};
  for (std::size_t i = 0; i < rows->size(); ++i)
    if ((*rows)[i].size() != rows->size())
      return Fault{key + "[" + std::to_string(i) + "]",
                   "has " + std::to_string((*rows)[i].size()) + " numbers, the matrix has " +
                       std::to_string(rows->size()) + " rows",
                   "matrices are square"};
  return std::nullopt;
}

}  // namespace

std::optional<Fault> MeshSpec::fault() const {
  if (ends == ChainEnds::fixed_fixed && elements < 2)
    return Fault{"elements", "one element with both ends fixed cannot move", "allowed: >= 2"};
  return std::nullopt;
}

std::optional<Fault> MatricesSpec::fault() const {
  if (auto found = matrix_fault("mass", mass)) return found;
  if (damping)
    if (auto found = matrix_fault("damping", *damping)) return found;
  if (stiffness)
    if (auto found = matrix_fault("stiffness", *stiffness)) return found;
  return std::nullopt;
}

}  // namespace saltus
