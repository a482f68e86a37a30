// With P the inverse diagonal blocks:
//
//     alpha = r.z / p.Ap,   x += alpha p,   r -= alpha A p,   z = P r,
//     p = z + (r.z / previous r.z) p
//
// Source: J. R. Shewchuk 1994, An introduction to the conjugate gradient method without the
// agonizing pain.
#include "saltus/linear_algebra/conjugate_gradients.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/stop.h"
#include "saltus/math/rotation.h"

namespace saltus {
namespace {

constexpr std::string_view kLimit = "conjugate gradients did not reach their tolerance";
constexpr std::string_view kIndefinite = "conjugate gradients: the matrix is not positive definite";
constexpr int kRestarts = 2;

using NodeBlock = Eigen::Map<const Matrix3>;

}  // namespace

ConjugateGradients::ConjugateGradients(std::shared_ptr<const NodeGraph> graph,
                                       std::span<const int> free, double tolerance, int iterations)
    : A_(std::move(graph)),
      free_(free.begin(), free.end()),
      tolerance_(tolerance),
      iterations_(iterations) {
  const std::size_t n = 3 * static_cast<std::size_t>(A_.graph().nodes());
  for (AlignedArray* x : {&held_, &b_, &x_, &r_, &z_, &p_, &q_}) x->assign(n, 0.0);
  for (int i : free_) held_[static_cast<std::size_t>(i)] = 1.0;
  inverse_.assign(3 * n, 0.0);
  part_.resize(ThreadPool::blocks_in(n / 3));
}

void ConjugateGradients::refilled() {
  const ThreadPool::Shift shift(thread_pool_, held_.size() / 3);
  thread_pool_.blocks(held_.size() / 3, [this](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      Matrix3 D = NodeBlock(A_.block(A_.graph().diagonal[a]));
      for (int i = 0; i < 3; ++i)
        if (held_[3 * a + static_cast<std::size_t>(i)] == 0.0) {
          D.row(i).setZero();
          D.col(i).setZero();
          D(i, i) = 1.0;
        }
      Eigen::Map<Matrix3>(inverse_.data() + 9 * a) = D.inverse();
    }
  });
}

/// Sum of use(begin, end) over blocks of nodes, added in block order.
template <class Use>
ConjugateGradients::Sums ConjugateGradients::over_nodes(const Use& use) const {
  thread_pool_.blocks(
      static_cast<std::size_t>(A_.graph().nodes()),
      [&](std::size_t k, std::size_t begin, std::size_t end) { part_[k] = use(begin, end); });
  Sums sum;
  for (const Sums& part : part_) {
    sum.first += part.first;
    sum.second += part.second;
  }
  return sum;
}

ConjugateGradients::Sums ConjugateGradients::start() const {
  return over_nodes([this](std::size_t begin, std::size_t end) {
    Vector3 rz = Vector3::Zero(), rr = Vector3::Zero();
    for (std::size_t a = begin; a < end; ++a) {
      const Eigen::Map<const Vector3> r(r_.data() + 3 * a);
      const Vector3 z = NodeBlock(inverse_.data() + 9 * a) * r;
      Eigen::Map<Vector3>(z_.data() + 3 * a) = z;
      Eigen::Map<Vector3>(p_.data() + 3 * a) = z;
      rz += r.cwiseProduct(z);
      rr += r.cwiseProduct(r);
    }
    return Sums{rz.sum(), rr.sum()};
  });
}

double ConjugateGradients::apply() const {
  return over_nodes([this](std::size_t begin, std::size_t end) {
           A_.multiply_rows(static_cast<int>(begin), static_cast<int>(end), p_.data(),
                            q_.data() + 3 * begin);
           Vector3 pq = Vector3::Zero();
           for (std::size_t i = 3 * begin; i < 3 * end; i += 3) {
             Eigen::Map<Vector3> q(q_.data() + i);
             q = q.cwiseProduct(Eigen::Map<const Vector3>(held_.data() + i)).eval();
             pq += q.cwiseProduct(Eigen::Map<const Vector3>(p_.data() + i));
           }
           return Sums{pq.sum(), 0.0};
         })
      .first;
}

ConjugateGradients::Sums ConjugateGradients::advance(double alpha) const {
  return over_nodes([this, alpha](std::size_t begin, std::size_t end) {
    Vector3 rz = Vector3::Zero(), rr = Vector3::Zero();
    for (std::size_t a = begin; a < end; ++a) {
      Eigen::Map<Vector3>(x_.data() + 3 * a) +=
          alpha * Eigen::Map<const Vector3>(p_.data() + 3 * a);
      Eigen::Map<Vector3> at(r_.data() + 3 * a);
      const Vector3 r = at - alpha * Eigen::Map<const Vector3>(q_.data() + 3 * a);
      const Vector3 z = NodeBlock(inverse_.data() + 9 * a) * r;
      at = r;
      Eigen::Map<Vector3>(z_.data() + 3 * a) = z;
      rz += r.cwiseProduct(z);
      rr += r.cwiseProduct(r);
    }
    return Sums{rz.sum(), rr.sum()};
  });
}

double ConjugateGradients::leave(const double* b) const {
  return over_nodes([this, b](std::size_t begin, std::size_t end) {
           A_.multiply_rows(static_cast<int>(begin), static_cast<int>(end), x_.data(),
                            q_.data() + 3 * begin);
           Vector3 rr = Vector3::Zero();
           for (std::size_t i = 3 * begin; i < 3 * end; i += 3) {
             const Vector3 r =
                 (Eigen::Map<const Vector3>(b + i) - Eigen::Map<const Vector3>(q_.data() + i))
                     .cwiseProduct(Eigen::Map<const Vector3>(held_.data() + i));
             Eigen::Map<Vector3>(r_.data() + i) = r;
             rr += r.cwiseProduct(r);
           }
           return Sums{rr.sum(), 0.0};
         })
      .first;
}

// Iterates from x_ with its residual r_ until |r| <= tolerance |b|
std::string_view ConjugateGradients::iterate(double b_b, int& left) const {
  const double enough = tolerance_ * tolerance_ * b_b;
  Sums of = start();
  square_ = of.second;
  for (; square_ > enough; --left) {
    if (left == 0) return tolerance_ > 0.0 ? kLimit : std::string_view{};
    if (stop_requested(stop_)) return kStopRequested;
    const double pq = apply();
    if (!(pq > 0.0)) return kIndefinite;
    const double before = of.first;
    of = advance(of.first / pq);
    square_ = of.second;
    const double beta = of.first / before;
    thread_pool_.blocks(static_cast<std::size_t>(A_.graph().nodes()),
                        [&](std::size_t, std::size_t begin, std::size_t end) {
                          for (std::size_t i = 3 * begin; i < 3 * end; ++i)
                            p_[i] = z_[i] + beta * p_[i];
                        });
  }
  return {};
}

void ConjugateGradients::solve_from_x(bool near) const {
  double b_b = 0.0;
  for (double b : b_) b_b += b * b;
  if (!near || b_b == 0.0) std::fill(x_.begin(), x_.end(), 0.0);
  if (b_b == 0.0) return;
  int left = iterations_;
  std::string_view failure;
  if (!std::isfinite(b_b)) {
    std::fill(x_.begin(), x_.end(), std::numeric_limits<double>::quiet_NaN());
  } else {
    if (near) square_ = leave(b_.data());
    if (!near || !(square_ <= b_b)) {
      std::fill(x_.begin(), x_.end(), 0.0);
      r_ = b_;
    }
    failure = iterate(b_b, left);
    for (int again = 0; tolerance_ > 0.0 && failure.empty(); ++again) {
      square_ = leave(b_.data());
      if (square_ <= 4.0 * tolerance_ * tolerance_ * b_b) break;
      if (again == kRestarts)
        failure = kLimit;
      else
        failure = iterate(b_b, left);
    }
    record_.residual = std::max(record_.residual, std::sqrt(square_ / b_b));
    record_.iterations += iterations_ - left;
    if (record_.failure.empty()) record_.failure = failure;
  }
}

void ConjugateGradients::solve(Eigen::Ref<Matrix> X) const {
  const ThreadPool::Shift shift(thread_pool_, held_.size() / 3);
  for (Eigen::Index column = 0; column < X.cols(); ++column) {
    auto x = X.col(column);
    gather(x, b_);
    solve_from_x(false);
    for (std::size_t i = 0; i < free_.size(); ++i)
      x[static_cast<Eigen::Index>(i)] = x_[static_cast<std::size_t>(free_[i])];
  }
}

void ConjugateGradients::solve_near(View b, Out x) const {
  const ThreadPool::Shift shift(thread_pool_, held_.size() / 3);
  gather(b, b_);
  gather(x, x_);
  solve_from_x(tolerance_ > 0.0);
  for (std::size_t i = 0; i < free_.size(); ++i)
    x[static_cast<Eigen::Index>(i)] = x_[static_cast<std::size_t>(free_[i])];
}

/// Copies components of x to their nodes.
void ConjugateGradients::gather(View x, AlignedArray& out) const {
  for (std::size_t i = 0; i < free_.size(); ++i)
    out[static_cast<std::size_t>(free_[i])] = x[static_cast<Eigen::Index>(i)];
}

void ConjugateGradients::multiply(View x, Out y) const {
  const ThreadPool::Shift shift(thread_pool_, held_.size() / 3);
  gather(x, p_);
  thread_pool_.blocks(held_.size() / 3, [this](std::size_t, std::size_t begin, std::size_t end) {
    A_.multiply_rows(static_cast<int>(begin), static_cast<int>(end), p_.data(),
                     q_.data() + 3 * begin);
  });
  for (std::size_t i = 0; i < free_.size(); ++i)
    y[static_cast<Eigen::Index>(i)] = q_[static_cast<std::size_t>(free_[i])];
}

bool ConjugateGradients::blocks(DiagonalBlocks& D, bool& whole) const {
  whole = false;
  if (tolerance_ == 0.0) return false;  // it approximates A^-1, so A is of no use
  for (std::size_t begin = 0, end = 0; begin < free_.size(); begin = end) {
    const int node = free_[begin] / 3;
    while (end < free_.size() && free_[end] / 3 == node) ++end;
    const double* const A = A_.block(A_.graph().diagonal[static_cast<std::size_t>(node)]);
    double* block = D.add(static_cast<int>(end - begin));
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = begin; j < end; ++j) *block++ = A[3 * (free_[j] % 3) + free_[i] % 3];
  }
  return true;
}

}  // namespace saltus
