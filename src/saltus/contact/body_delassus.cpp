#include "saltus/contact/body_delassus.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

constexpr int kWidth = 6;  // largest number of velocity components of a body

/// y = A_b^-1 x.
void divide(const BodyRows& H, int b, const double* x, double* y) {
  const int w = H.width;
  const double* A = H.inverse.data() + at(b) * at(w * w);
  for (int i = 0; i < w; ++i) {
    y[i] = 0.0;
    for (int j = 0; j < w; ++j) y[i] += A[i * w + j] * x[j];
  }
}

const double* row(const BodyRows& H, int k, int i) {
  return H.value.data() + H.start[at(k)] + at(i) * at(H.width);
}

/// Velocities of the bodies in one product. Never shrinks, so that nothing is allocated once
/// a size has occurred.
double* workspace(std::size_t count) {
  thread_local std::vector<double> data;  // written before it is read
  if (data.size() < count) data.resize(count);
  return data.data();
}

void check(const BodyRows& H) {
  const int w = H.width;
  expects(w >= 1 && w <= kWidth, "bodies have 1 to 6 velocity components");
  expects(H.inverse.size() % at(w * w) == 0, "inverse must consist of whole blocks, width x width");
  expects(!H.first.empty() && H.first.size() == H.offset.size() && H.first[0] == 0 &&
              H.offset[0] == 0 && at(H.offset.back()) == H.body.size() &&
              H.start.size() == H.body.size(),
          "first, offset, body and start of the contacts are inconsistent");
  for (int b = 0; b < H.bodies(); ++b) {
    const double* A = H.inverse.data() + at(b) * at(w * w);
    double largest = 0.0, skew = 0.0;
    for (int i = 0; i < w; ++i)
      for (int j = 0; j < w; ++j) {
        largest = std::max(largest, std::abs(A[i * w + j]));
        skew = std::max(skew, std::abs(A[i * w + j] - A[j * w + i]));
      }
    expects(skew <= 1e-12 * largest, "the inverse matrix of a body is not symmetric");
  }
  for (int c = 0; c < H.contacts(); ++c) {
    expects(H.size(c) > 0 && H.offset[at(c) + 1] >= H.offset[at(c)],
            "contacts must have rows and come in order");
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
      expects(
          H.body[at(k)] >= 0 && H.body[at(k)] < H.bodies() &&
              H.start[at(k)] + at(H.size(c) * w) <= H.value.size() &&
              !(H.opposite(c, k) && H.opposite(c, k - 1)),
          "a contact refers to a missing body or missing rows, or uses a block for three bodies");
  }
}

}  // namespace

void block_of(const BodyRows& H, int c, int d, double* W) {
  const int rows = H.size(c), columns = H.size(d), w = H.width;
  std::fill(W, W + rows * columns, 0.0);
  for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
    for (int l = H.offset[at(d)]; l < H.offset[at(d) + 1]; ++l) {
      if (H.body[at(k)] != H.body[at(l)]) continue;
      const double sign = H.opposite(c, k) != H.opposite(d, l) ? -1.0 : 1.0;
      for (int j = 0; j < columns; ++j) {
        double y[kWidth];
        divide(H, H.body[at(k)], row(H, l, j), y);
        for (int i = 0; i < rows; ++i) {
          const double* H_i = row(H, k, i);
          double sum = 0.0;
          for (int m = 0; m < w; ++m) sum += H_i[m] * y[m];
          W[i * columns + j] += sign * sum;
        }
      }
    }
}

void velocities_of(const BodyRows& H, View p, double* v) {
  const int w = H.width;
  std::fill(v, v + H.inverse.size() / at(w), 0.0);
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k) {
      double* const v_b = v + at(H.body[at(k)]) * at(w);
      const double sign = H.opposite(c, k) ? -1.0 : 1.0;
      for (int i = 0; i < H.size(c); ++i) {
        const double p_i = sign * p[H.first[at(c)] + i];
        const double* H_i = row(H, k, i);
        for (int m = 0; m < w; ++m) v_b[m] += H_i[m] * p_i;
      }
    }
  for (int b = 0; b < H.bodies(); ++b) {
    double x[kWidth], *const v_b = v + at(b) * at(w);
    std::copy(v_b, v_b + w, x);
    divide(H, b, x, v_b);
  }
}

namespace {

/// u = H v on contacts begin .. end - 1
void rows_of(const BodyRows& H, int begin, int end, const double* v, Out u) {
  const int w = H.width;
  u.segment(H.first[at(begin)], H.first[at(end)] - H.first[at(begin)]).setZero();
  for (int c = begin; c < end; ++c)
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k) {
      const double* const v_b = v + at(H.body[at(k)]) * at(w);
      const double sign = H.opposite(c, k) ? -1.0 : 1.0;
      for (int i = 0; i < H.size(c); ++i) {
        const double* H_i = row(H, k, i);
        double sum = 0.0;
        for (int m = 0; m < w; ++m) sum += H_i[m] * v_b[m];
        u[H.first[at(c)] + i] += sign * sum;
      }
    }
}

}  // namespace

void rows_of(const BodyRows& H, const double* v, Out u) { rows_of(H, 0, H.contacts(), v, u); }

BodyDelassus::BodyDelassus(BodyRows rows) : H_(std::move(rows)) {
  check(H_);
  index();
}

void BodyDelassus::index() {
  size_ = H_.contacts() > 0 ? H_.size(0) : 1;
  for (int c = 0; c < H_.contacts() && size_ > 0; ++c)
    if (H_.size(c) != size_) size_ = 0;
  if (size_ == 0) {
    contact_.resize(at(H_.rows()));
    for (int c = 0; c < H_.contacts(); ++c)
      std::fill(contact_.begin() + H_.first[at(c)], contact_.begin() + H_.first[at(c) + 1], c);
  }
  const auto visit = [&](int c, const auto& use) {  // each body of contact c, once
    const auto begin = H_.body.begin() + H_.offset[at(c)];
    for (auto k = begin; k != H_.body.begin() + H_.offset[at(c) + 1]; ++k)
      if (std::find(begin, k, *k) == k) use(*k);
  };
  touch_offset_.assign(at(H_.bodies()) + 1, 0);
  for (int c = 0; c < H_.contacts(); ++c) visit(c, [&](int b) { ++touch_offset_[at(b)]; });
  int end = 0;
  for (int& count : touch_offset_) count = end += count;
  touch_.resize(at(end));
  // Fills the range of each body from its end to its begin.
  for (int c = H_.contacts() - 1; c >= 0; --c)
    visit(c, [&](int b) { touch_[at(--touch_offset_[at(b)])] = c; });
  known_ = false;
}

void BodyDelassus::make_diagonal() {
  diagonal_.resize(H_.rows());
  in_blocks(at(H_.contacts()), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      for (int i = H_.first[c]; i < H_.first[c + 1]; ++i) diagonal_[i] = product(i, i);
  });
  known_ = true;
}

double BodyDelassus::product(int i, int j) const {
  const int c = contact_of(i), d = contact_of(j), w = H_.width;
  double W_ij = 0.0;
  for (int k = H_.offset[at(c)]; k < H_.offset[at(c) + 1]; ++k)
    for (int l = H_.offset[at(d)]; l < H_.offset[at(d) + 1]; ++l) {
      if (H_.body[at(k)] != H_.body[at(l)]) continue;
      double y[kWidth], sum = 0.0;
      divide(H_, H_.body[at(k)], row(H_, l, j - H_.first[at(d)]), y);
      const double* H_i = row(H_, k, i - H_.first[at(c)]);
      for (int m = 0; m < w; ++m) sum += H_i[m] * y[m];
      W_ij += H_.opposite(c, k) != H_.opposite(d, l) ? -sum : sum;
    }
  return W_ij;
}

void BodyDelassus::column(int j, double p, Out u) const {
  const int d = contact_of(j), w = H_.width;
  for (int l = H_.offset[at(d)]; l < H_.offset[at(d) + 1]; ++l) {
    const int b = H_.body[at(l)];
    double v[kWidth];  // velocity of body b due to p
    divide(H_, b, row(H_, l, j - H_.first[at(d)]), v);
    for (int m = 0; m < w; ++m) v[m] *= H_.opposite(d, l) ? -p : p;
    for (int n = touch_offset_[at(b)]; n < touch_offset_[at(b) + 1]; ++n) {
      const int c = touch_[at(n)];
      for (int k = H_.offset[at(c)]; k < H_.offset[at(c) + 1]; ++k) {
        if (H_.body[at(k)] != b) continue;
        const double sign = H_.opposite(c, k) ? -1.0 : 1.0;
        for (int i = 0; i < H_.size(c); ++i) {
          const double* H_i = row(H_, k, i);
          double sum = 0.0;
          for (int m = 0; m < w; ++m) sum += H_i[m] * v[m];
          u[H_.first[at(c)] + i] += sign * sum;
        }
      }
    }
  }
}

// v_b = A_b^-1 sum_c H_cb^T p_c,  c increasing as in velocities_of();  u = H v
void BodyDelassus::apply(View p, Out u) const {
  const int w = H_.width;
  double* const v = workspace(H_.inverse.size() / at(w));
  in_blocks(at(H_.bodies()), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (int b = static_cast<int>(begin); b < static_cast<int>(end); ++b) {
      double x[kWidth] = {};
      for (const int c : contacts_of(b))
        for (int k = H_.offset[at(c)]; k < H_.offset[at(c) + 1]; ++k) {
          if (H_.body[at(k)] != b) continue;
          const double sign = H_.opposite(c, k) ? -1.0 : 1.0;
          for (int i = 0; i < H_.size(c); ++i) {
            const double p_i = sign * p[H_.first[at(c)] + i];
            const double* H_i = row(H_, k, i);
            for (int m = 0; m < w; ++m) x[m] += H_i[m] * p_i;
          }
        }
      divide(H_, b, x, v + at(b) * at(w));
    }
  });
  in_blocks(at(H_.contacts()), [&](std::size_t, std::size_t begin, std::size_t end) {
    rows_of(H_, static_cast<int>(begin), static_cast<int>(end), v, u);
  });
}

}  // namespace saltus
