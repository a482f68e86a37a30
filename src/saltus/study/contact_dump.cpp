#include "saltus/study/contact_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "saltus/base/error.h"
#include "saltus/contact/body_blocks.h"
#include "saltus/contact/body_delassus.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Maps the rows of a problem to rows of the file, with the problem in that form but without
/// numbers.
struct Plan {
  FclibProblem out;
  std::vector<int> place;  ///< of each row

  /// No row is added or moved.
  bool in_place() const {
    if (std::ssize(place) != std::ssize(out.ids) || out.equalities > 0) return false;
    for (std::size_t i = 0; i < place.size(); ++i)
      if (place[i] != static_cast<int>(i)) return false;
    return true;
  }
};

/// The input of the contact solver, with W in a form that a file can store.
std::optional<FclibRun> run_of(const SolvedContact& contact, const std::string& solver) {
  const ContactProblem& problem = contact.problem;
  if (!contact.limits || !contact.start || problem.W.jointed()) return std::nullopt;
  FclibRun run;
  if (const BodyRows* const H = problem.W.bodies())
    run.W = std::make_shared<BodyDelassus>(*H);
  else if (const BlockMatrix* const B = problem.W.blocks())
    run.W = std::make_shared<BlockDelassus>(*B, problem.W.symmetric());
  else if (const Matrix* const D = problem.W.dense()) {
    auto copy = std::make_shared<DenseDelassus>();
    copy->W = *D;
    copy->is_symmetric = problem.W.symmetric();
    run.W = std::move(copy);
  } else {
    return std::nullopt;
  }
  run.b = problem.b;
  run.laws.assign(problem.laws.begin(), problem.laws.end());
  run.ids.assign(problem.ids.begin(), problem.ids.end());
  run.solver = solver;
  run.limits = *contact.limits;
  run.start = *contact.start;
  return run;
}

std::optional<Plan> plan_of(const ContactProblem& problem) {
  Plan plan;
  FclibProblem& out = plan.out;
  out.spacedim = 2;
  for (const Law& law : problem.laws) {
    if (law.kind == LawKind::box || law.kind == LawKind::rolling) return std::nullopt;
    if (law.kind == LawKind::equality)
      out.equalities += law.size;
    else
      out.contacts += law.kind == LawKind::unilateral ? law.size : 1;
    if (law.kind == LawKind::coulomb) out.spacedim = std::max(out.spacedim, law.size);
  }
  int contact = 0, equality = out.spacedim * out.contacts;
  plan.place.resize(at(static_cast<int>(problem.b.size())));
  for (const Law& law : problem.laws)
    for (int i = 0; i < law.size; ++i) {
      const bool coulomb = law.kind == LawKind::coulomb;
      if (law.kind == LawKind::equality)
        plan.place[at(law.first + i)] = equality++;
      else
        plan.place[at(law.first + i)] = out.spacedim * contact + (coulomb ? i : 0);
      if (law.kind == LawKind::unilateral || (coulomb && i + 1 == law.size)) {
        out.laws.push_back({LawKind::coulomb, out.spacedim * contact++, out.spacedim});
        if (coulomb) out.laws.back().friction = law.friction;
      }
    }
  for (int i = out.spacedim * out.contacts; i < equality; ++i)
    out.laws.push_back({LawKind::equality, i, 1});
  for (int i = 0; i < equality; ++i) out.ids.push_back(i);
  return plan;
}

}  // namespace

DumpChoice dump_choice(const std::string& text) {
  constexpr std::string_view kEvery = "every:";
  if (text == "worst") return {DumpChoice::Kind::worst, 1};
  if (text == "failed") return {DumpChoice::Kind::failed, 1};
  DumpChoice choice{DumpChoice::Kind::every, 0};
  if (text.starts_with(kEvery)) {
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data() + kEvery.size(), end, choice.every);
    if (fault == std::errc() && stop == end && choice.every > 0) return choice;
  }
  throw SceneError("--dump-contact", "'" + text + "' is not a choice of steps",
                   "allowed: worst, failed, every:N with N = 1, 2, ...");
}

std::optional<FclibProblem> fclib_problem(const ContactProblem& problem, View p) {
  std::optional<Plan> plan = plan_of(problem);
  if (!plan) return std::nullopt;
  FclibProblem& out = plan->out;
  if (problem.W.bodies() != nullptr && !problem.W.jointed() && plan->in_place()) {
    // blocks of coupled contacts only: the dense matrix of 10 000 contacts takes 7 GB
    BlockMatrix W;
    std::vector<int> touch;
    blocks_of_bodies(*problem.W.bodies(), W, touch);
    out.W = std::make_shared<BlockDelassus>(std::move(W));
    out.b = problem.b;
    Vector u(problem.b.size());
    problem.W.apply(p, u);
    u += problem.b;
    if (p.allFinite()) out.solution = FclibSolution{p, u, Vector(), Vector()};
    return std::move(out);
  }
  const std::vector<int>& place = plan->place;
  const auto rows = static_cast<int>(problem.b.size());
  const int all = out.spacedim * out.contacts + out.equalities, m = all - out.equalities;
  auto W = std::make_shared<DenseDelassus>();
  W->is_symmetric = problem.W.symmetric();
  W->W.setZero(all, all);
  out.b.setZero(all);
  Vector r = Vector::Zero(all), u(rows), u_all = Vector::Zero(all);
  problem.W.apply(p, u);
  u += problem.b;
  std::vector<char> filled(at(all));
  for (int i = 0; i < rows; ++i) {
    const int to = place[at(i)];
    filled[at(to)] = 1;
    out.b[to] = problem.b[i];
    r[to] = p[i];
    u_all[to] = u[i];
    for (int j = 0; j < rows; ++j) W->W(to, place[at(j)]) = problem.W.entry(i, j);
  }
  for (int c = 0; c < out.contacts; ++c) {
    const int first = c * out.spacedim;
    double trace = 0.0;
    int there = 0;
    for (int i = first; i < first + out.spacedim; ++i)
      if (filled[at(i)] != 0) {
        trace += W->W(i, i);
        ++there;
      }
    for (int i = first; i < first + out.spacedim; ++i)
      if (filled[at(i)] == 0) W->W(i, i) = trace / there;
  }
  out.W = W;
  if (r.allFinite()) {
    out.solution.emplace();
    out.solution->r = r.head(m);
    out.solution->u = u_all.head(m);
    out.solution->l = r.tail(all - m);
  }
  return std::move(out);
}

ContactDump::ContactDump(const std::string& choice, std::string folder, std::string stem,
                         const Simulation& sim, std::string title)
    : choice_(dump_choice(choice)),
      folder_(std::move(folder)),
      stem_(std::move(stem)),
      title_(title.empty() ? stem_ : std::move(title)),
      sim_(sim) {
  std::error_code error;
  if (!folder_.empty()) fs::create_directories(folder_, error);
  if (error)
    throw SceneError("--dump-folder", "cannot create '" + folder_ + "': " + error.message());
}

void ContactDump::solved(const SolvedContact& contact) {
  const std::uint64_t step = sim_.state().step + 1;
  switch (choice_.kind) {
    case DumpChoice::Kind::worst:
      if (contact.report.residual <= worst_) return;
      break;
    case DumpChoice::Kind::failed:
      if (contact.report.converged) return;
      break;
    case DumpChoice::Kind::every:
      if (step % choice_.every != 0) return;
  }
  std::optional<FclibProblem> problem = fclib_problem(contact.problem, contact.p);
  if (!problem) {
    ++left_out_;
    return;
  }
  problem->run = run_of(contact, std::string(sim_.model().solver().name()));
  std::string name = fmt::format("{}-step{}", stem_, step);
  if (sim_.model().island_count() > 1) name += fmt::format("-island{}", contact.island);
  name = (fs::path(folder_) / (name + ".hdf5")).string();
  problem->title = fmt::format("{}, step {}, t = {:.9g} s", title_, step, contact.t0 + contact.h);
  problem->description = fmt::format(
      "The contact problem of one step of {:.9g} s, in the last pass of a run of Saltus.",
      contact.h);
  problem->math_info = fmt::format(
      "{} contacts, {} equalities, W {}; the solution has the scale-invariant residual {:.3e}",
      problem->contacts, problem->equalities,
      contact.problem.W.symmetric() ? "symmetric" : "unsymmetric", contact.report.residual);
  if (choice_.kind != DumpChoice::Kind::worst) return write(name, *problem);
  worst_ = contact.report.residual;
  worst_name_ = name;
  worst_problem_ = std::move(problem);
}

void ContactDump::write(const std::string& name, const FclibProblem& problem) {
  write_fclib(name, problem);
  if (std::ranges::find(files_, name) == files_.end()) files_.push_back(name);
}

std::vector<std::string> ContactDump::finish() {
  if (worst_problem_) write(worst_name_, *worst_problem_);
  worst_problem_.reset();
  return files_;
}

std::string ContactDump::left_out() const {
  return left_out_ == 0
             ? ""
             : fmt::format(
                   "--dump-contact: {} with relays, rolling or spinning friction not written: the "
                   "format supports Coulomb friction only",
                   left_out_ == 1 ? "one contact problem"
                                  : fmt::format("{} contact problems", left_out_));
}

}  // namespace saltus
