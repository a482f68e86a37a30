// Degrees of freedom, some of them prescribed: q holds the others, in ascending order.
#pragma once
#include <algorithm>
#include <climits>
#include <span>
#include <string>
#include <vector>

#include "saltus/bodies/signal.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

// Transfer between a full vector and its entries at the indices `at`.
/// all[at[i]] = part[i]
inline void scatter(std::span<const int> at, View part, Vector& all) {
  for (std::size_t i = 0; i < at.size(); ++i) all[at[i]] = part[static_cast<Eigen::Index>(i)];
}
/// part[i] = all[at[i]]
inline void gather(std::span<const int> at, const Vector& all, Out part) {
  for (std::size_t i = 0; i < at.size(); ++i) part[static_cast<Eigen::Index>(i)] = all[at[i]];
}
/// sum all[at[i]] w[i]
inline double dot(std::span<const int> at, View all, View w) {
  double sum = 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) sum += all[at[i]] * w[static_cast<Eigen::Index>(i)];
  return sum;
}

/// out += pattern signal(t) of each load.
void add_loads(std::span<const Load> loads, double t, Vector& out);
/// Adds a source if `there` and returns its index, else -1.
int add_account(std::vector<Source>& sources, bool there, const char* name, bool potential);

/// Wording of messages about degrees of freedom: "fem: degree of freedom 5 (3 node + axis)".
struct DofWords {
  std::string body;   ///< prefix, "fem: "
  std::string range;  ///< those that exist
  std::string (*name)(int dof) = [](int dof) { return "degree of freedom " + std::to_string(dof); };
};

/// Appends the break points of the `signal` of each load.
template <class Loads>
void breaks_of_loads(const Loads& loads, Breaks& out) {
  for (const auto& load : loads) load.signal.points(out.ends);
}

inline void breaks_of_motion(std::span<const Prescribed> prescribed, Breaks& out) {
  for (const Prescribed& p : prescribed) {
    p.signal.points(out.ends, true);
    p.signal.jumps(out.jumps);
  }
}

class FreeDofs {
 public:
  FreeDofs() = default;
  /// Degrees of freedom 0 to `count` - 1; of every three, only the first `axes` exist. Throws
  /// UsageError if prescribed motion or a load acts on one that does not exist, one is prescribed
  /// twice, a weight of a load is not finite, or none is free.
  FreeDofs(int count, std::span<const Prescribed> prescribed, std::span<const Load> loads,
           DofWords words, int axes = 3);

  int all() const { return static_cast<int>(component_.size()); }
  int free() const { return static_cast<int>(dofs_.size()); }
  int prescribed() const { return static_cast<int>(held_.size()); }
  bool moving() const { return moving_; }              ///< prescribed motion varies in time
  std::span<const int> dofs() const { return dofs_; }  ///< degree of freedom of each component of q
  std::span<const Prescribed> held() const { return held_; }
  /// Component of q, -1: none. UsageError if there is no such degree of freedom.
  int component(int dof) const;

  // unchecked
  int operator[](int dof) const { return std::max(component_[static_cast<std::size_t>(dof)], -1); }
  /// Index of its prescribed motion, -1: none.
  int held(int dof) const {
    const int c = component_[static_cast<std::size_t>(dof)];
    return c < 0 && c != kNone ? ~c : -1;
  }
  /// True if the degree of freedom is prescribed or a component of q.
  bool there(int dof) const { return component_[static_cast<std::size_t>(dof)] != kNone; }
  const Signal& signal(int j) const { return held_[static_cast<std::size_t>(j)].signal; }

  void scatter(View part, Vector& all) const { saltus::scatter(dofs_, part, all); }
  void gather(const Vector& all, Out part) const { saltus::gather(dofs_, all, part); }
  double dot(View all, View w) const { return saltus::dot(dofs_, all, w); }
  /// Sets prescribed entries to the value, rate or second derivative of their motion.
  void move(double t, double (Signal::*of)(double) const, Vector& all) const {
    for (const Prescribed& p : held_) all[p.dof] = (p.signal.*of)(t);
  }
  void breaks(Breaks& out) const { breaks_of_motion(held_, out); }
  void stop(Vector& rates) const {
    for (const Prescribed& p : held_) rates[p.dof] = 0.0;
  }
  void put(double t, View q, Vector& all) const {
    scatter(q, all);
    move(t, &Signal::value, all);
  }
  void put_rates(double t, View v, Vector& all) const {
    scatter(v, all);
    move(t, &Signal::rate, all);
  }

 private:
  static constexpr int kNone = INT_MIN;
  void refuse(int dof, const char* what) const;
  std::vector<int> dofs_, component_;  ///< ~j: prescribed motion j
  std::vector<Prescribed> held_;
  bool moving_ = false;
  DofWords words_;
};

}  // namespace saltus
