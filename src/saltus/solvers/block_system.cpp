#include "saltus/solvers/block_system.h"

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {
void BlockSystem::begin(const ContactProblem& contact, ConeProblem& problem) {
  const auto n = static_cast<int>(contact.b.size());
  blocks_of(contact, W_);
  expects(W_.rows() == n && W_.contacts() == std::ssize(contact.laws),
          "W, b and the laws differ in size");
  diagonal_.resize(contact.laws.size());
  entries_.resize(n);
  for (int c = 0; c < W_.contacts(); ++c) {
    const Law& law = contact.laws[at(c)];
    expects(law.first == W_.first[at(c)] && law.size == W_.size(c),
            "the blocks of W must match the laws");
    diagonal_[at(c)] = W_.start[at(W_.find(c, c))];
    for (int i = 0; i < law.size; ++i)
      entries_[law.first + i] = W_.value[diagonal_[at(c)] + at(i * (law.size + 1))];
  }
  problem.read(contact, entries_);
  problem_ = &problem;
  for (int c = 0; c < W_.contacts(); ++c)
    for (int k = W_.offset[at(c)]; k < W_.offset[at(c) + 1]; ++k) {
      const int d = W_.column[at(k)], width = W_.size(d);
      double* const block = W_.value.data() + W_.start[at(k)];
      for (int i = 0; i < W_.size(c); ++i)
        for (int j = 0; j < width; ++j)
          block[i * width + j] /=
              problem.weight[W_.first[at(c)] + i] * problem.weight[W_.first[at(d)] + j];
    }
  K_ = W_;
  pattern_.analyse({K_.contacts(), K_.offset.data(), K_.column.data(), 0});
  size_.resize(at(K_.contacts()));
  for (int c = 0; c < K_.contacts(); ++c) size_[at(c)] = K_.size(c);
  right_.resize(n);
  correction_.resize(n);
}

void BlockSystem::multiply(const BlockMatrix& A, View x, Out y) {
  for (int c = 0; c < A.contacts(); ++c) {
    const int size = A.size(c);
    double* const y_c = y.data() + A.first[at(c)];
    for (int i = 0; i < size; ++i) y_c[i] = 0.0;
    for (int k = A.offset[at(c)]; k < A.offset[at(c) + 1]; ++k) {
      const int d = A.column[at(k)], width = A.size(d);
      const double *block = A.block(k), *x_d = x.data() + A.first[at(d)];
      for (int i = 0; i < size; ++i, block += width) {
        double sum = 0.0;
        for (int j = 0; j < width; ++j) sum += block[j] * x_d[j];
        y_c[i] += sum;
      }
    }
  }
}

void BlockSystem::fill(const ConeProblem::Cone& cone, const ConeRows& rows) {
  const int c = cone.contact, offset = cone.first - W_.first[at(c)], size = cone.size;
  bool whole = true;  // A is the identity
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) whole = whole && rows.A[3 * i + j] == (i == j ? 1.0 : 0.0);
  for (int k = W_.offset[at(c)]; k < W_.offset[at(c) + 1]; ++k) {
    const int width = W_.size(W_.column[at(k)]);
    const double* const from = W_.block(k) + offset * width;
    double* const to = K_.value.data() + W_.start[at(k)] + at(offset * width);
    if (whole) {
      std::copy_n(from, size * width, to);
      continue;
    }
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < width; ++j) {
        double sum = 0.0;
        for (int l = 0; l < size; ++l) sum += rows.A[3 * i + l] * from[l * width + j];
        to[i * width + j] = sum;
      }
  }
  const int stride = W_.size(c);
  double* const diagonal = K_.value.data() + diagonal_[at(c)] + at(offset * (stride + 1));
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) diagonal[i * stride + j] += rows.B[3 * i + j];
}

bool BlockSystem::factorise(std::span<const ConeRows> rows) {
  for (std::size_t k = 0; k < rows.size(); ++k) fill(problem_->cones[k], rows[k]);
  return lu_.factorise(pattern_, size_.data(), K_.value.data(), K_.start.data());
}

void BlockSystem::solve(Vector& x, int refinements) {
  right_ = x;
  lu_.solve(x.data());
  for (int k = 0; k < refinements; ++k) {
    multiply(K_, x, correction_);
    correction_ = right_ - correction_;
    lu_.solve(correction_.data());
    x += correction_;
  }
}

}  // namespace saltus
