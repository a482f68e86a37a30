#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/event_driven/impact_springs_internal.h"
#include "saltus/math/dense.h"
#include "saltus/math/tableaus.h"

namespace saltus::impact {
namespace {

constexpr double kAtRest = 1e-10;  ///< slip that has no direction
constexpr double kPlastic = 1e-5;  ///< expansion with smaller e would be too fast to integrate
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Pseudo-inverse of a symmetric semidefinite matrix.
Matrix inverse(const Matrix& A) {
  if (A.rows() == 0) return A;
  const SymmetricPairs pairs = symmetric_pairs(A);
  const double least = 1e-12 * pairs.values.cwiseAbs().maxCoeff();
  Vector d = pairs.values;
  for (double& x : d) x = x > least ? 1.0 / x : 0.0;
  return pairs.vectors * d.asDiagonal() * pairs.vectors.transpose();
}

double hertz(double delta) { return delta > 0.0 ? delta * std::sqrt(delta) : 0.0; }

}  // namespace

//     0 = W_hh P_h + W_hc P_c + u_h,     W <- W - W_:h W_hh^+ W_h:,     u <- u - W_:h W_hh^+ u_h
Springs::Springs(const Course& course) : problem_(course.problem) {
  const Matrix& W = problem_.W;
  std::vector<int> normals;
  for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
    const ImpactContact& c = problem_.contacts[i];
    if (c.form == ImpactForm::held) {
      held_.push_back(c.first);
      continue;
    }
    Contact& own = contacts_.emplace_back();
    own.place = static_cast<int>(i);
    own.first = c.first;
    own.tangents = c.friction > 0.0 ? c.tangents : 0;
    own.e = c.restitution < kPlastic ? 0.0 : c.restitution;
    own.friction = c.friction;
    normals.push_back(c.first);
  }
  held_inverse_ = inverse(W(held_, held_));
  held_rows_ = W(held_, Eigen::all);
  held_start_ = -held_inverse_ * course.u(held_);
  u_ = course.u + held_rows_.transpose() * held_start_;
  W_ = W - held_rows_.transpose() * held_inverse_ * held_rows_;
  const double noise = 1e-13 * course.fastest();
  double mobility = 0.0, speed = 0.0;
  for (const Contact& c : contacts_) {
    const double w = W(c.first, c.first);
    if (!(w > 0.0) || !(-u_[c.first] > noise * std::sqrt(w))) continue;
    speed = std::max(speed, -u_[c.first]);
    mobility = std::max(mobility, W_(c.first, c.first));
  }
  closes_ = speed > 0.0;
  mobility_ = power_below(mobility);
  speed_ = power_below(speed);
  W_ /= mobility_;
  u_ /= speed_;
}

Vector Springs::impulses(const Vector& y) const {
  Vector P = Vector::Zero(u_.size());
  for (const Contact& c : contacts_)
    P.segment(c.first, 1 + c.tangents) =
        y.segment(contacts() + c.first, 1 + c.tangents) * (speed_ / mobility_);
  const Vector of_held = held_start_ - held_inverse_ * (held_rows_ * P);
  for (std::size_t k = 0; k < held_.size(); ++k)
    P[held_[k]] = of_held[static_cast<Eigen::Index>(k)];
  return P;
}

Vector Springs::forces(const Vector& y, const Vector& u) const {
  Vector force = Vector::Zero(u.size());
  for (Eigen::Index i = 0; i < contacts(); ++i) {
    const Contact& c = contacts_[static_cast<std::size_t>(i)];
    if (c.normal == Normal::open) continue;
    const double normal = force[c.first] = hertz(y[i]);
    if (c.slip != Slip::slides) continue;
    Eigen::Vector2d t = c.direction;
    if (c.tangents == 2 && !c.starts) {
      const Eigen::Vector2d s = slip(c, u);
      if (const double size = s.norm(); size > kAtRest) t = s / size;
    }
    for (int a = 0; a < c.tangents; ++a) force[c.first + 1 + a] = -c.friction * normal * t[a];
  }
  if (!sticking_.empty())
    force(sticking_) = -sticking_inverse_ * (W_(sticking_, Eigen::all) * force);
  return force;
}

void Springs::rates(const Vector& y, Vector& f) const {
  const Vector u = velocity(y);
  f.resize(y.size());
  for (Eigen::Index i = 0; i < contacts(); ++i) {
    const Contact& c = contacts_[static_cast<std::size_t>(i)];
    f[i] = c.normal == Normal::open         ? 0.0
           : c.normal == Normal::compresses ? -u[c.first]
                                            : -u[c.first] / (c.e * c.e);
  }
  f.tail(u.size()) = forces(y, u);
}

void Springs::step(const Vector& y, double h, Vector& end, Vector& error) const {
  constexpr const Tableau& method = kDormandPrince;
  std::array<Vector, Tableau::kMost> k;
  Vector at;
  for (int i = 0; i <= method.stages; ++i) {
    at = y;
    for (int j = 0; j < i; ++j)
      if (const double a = method.a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
          a != 0.0)
        at += h * a * k[static_cast<std::size_t>(j)];
    rates(at, k[static_cast<std::size_t>(i)]);
  }
  end = at;  // the last stage is f at the end of the step
  error.setZero(y.size());
  for (std::size_t i = 0; i < Tableau::kMost; ++i)
    error += h * (method.b[i] - method.embedded[i]) * k[i];
  for (Eigen::Index i = 0; i < y.size(); ++i) error[i] /= 1.0 + std::abs(y[i]);
}

Vector Springs::events(const Vector& y) const {
  Vector g = Vector::Constant(3 * contacts(), kInfinite);
  const Vector u = velocity(y), force = forces(y, u);
  for (Eigen::Index i = 0; i < contacts(); ++i) {
    const Contact& c = contacts_[static_cast<std::size_t>(i)];
    g[3 * i] = c.normal == Normal::compresses ? -u[c.first] : u[c.first];
    if (c.normal == Normal::expands) g[3 * i + 1] = y[i];
    if (c.normal == Normal::open || c.tangents == 0) continue;
    if (c.slip == Slip::sticks)
      g[3 * i + 2] = c.friction * force[c.first] - slip(c, force).norm();
    else if (c.slip == Slip::slides)
      g[3 * i + 2] = c.direction.dot(slip(c, u)) - (c.tangents == 1 ? 0.0
                                                    : c.starts      ? -kAtRest
                                                                    : kAtRest);
  }
  return g;
}

void Springs::turn(const Vector& y) {
  const Vector u = velocity(y);
  for (Contact& c : contacts_) {
    if (c.slip != Slip::slides || c.tangents == 1) continue;
    const Eigen::Vector2d s = slip(c, u);
    c.starts = c.starts && s.norm() <= 2.0 * kAtRest;
    if (!c.starts && s.norm() > kAtRest) c.direction = s.normalized();
  }
}

void Springs::change(int event, Vector& y) {
  const auto i = static_cast<Eigen::Index>(event / 3);
  Contact& c = contacts_[static_cast<std::size_t>(i)];
  const auto compress = [&] {
    c.normal = Normal::compresses;
    ++compressions_;
  };
  const auto open = [&] {
    y[i] = 0.0;
    c.normal = Normal::open;
    c.slip = Slip::none;
    gather_sticking();
  };
  if (event % 3 == 2) {
    if (c.slip == Slip::sticks)
      rub(y, &c);
    else
      set_slip(c, y);
  } else if (event % 3 == 1) {
    if (c.normal == Normal::expands) open();
  } else if (c.normal == Normal::open) {
    compress();
    set_slip(c, y);
  } else if (c.normal == Normal::expands) {
    compress();
  } else if (c.e > 0.0) {
    c.normal = Normal::expands;
  } else {
    open();  // all stored energy is lost
  }
}

void Springs::set_slip(Contact& c, Vector& y) {
  if (c.tangents == 0) return;
  const Eigen::Vector2d s = slip(c, velocity(y));
  if (s.norm() > 2.0 * kAtRest) {
    c.slip = Slip::slides;
    c.starts = false;
    c.direction = s.normalized();
    gather_sticking();
  } else {
    rub(y, nullptr);
  }
}

// Contacts without slip, from the rates of the slips and the given lambda_N:
//     |lambda_T| <= mu lambda_N,   u_T' = 0, or opposite to lambda_T if |lambda_T| = mu lambda_N
// solved contact by contact. (Gauss-Seidel: W may be singular.)
void Springs::rub(Vector& y, Contact* must_slide) {
  const Vector u = velocity(y);
  Vector force = forces(y, u);
  std::vector<Contact*> resting;
  bool none = true;
  for (Contact& c : contacts_) none = none && !(force[c.first] > 0.0);
  for (Contact& c : contacts_) {
    if (c.normal == Normal::open || c.tangents == 0) continue;
    // at the first contact the forces are still 0: those for the present speeds are used
    if (none) force[c.first] = hertz(-u[c.first]);
    if (c.slip == Slip::sticks || slip(c, u).norm() <= 2.0 * kAtRest) resting.push_back(&c);
  }
  for (int sweep = 0; sweep < 2000; ++sweep) {
    double change = 0.0;
    for (Contact* c : resting) {
      double trace = 0.0;
      for (int a = 1; a <= c->tangents; ++a) trace += W_(c->first + a, c->first + a);
      if (!(trace > 0.0)) continue;
      Eigen::Vector2d t = slip(*c, force);
      for (int a = 0; a < c->tangents; ++a) t[a] -= W_.row(c->first + 1 + a).dot(force) / trace;
      const double bound = c->friction * force[c->first], size = t.norm();
      if (size > bound) t *= bound / size;
      for (int a = 0; a < c->tangents; ++a) {
        change = std::max(change, std::abs(t[a] - force[c->first + 1 + a]));
        force[c->first + 1 + a] = t[a];
      }
    }
    if (change <= 1e-15 * force.cwiseAbs().maxCoeff()) break;
  }
  for (Contact* c : resting) {
    const double bound = c->friction * force[c->first];
    const Eigen::Vector2d t = slip(*c, force);
    c->slip = c != must_slide && t.norm() < (1.0 - 1e-9) * bound ? Slip::sticks : Slip::slides;
    if (c->slip == Slip::sticks) continue;
    Eigen::Vector2d rate = Eigen::Vector2d::Zero();
    for (int a = 0; a < c->tangents; ++a) rate[a] = W_.row(c->first + 1 + a).dot(force);
    if (t.norm() > 0.0) rate = -t;
    c->direction = rate.norm() > 0.0 ? rate.normalized() : Eigen::Vector2d(1.0, 0.0);
    c->starts = c->tangents == 2;
  }
  // the remaining slips have random directions
  std::vector<int> rows;
  for (const Contact* c : resting)
    for (int a = 1; a <= c->tangents; ++a) rows.push_back(c->first + a);
  const Vector rest = inverse(W_(rows, rows)) * u(rows);
  for (std::size_t k = 0; k < rows.size(); ++k)
    y[contacts() + rows[k]] -= rest[static_cast<Eigen::Index>(k)];
  gather_sticking();
}

void Springs::gather_sticking() {
  sticking_.clear();
  for (const Contact& c : contacts_)
    for (int a = 1; a <= c.tangents && c.slip == Slip::sticks; ++a)
      sticking_.push_back(c.first + a);
  sticking_inverse_ = inverse(W_(sticking_, sticking_));
}

bool Springs::over(const Vector& y, double least) const {
  const Vector u = velocity(y);
  for (Eigen::Index i = 0; i < contacts(); ++i)
    if (-u[contacts_[static_cast<std::size_t>(i)].first] > least ||
        hertz(y[i]) * y[i] > least * least)
      return false;
  return true;
}

// About a twentieth of the duration of a contact, so that no event is passed twice in a step.
double Springs::longest() const {
  double h = kInfinite;
  for (const Contact& c : contacts_)
    if (const double w = W_(c.first, c.first); c.normal != Normal::open && w > 0.0)
      h = std::min(h, 0.15 * std::pow(w, -0.4));
  return std::isfinite(h) ? h : 1.0;
}

}  // namespace saltus::impact
