#include "saltus/solvers/group_newton.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "saltus/solvers/local_coulomb.h"
#include "saltus/solvers/local_rolling.h"

namespace saltus {
namespace {

template <class T>
void grow(std::vector<T>& v, std::size_t size) {
  if (v.size() < size) v.resize(size);
}

}  // namespace

void GroupNewton::begin(const ContactGroups& groups, Stop* stop) {
  groups_ = &groups;
  stop_ = stop;
  const std::size_t n = at(groups.rows());
  p.resize(n), u.resize(n), centre.resize(n);
  d_.resize(n), Wd_.resize(n);
  grow(y_, n);
  grow(patterns_, at(groups.groups()));
  grow(J_, groups.W.value.size());
}

void GroupNewton::choose(int g) {
  group_ = g;
  begin_ = groups_->begin[at(g)], end_ = groups_->begin[at(g) + 1];
  grow(slope_, at(contacts()));
  grow(kept_, at(contacts()));
  grow(sizes_, at(contacts()));
  reserved_ = false;
}

void GroupNewton::multiply(const double* x, double* y) const {
  const BlockMatrix& W = groups_->W;
  for (int c = begin_; c < end_; ++c) {
    const int size = W.size(c), first = W.first[at(c)];
    double sum[kContactRows] = {};
    if (size == 3) {
      for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
        const int d = W.column[at(k)];
        const double* const block = W.block(k);
        const double* const x_d = x + W.first[at(d)];
        if (W.size(d) == 3) {
          for (int i = 0; i < 3; ++i)
            sum[i] += block[3 * i] * x_d[0] + block[3 * i + 1] * x_d[1] + block[3 * i + 2] * x_d[2];
          continue;
        }
        const int width = W.size(d);
        for (int i = 0; i < size; ++i)
          for (int j = 0; j < width; ++j) sum[i] += block[i * width + j] * x_d[j];
      }
    } else {
      for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
        const int d = W.column[at(k)], width = W.size(d);
        const double* const block = W.block(k);
        const double* const x_d = x + W.first[at(d)];
        for (int i = 0; i < size; ++i)
          for (int j = 0; j < width; ++j) sum[i] += block[i * width + j] * x_d[j];
      }
    }
    for (int i = 0; i < size; ++i) y[first + i] = sum[i];
  }
}

void GroupNewton::velocities() {
  multiply(p.data(), u.data());
  for (int i = first_row(); i < end_row(); ++i) u[at(i)] += groups_->b[at(i)];
}

double GroupNewton::natural2() const {
  double sum = 0.0;
  for (int c = begin_; c < end_; ++c) {
    const GroupedContact& contact = groups_->contacts[at(c)];
    const std::size_t i = at(contact.first);
    sum += natural_map2(contact.cone, groups_->natural_rho[i], &u[i], &p[i]);
  }
  return sum;
}

double GroupNewton::size2() const {
  double p2 = 0.0, b2 = 0.0;
  for (int i = first_row(); i < end_row(); ++i) {
    const double rho = groups_->rho[at(i)];
    p2 += p[at(i)] * p[at(i)] / rho;
    b2 += groups_->b[at(i)] * groups_->b[at(i)] * rho;
  }
  return std::max(p2, b2);
}

double GroupNewton::merit_at(double alpha, double t) const {
  double sum = 0.0;
  for (int c = begin_; c < end_; ++c) {
    const GroupedContact& contact = groups_->contacts[at(c)];
    double p_t[kContactRows], u_t[kContactRows], Phi[kContactRows];
    for (int i = 0; i < contact.size; ++i) {
      const std::size_t r = at(contact.first + i);
      p_t[i] = p[r], u_t[i] = u[r];
      if (t != 0.0) p_t[i] += t * d_[r], u_t[i] += t * Wd_[r];
      if (alpha != 0.0) u_t[i] += alpha / groups_->rho[r] * (p_t[i] - centre[r]);
    }
    sum += contact_map(contact, &groups_->rho[at(contact.first)], u_t, p_t, Phi);
  }
  return sum;
}

void GroupNewton::start_again(int number) {
  std::uint64_t state = 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(number) + 1);
  const auto next = [&] {  // in [-1, 1)
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
  };
  double b2 = 0.0;  // mean of (rho b)^2 D: each contact gets a part of it in its own unit
  for (int i = first_row(); i < end_row(); ++i)
    b2 += groups_->b[at(i)] * groups_->b[at(i)] * groups_->rho[at(i)];
  const double size = std::sqrt(b2 / contacts());
  for (int c = begin_; c < end_; ++c) {
    const GroupedContact& contact = groups_->contacts[at(c)];
    double* const p_c = &p[at(contact.first)];
    const double scale = size * std::sqrt(groups_->rho[at(contact.first)]);
    switch (contact.cone.kind) {
      case LawKind::equality:
        p_c[0] = scale * next();
        break;
      case LawKind::box:
        p_c[0] = contact.cone.bound * next();
        break;
      default:
        p_c[0] = scale * std::max(next(), 0.0);
        for (int k = 0, i = 1; k < contact.cone.kParts; ++k)
          for (const int end = i + contact.cone.rows[k]; i < end; ++i)
            p_c[i] = contact.cone.radius[k] * p_c[0] * next();
    }
  }
}

void GroupNewton::sweep() {
  for (int c = begin_; c < end_ && !stop_requested(stop_); ++c) sweep_contact(c);
  for (int c = end_ - 1; c >= begin_ && !stop_requested(stop_); --c) sweep_contact(c);
}

void GroupNewton::sweep_contact(int c) {
  const BlockMatrix& W = groups_->W;
  const GroupedContact& contact = groups_->contacts[at(c)];
  if (contact.fixed) return;
  const int size = contact.size;
  double b[kContactRows] = {};
  for (int i = 0; i < size; ++i) b[i] = groups_->b[at(contact.first + i)];
  const double* W_cc = nullptr;
  for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
    const int d = W.column[at(k)], width = W.size(d);
    const double* const block = W.block(k);
    if (d == c) {
      W_cc = block;
      continue;
    }
    const double* const p_d = &p[at(W.first[at(d)])];
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < width; ++j) b[i] += block[i * width + j] * p_d[j];
  }
  double* const p_c = &p[at(contact.first)];
  const double* const radius = contact.cone.radius;
  switch (contact.cone.kind) {
    case LawKind::coulomb:
      return solve_coulomb(size, W_cc, b, radius[0], p_c);
    case LawKind::rolling:
      return solve_rolling(size, W_cc, b, radius[0], radius[1], radius[2], p_c);
    case LawKind::unilateral:  // project() would keep -0
      p_c[0] = std::max(0.0, -b[0] / W_cc[0]);
      return;
    default:
      p_c[0] = contact.cone.project(-b[0] / W_cc[0]);
  }
}

/// J = R (W + alpha D) C + E by blocks, y = right - R (W + alpha D) d.
void GroupNewton::reduce(double alpha) {
  const BlockMatrix& W = groups_->W;
  const std::vector<double>& rho = groups_->rho;
  bool moved = false;
  for (int c = begin_; c < end_; ++c) {
    const GroupedContact& contact = groups_->contacts[at(c)];
    double u_a[kContactRows];
    for (int i = 0; i < contact.size; ++i) {
      const std::size_t r = at(contact.first + i);
      u_a[i] = u[r] + alpha / rho[r] * (p[r] - centre[r]);
    }
    ContactSlope& slope = slope_[at(c - begin_)];
    contact_slope(contact, &rho[at(contact.first)], u_a, &p[at(contact.first)], slope);
    kept_[at(c - begin_)] = slope.kept;
    for (int i = 0; i < contact.size; ++i) {
      d_[at(contact.first + i)] = slope.d[i];
      moved = moved || slope.d[i] != 0.0;
    }
  }
  if (moved)
    multiply(d_.data(), Wd_.data());
  else
    std::fill(Wd_.begin() + first_row(), Wd_.begin() + end_row(), 0.0);

  double* y = y_.data();
  for (int c = begin_; c < end_; ++c) {
    const GroupedContact& contact = groups_->contacts[at(c)];
    const ContactSlope& row = slope_[at(c - begin_)];
    if (row.kept == 0) continue;
    const int size = contact.size;
    double Wd[kContactRows];
    for (int i = 0; i < size; ++i) {
      const std::size_t r = at(contact.first + i);
      Wd[i] = Wd_[r] + alpha / rho[r] * d_[r];
    }
    for (int a = 0; a < row.kept; ++a) {
      double sum = row.right[a];
      if (row.whole)
        sum -= Wd[a];
      else
        for (int i = 0; i < size; ++i) sum -= row.R[a * size + i] * Wd[i];
      *y++ = sum;
    }
    for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
      const int d = W.column[at(k)], width = W.size(d);
      const ContactSlope& column = slope_[at(d - begin_)];
      if (column.kept == 0) continue;
      double block[kContactRows * kContactRows], half[kContactRows * kContactRows];
      const double* left = W.block(k);
      if (c == d) {
        std::copy(left, left + size * size, block);
        for (int i = 0; i < size; ++i) block[i * size + i] += alpha / rho[at(contact.first + i)];
        left = block;
      }
      if (!row.whole) {
        for (int a = 0; a < row.kept; ++a)
          for (int j = 0; j < width; ++j) {
            double sum = 0.0;
            for (int i = 0; i < size; ++i) sum += row.R[a * size + i] * left[i * width + j];
            half[a * width + j] = sum;
          }
        left = half;
      }
      double* const to = J_.data() + W.start[at(k)];
      if (column.whole) {
        std::copy(left, left + row.kept * width, to);
      } else {
        for (int a = 0; a < row.kept; ++a)
          for (int e = 0; e < column.kept; ++e) {
            double sum = 0.0;
            for (int j = 0; j < width; ++j)
              sum += left[a * width + j] * column.C[kContactRows * j + e];
            to[a * column.kept + e] = sum;
          }
      }
      if (c == d)
        for (int a = 0; a < row.kept; ++a) to[a * row.kept + a] += row.E[a];
    }
  }
}

bool GroupNewton::direction(double alpha) {
  const BlockMatrix& W = groups_->W;
  reduce(alpha);
  BlockPattern& pattern = patterns_[at(group_)];
  pattern.analyse({contacts(), W.offset.data() + begin_, W.column.data(), begin_});
  if (!reserved_) {  // statuses change, contacts do not
    for (int c = begin_; c < end_; ++c) sizes_[at(c - begin_)] = W.size(c);
    lu_.reserve(pattern, sizes_.data());
    reserved_ = true;
  }
  if (!lu_.factorise(pattern, kept_.data(), J_.data(), W.start.data() + W.offset[at(begin_)],
                     stop_))
    return false;
  lu_.solve(y_.data());
  const double* y = y_.data();
  bool finite = true;
  for (int c = begin_; c < end_; ++c) {
    const GroupedContact& contact = groups_->contacts[at(c)];
    const ContactSlope& slope = slope_[at(c - begin_)];
    for (int i = 0; i < contact.size; ++i) {
      double& d = d_[at(contact.first + i)];
      if (slope.whole)
        d += y[i];
      else
        for (int a = 0; a < slope.kept; ++a) d += slope.C[kContactRows * i + a] * y[a];
      finite = finite && std::isfinite(d);
    }
    y += slope.kept;
  }
  if (finite) multiply(d_.data(), Wd_.data());
  return finite;
}

double GroupNewton::length2() const {
  double sum = 0.0;
  for (int i = first_row(); i < end_row(); ++i) sum += d_[at(i)] * d_[at(i)] / groups_->rho[at(i)];
  return sum;
}

void GroupNewton::step(double t) {
  for (int i = first_row(); i < end_row(); ++i) {
    p[at(i)] += t * d_[at(i)];
    u[at(i)] += t * Wd_[at(i)];
  }
}

}  // namespace saltus
