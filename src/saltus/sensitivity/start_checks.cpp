#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/sensitivity/start_checks_internal.h"

namespace saltus::sensitivity {
namespace {

std::string contact_name(ParameterDifferences& d, std::uint64_t key) {
  return fmt::format("contact {} ({})", key, d.runner().motion().contacts().bodies_of(key));
}

}  // namespace

void check_start(ParameterDifferences& d, const Run& run, const std::vector<Direction>& s) {
  constexpr double kLeast = 1e-6, kNone = 1e-3;
  const EventTrace::Step& step = *run.stretches.front().step;
  std::vector<std::uint64_t> keys;
  std::vector<int> tangents;
  d.runner().place(step.t0, run.start, step.modes, run.stretches.front().e);
  const int joints = d.runner().motion().joints().rows();
  for (const ContactMode& mode : step.modes) {
    const std::size_t i = d.runner().find(mode.key);
    const ContactLaw& law = d.runner().motion().contacts().law(i);
    if (law.held_rows(0, mode.kind == ContactMode::Kind::sticks) == 0) continue;
    keys.push_back(mode.key);
    tangents.push_back(mode.kind == ContactMode::Kind::sticks
                           ? d.runner().motion().contacts().contact(i).tangents
                           : 0);
  }
  if (keys.empty() && joints == 0) return;
  // For every row its gap (normals of unilateral contacts, joints) and its rate.
  const auto f = [&](Runner& r, const Groups& groups, double t) {
    r.place(t, groups, step.modes, 1.0);
    std::vector<double> x;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::size_t i = r.find(keys[k]);
      const bool unilateral = r.motion().contacts().law(i).unilateral();
      x.push_back(unilateral ? r.motion().contacts().gap(i) : 0.0);
      for (int a = 0; a <= tangents[k]; ++a) x.push_back(r.motion().contacts().rate(i, a));
    }
    Vector all = Eigen::Map<Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
    if (joints > 0) {
      Matrix G;
      Vector rate, gap;
      r.motion().joints().dense(G, rate);
      r.motion().joints().gaps(gap);
      Vector more(all.size() + 2 * joints);
      more << all, gap, rate;
      all = more;
    }
    return all;
  };
  // Magnitudes of the same rows, for directions that change them at all.
  for (std::size_t j = 0; j < s.size(); ++j) {
    const Vector change = d.total(j, run.start, step.t0, s[j], f);
    d.runner().place(step.t0, run.start, step.modes, 1.0);
    double of_model = 0.0;
    if (d.of_model(j)) {
      const Vector p = d.through_model(j, run.start, step.t0, f);
      of_model = p.size() > 0 ? p.cwiseAbs().maxCoeff() : 0.0;
    }
    const Vector reach = s[j].w.cwiseAbs() + d.time() * s[j].v.cwiseAbs();
    const auto refuse = [&](const std::string& what) {
      throw Refusal{fmt::format("'{}' moves the start off {}: the derivative is one-sided at best",
                                d.parameters()[j].name, what)};
    };
    Eigen::Index row = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::size_t i = d.runner().find(keys[k]);
      for (int a = -1; a <= tangents[k]; ++a, ++row) {
        const double size = d.size_of_row(i, std::max(a, 0), reach) + of_model;
        if (std::abs(change[row]) * (a < 0 ? 1.0 : d.time()) > kLeast * size)
          refuse(fmt::format("contact {}, which is closed there", keys[k]));
      }
    }
    if (joints == 0) continue;
    Matrix G;
    Vector rate;
    d.runner().motion().joints().dense(G, rate);
    const Vector sizes = G.cwiseAbs() * reach;
    for (int i = 0; i < joints; ++i) {
      // for a row that nothing moves, the only reference is the round-off of the other rows
      const double size = std::max(sizes[i], kNone * sizes.maxCoeff()) + of_model;
      if (std::abs(change[row + i]) > kLeast * size ||
          std::abs(change[row + joints + i]) * d.time() > kLeast * size)
        refuse("the joints");
    }
  }
}

void check_limits(ParameterDifferences& d, const Run& run, const std::vector<Direction>& s) {
  constexpr double kTurned = 1e-8, kRest = 1e-9;
  for (const Event& event : run.at_start)
    if (event.kind == Event::Kind::impact) {
      d.runner().place(event.t, run.start, {}, 1.0);
      throw Refusal{fmt::format(
          "{} closes with {:.3g} m/s at the start of the run, and an impact there cannot be "
          "differentiated: start the run a little before it, or after it",
          contact_name(d, event.key), -event.speed)};
    }
  const EventTrace::Step& step = *run.stretches.front().step;
  if (!d.runner().motion().contacts().any()) return;
  const Runner::Begin here = d.runner().begin(step.t0, run.start, step.modes, d.time());
  if (!here.known) return;
  std::vector<std::uint64_t> resting;  // contacts that begin to slip
  d.runner().place(step.t0, run.start, here.modes, 1.0);
  for (const ContactMode& mode : here.modes) {
    if (mode.kind != ContactMode::Kind::slides) continue;
    const std::size_t i = d.runner().find(mode.key);
    const EventContacts& contacts = d.runner().motion().contacts();
    double slip = 0.0, size = 0.0;
    for (int a = 1; a <= contacts.contact(i).tangents; ++a) {
      slip = std::max(slip, std::abs(contacts.rate(i, a)));
      size = std::max(size, d.size_of_row(i, a, d.scale().tail(d.size())));
    }
    if (slip <= kRest * size) resting.push_back(mode.key);
  }
  for (std::size_t j = 0; j < s.size(); ++j) {
    const auto refuse = [&](std::uint64_t key, const char* what) {
      d.runner().place(step.t0, run.start, {}, 1.0);
      throw Refusal{fmt::format(
          "at the start {} is on a limit of its law, and '{}' {}: the derivative is one-sided at "
          "best; start the run off that limit",
          contact_name(d, key), d.parameters()[j].name, what)};
    };
    double most = 0.0;
    for (Eigen::Index i = 0; i < d.size(); ++i)
      most = std::max({most, std::abs(s[j].w[i]) / d.scale()[i],
                       std::abs(s[j].v[i]) / d.scale()[d.size() + i]});
    for (const double sign : {-1.0, 1.0}) {
      double x = d.parameters()[j].delta;
      if (!d.of_model(j)) {
        if (most == 0.0) break;
        x = d.options().difference / most;
      }
      Runner& runner = d.runner(j, sign);
      Groups moved;
      d.difference().move(run.start, s[j], sign * x, moved);
      const Runner::Begin other = runner.begin(step.t0, moved, step.modes, d.time());
      if (!other.closing.empty())
        refuse(other.closing.front(), "makes it close with nonzero speed");
      const auto mode_in = [](const Runner::Begin& begin, std::uint64_t key) {
        const auto mode = std::ranges::find(begin.modes, key, &ContactMode::key);
        return mode != begin.modes.end() ? &*mode : nullptr;
      };
      for (const ContactMode& mode : other.modes)
        if (!mode_in(here, mode.key)) refuse(mode.key, "decides whether it stays closed");
      for (const ContactMode& mode : here.modes) {
        const ContactMode* const then = mode_in(other, mode.key);
        if (!then) refuse(mode.key, "decides whether it stays closed");
        if (then->kind != mode.kind) refuse(mode.key, "decides whether it sticks or slides");
        if (mode.kind != ContactMode::Kind::slides) continue;
        const double turn = std::hypot(then->direction[0] - mode.direction[0],
                                       then->direction[1] - mode.direction[1]);
        if (turn > kTurned && std::ranges::find(resting, mode.key) != resting.end())
          refuse(mode.key, "turns the direction in which it begins to slide");
      }
    }
  }
}

}  // namespace saltus::sensitivity
