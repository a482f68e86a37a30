#include "saltus/solvers/block_system.h"

#include "saltus/solvers/cone_problem.h"

namespace saltus {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void BlockSystem::begin(const BlockMatrix& W) {
  K = W;
  pattern_.analyse({K.contacts(), K.offset.data(), K.column.data(), 0});
  size_.resize(at(K.contacts()));
  for (int c = 0; c < K.contacts(); ++c) size_[at(c)] = K.size(c);
  right_.resize(K.rows());
  correction_.resize(K.rows());
  factorisations_ = 0;
}

void BlockSystem::make_identity(int c, int row) {
  for (int k = K.offset[at(c)]; k < K.offset[at(c) + 1]; ++k) {
    const int d = K.column[at(k)], width = K.size(d);
    double* const entries = K.value.data() + K.start[at(k)] + at(row * width);
    for (int j = 0; j < width; ++j) entries[j] = d == c && j == row ? 1.0 : 0.0;
  }
}

bool BlockSystem::factorise() {
  ++factorisations_;
  return lu_.factorise(pattern_, size_.data(), K.value.data(), K.start.data());
}

void BlockSystem::solve(Vector& x, int refinements) {
  right_ = x;
  lu_.solve(x.data());
  for (int k = 0; k < refinements; ++k) {
    ConeProblem::multiply(K, x, correction_);
    correction_ = right_ - correction_;
    lu_.solve(correction_.data());
    x += correction_;
  }
}

}  // namespace saltus
