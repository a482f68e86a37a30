// A scene under Saltus.
//
//     saltus_time SCENE [NAME=VALUE ...]      settings: saltus_engine.h and engine.h
//     saltus_time --version
//     saltus_time SCENE problem=FILE [...]    then solves the contact problem of the last step cold, with auto and
//                                             body-gauss-seidel to 1e-4, and writes it as an FCLIB file
//
// One thread unless threads=N; then wall time counts. With problem=, a second line of JSON: residual, iterations
// and CPU time of each solver, from zero impulses and with an empty solver memory.
#include <exception>

#include "bench/rigid/saltus_engine.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/body_blocks.h"
#include "saltus/exchange/fclib.h"
#include "saltus/version.h"

namespace {

using namespace saltus_bench;

/// Keeps the last contact problem of spheres or boxes in space.
class Recorder final : public saltus::ContactObserver {
 public:
  void solved(const saltus::SolvedContact& contact) override {
    const saltus::ContactProblem& problem = contact.problem;
    if (!problem.W.bodies()) return;
    data_.W = std::make_shared<saltus::BodyDelassus>(*problem.W.bodies());
    data_.b = problem.b;
    data_.laws.assign(problem.laws.begin(), problem.laws.end());
    data_.ids.assign(problem.ids.begin(), problem.ids.end());
  }
  bool empty() const { return !data_.W; }
  const saltus::ContactProblemData& data() const { return data_; }

 private:
  saltus::ContactProblemData data_;
};

void write(const saltus::ContactProblemData& data, const std::string& path) {
  saltus::FclibProblem problem;
  saltus::BlockMatrix W;
  std::vector<int> touch;
  saltus::blocks_of_bodies(*data.W->bodies(), W, touch);
  problem.W = std::make_shared<saltus::BlockDelassus>(std::move(W));
  problem.b = data.b;
  problem.laws = data.laws;
  problem.ids = data.ids;
  problem.contacts = static_cast<int>(data.laws.size());
  problem.title = "one step of a pile at rest";
  saltus::write_fclib(path, problem);
}

void time_solvers(const saltus::ContactProblemData& data, double tolerance) {
  const auto view = data.view();
  std::printf("{\"problem\": %zu", data.laws.size());
  for (const char* const name : {"body-gauss-seidel", "auto"}) {
    std::fflush(stdout);
    const auto solver = saltus::find_solver(name)->make();
    saltus::SolveReport report;
    const auto timing = median_time(0.5, [&](int) {
      saltus::Vector p = saltus::Vector::Zero(data.rows());
      saltus::SolverMemory memory;
      const double start = cpu_seconds();
      report = solver->solve(view, {tolerance, 2000}, memory, p);
      return cpu_seconds() - start;
    });
    std::printf(", \"%s\": {\"residual\": %.2e, \"iterations\": %d, \"seconds\": %.4e}", name,
                report.residual, report.iterations, timing.seconds);
  }
  std::printf("}\n");
}

int measure(const Scene& scene, Settings& settings) {
  const std::string path = settings.text("problem", "");
  Saltus engine(scene, settings);
  Recorder recorder;
  if (!path.empty()) engine.observe(&recorder);
  const int code = run(scene, settings, engine);
  if (code != 0 || path.empty()) return code;
  if (recorder.empty()) {
    std::fputs("saltus_time: the last steps had no large contact problem\n", stderr);
    return 1;
  }
  write(recorder.data(), path);
  tbb::task_arena(1).execute([&] { time_solvers(recorder.data(), 1e-4); });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::printf("%s %s\n", std::string(saltus::commit()).c_str(),
                std::string(saltus::flags()).c_str());
    return 0;
  }
  const auto scene = argc > 1 ? scene_of(argv[1]) : std::nullopt;
  if (!scene) {
    std::fputs("saltus_time SCENE [NAME=VALUE ...]\n", stderr);
    return 2;
  }
  try {
    Settings settings(argc, argv);
    return measure(*scene, settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "saltus_time: %s\n", error.what());
    return 2;
  }
}
