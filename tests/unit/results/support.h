// What the tests of the output files share: a folder of their own, a small model, and a made-up run
// of it.
#pragma once
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "saltus/bodies/modal.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/model/model.h"
#include "saltus/results/output_file.h"
#include "saltus/schemes/modal_exact.h"
#include "saltus/state/state.h"
#include "support/data_folder.h"

namespace io_test {

/// A folder whose files are asked for by name.
struct Folder : saltus_test::DataFolder {
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

inline bool exists(const std::string& path) { return std::filesystem::exists(path); }

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

inline void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// what() of the exception of type E, "" if none was thrown, "other: ..." for another one.
template <typename E, typename Action>
std::string message(Action&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("other: ") + error.what();
  }
  return "";
}

/// Runs `action` in a child whose files may not grow beyond `limit` bytes; its result, or 128 +
/// signal.
template <typename Action>
int with_file_size_limit(rlim_t limit, Action&& action) {
  std::cout.flush();  // else the child prints it again
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    saltus::ignore_file_size_signal();
    const rlimit wanted{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &wanted);
    std::exit(action());  // exit, not _exit: what libraries do at the end of a program is part of
                          // the test
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct NoSolver final : saltus::ContactSolver {
  std::string_view name() const override { return "none"; }
  bool handles(saltus::LawKind) const override { return true; }
  bool needs_symmetric() const override { return false; }
  saltus::SolveReport solve(const saltus::ContactProblem&, saltus::Limits, saltus::SolverMemory&,
                            saltus::Out) const override {
    return {};
  }
};

inline saltus::Group modes(const std::string& name, int count) {
  const saltus::Vector one = saltus::Vector::Ones(count);
  return {
      name, "modal",
      std::make_shared<saltus::Modal>(one, 300.0 * one, 0.5 * one, saltus::sine_shapes(1.0, count)),
      saltus::make_modal_exact({})};
}

/// Two modal bodies of 5 and 3 modes over two obstacles, a velocity and a displacement probe, 8
/// kHz.
inline saltus::Model make_model(int first_modes = 5) {
  saltus::ModelParts parts;
  parts.groups = {modes("string", first_modes), modes("bar/1", 3)};
  for (const saltus::Group& group : parts.groups) {
    saltus::GroupState state;
    state.q = saltus::Vector::Constant(group.dynamics->positions(), 0.1);
    state.v = saltus::Vector::Zero(group.dynamics->velocities());
    parts.initial.push_back(state);
  }
  parts.laws.emplace_back(saltus::SignoriniPosition{});
  for (std::uint64_t k : {7u, 9u}) {
    saltus::ContactPair pair;
    pair.key = k;
    pair.a.group = 0;
    pair.a.ref.local = {0.1 * static_cast<double>(k), 0.0, 0.0};
    parts.pairs.push_back(pair);
  }
  const auto string = std::dynamic_pointer_cast<const saltus::Modal>(parts.groups[0].dynamics);
  parts.probes.resize(2);
  parts.probes[0].name = "pickup";
  parts.probes[0].table = string->probe(0.3, 1e9);
  parts.probes[1].name = "middle";
  parts.probes[1].table = string->probe(0.5, 1e9);
  parts.probes[1].quantity = saltus::Probe::Quantity::displacement;
  parts.solver = std::make_shared<NoSolver>();
  parts.options.h = 1.0 / 8000.0;
  parts.options.end = 1.0;
  return saltus::Model(std::move(parts));
}

inline constexpr const char* kScene = "title: Test\n# caf\xc3\xa9\n";
inline std::string resolved(double end = 1.0, const std::string& scheme = "modal-exact") {
  return R"({"title": "Test", "time": {"end": )" + std::to_string(end) +
         R"(}, "bodies": [{"name": "string", "scheme": ")" + scheme + R"("}]})";
}

/// A run without physics: every number of State and StepReport is a fixed function of the step
/// before.
struct FakeRun {
  saltus::State state;
  saltus::StepReport report;
  std::array<double, 2> probes{};
  std::vector<saltus::Vector> velocities;

  explicit FakeRun(const saltus::Model& model) {
    state.h = model.options().h;
    state.groups.assign(model.initial().begin(), model.initial().end());
    for (saltus::GroupState& group : state.groups)
      group.memory = {group.q};  // modal-exact has one or none
    state.solvers.resize(static_cast<std::size_t>(model.island_count()));
    state.ledger.assign(model.accounts().size(), 0.0);
    state.energy = {1.0, 2.0};
    state.energy_start = 3.0;
    sample();
  }
  /// Goes on from a checkpoint.
  FakeRun(const saltus::Model& model, saltus::State from) : FakeRun(model) {
    state = std::move(from);
    sample();
  }

  void advance() {
    ++state.step;
    state.t = static_cast<double>(state.step) * state.h;
    const double s = static_cast<double>(state.step);
    for (saltus::GroupState& group : state.groups) {
      group.q = (group.q.array() * 3.7).sin();  // one wrong bit shows after a few steps
      group.v = (group.q.array() * group.memory[0].array()).cos();
      group.memory[0] = group.v + group.memory[0] / 3.0;
    }
    state.contacts.clear();
    if (state.step % 3 != 0)
      for (std::uint64_t key : {7u, 9u})
        if ((state.step + key) % 4 < 2) {
          saltus::ContactMemory contact;
          contact.key = key;
          contact.impulse = {std::abs(state.groups[0].q[0]), -0.0, 1e-310};
          contact.moment = {s, 1.0 / 3.0, -s};
          state.contacts.push_back(contact);
        }
    state.solvers[0].active.assign(state.contacts.size(), static_cast<int>(state.step));
    state.solvers[0].factor.assign(state.contacts.size() * (state.contacts.size() + 1) / 2,
                                   1.0 / s);
    state.solvers[0].changes = state.step / 2;
    state.energy = {std::abs(state.groups[0].v[0]), state.groups[1].q[2]};
    for (std::size_t i = 0; i < state.ledger.size(); ++i)
      state.ledger[i] += state.groups[0].q[0] / (1.0 + static_cast<double>(i));
    report = {};
    report.contacts = static_cast<int>(state.contacts.size());
    report.iterations = static_cast<int>(state.step % 11);
    report.passes = 1 + static_cast<int>(state.step % 2);
    report.residual = 1e-14 * std::abs(state.groups[0].q[0]);
    report.residual_after = 2.0 * report.residual;
    report.gap = state.contacts.empty() ? std::numeric_limits<double>::infinity() : -1e-9 * s;
    report.impulse = 0.25 * s;
    report.unexplained = 1e-15 * state.groups[0].q[1];
    report.converged = state.step % 17 != 0;
    sample();
  }

  void sample() {
    probes = {state.groups[0].v[0], state.groups[0].q[0]};
    velocities.clear();
    for (const saltus::GroupState& group : state.groups) velocities.push_back(0.5 * group.v);
  }
};

}  // namespace io_test
