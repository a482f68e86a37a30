// Implicit steps of a block of tetrahedra that turn with themselves, solved by a given number of iterations of conjugate
// gradients, beside what the machine can read from memory. One line of JSON a run.
//
//     saltus_fem corotated [cells=16] [length=66] [iterations=10] [steps=20] [threads=1] [tangent=warped] [reference=9.2]
//
// SOFA's published steps a second, one thread of a laptop of 2020: 19 000 tetrahedra, 20 iterations 29.8; 101 000
// tetrahedra, 10 iterations 9.2 (docs/howto/compare_fem.md).
#include <tbb/task_arena.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "bench/rigid/engine.h"
#include "saltus/fem/fem.h"
#include "saltus/linear_algebra/conjugate_gradients.h"
#include "saltus/math/kernels.h"
#include "saltus/schemes/euler_implicit.h"
#include "saltus/schemes/options.h"

namespace {

using namespace saltus;
using namespace saltus_bench;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Least wall time of a call and the CPU time of all threads in that call [s], over `repeats` calls.
struct Cost {
  double wall = 1e30, cpu = 0.0;
};
template <class Call>
Cost cost(int repeats, Call&& call) {
  Cost least;
  for (int k = 0; k < repeats; ++k) {
    const double cpu = process_cpu_seconds(), start = now();
    call();
    const double wall = now() - start;
    if (wall < least.wall) least = {wall, process_cpu_seconds() - cpu};
  }
  return least;
}

/// Bytes a second that the threads of the arena read from an array of this size, again and again.
double bandwidth(std::size_t bytes) {
  const AlignedArray array(bytes / sizeof(double), 1.0);
  ThreadPool thread_pool;
  std::vector<double> part(1024);
  double sum = 0.0;
  const Cost least = cost(7, [&] {
    const ThreadPool::Shift shift(thread_pool);
    for (int again = 0; again < 4; ++again) {
      thread_pool.blocks(part.size() * ThreadPool::kBlock, [&](std::size_t k, std::size_t,
                                                               std::size_t) {
        const std::size_t begin = array.size() / 8 * k / part.size() * 8,
                          end = array.size() / 8 * (k + 1) / part.size() * 8;
        part[k] = dot(static_cast<int>(end - begin), array.data() + begin, array.data() + begin);
      });
      sum += std::accumulate(part.begin(), part.end(), 0.0);
    }
  });
  if (sum < 0.0) std::puts("");
  return 4.0 * static_cast<double>(bytes) / least.wall;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings(argc, argv);
  const int cells = settings.count("cells", 16), length = settings.count("length", 66);
  const int iterations = settings.count("iterations", 10), steps = settings.count("steps", 20);
  const int threads = settings.count("threads", 1);
  const double h = settings.number("h", 0.01), reference = settings.number("reference", 0.0);
  const bool warped = settings.text("tangent", "warped") == "warped";
  settings.check();

  FemSystem system;
  system.mesh = box_mesh({ElementKind::tet4,
                          {length, cells, cells},
                          Vector3(1.0 * length / cells, 1.0, 1.0),
                          Vector3::Zero()});
  Material rubber;
  rubber.law = MaterialLaw::corotated;
  rubber.young = 1e6;
  rubber.poisson = 0.3;
  rubber.density = 1000.0;
  system.materials.push_back({rubber, PlaneState::strain, 1.0, 1.0});
  system.tangent = warped ? CorotatedTangent::warped : CorotatedTangent::exact;
  system.solver = {FemSolver::Kind::conjugate_gradients, 0.0, iterations};
  system.rayleigh = {0.1, 0.01};
  system.gravity = Vector3(0.0, 0.0, -9.81);
  system.prescribed = fixed_nodes(system.mesh.node_sets.at("x0"), std::vector{0, 1, 2});

  tbb::task_arena arena(threads);
  arena.execute([&] {
    const Fem body(std::move(system));
    const Eigen::Index n = body.positions();
    const double elements = body.mesh().elements();

    EulerImplicitOptions options;
    options.solver = EquationSolver::linear;
    const auto scheme = make_euler_implicit(options);
    GroupState state{Vector::Zero(n), Vector::Zero(n), {}};
    GroupState end = state;
    Trial trial;
    trial.q = trial.v = trial.r = trial.v_free = Vector::Zero(n);
    trial.h = h;
    const auto step = [&] {
      trial.start = &state;
      trial.pass = 0;
      scheme->begin(body, trial);
      scheme->finish(body, trial, end);
      std::swap(state, end);
      trial.q.resize(n);
      trial.v.resize(n);
      trial.t0 += h;
    };
    for (int k = 0; k < 10; ++k) step();  // into a bent shape
    std::vector<double> walls, cpus;
    for (int k = 0; k < steps; ++k) {
      const double cpu = process_cpu_seconds(), start = now();
      step();
      walls.push_back(now() - start);
      cpus.push_back(process_cpu_seconds() - cpu);
    }
    const double step_wall = median(walls), step_cpu = median(cpus);

    Factor A;
    const Combination s{1.0, h, h * h};
    const Cost refill = cost(10, [&] { body.factorise(s, 0.0, state.q, state.v, A); });
    Vector f(n), x = state.v, y(n);
    const Cost force = cost(10, [&] { body.force(0.0, state.q, state.v, f); });
    const Cost matrix_free = cost(20, [&] {
      body.multiply({0.0, 0.0, 1.0}, 0.0, state.q, state.v, x, y);
    });
    auto& solver = dynamic_cast<ConjugateGradients&>(*std::get<std::unique_ptr<Operator>>(A.form));
    Vector in(3 * body.mesh().nodes.cols()), out = Vector::Zero(in.size());
    body.full(0.0, state.v, in);
    const Cost assembled = cost(50, [&] {
      const ThreadPool::Shift shift(solver.thread_pool());
      solver.matrix().multiply_add(solver.thread_pool(), 1.0, in.data(), out.data());
    });
    const Cost solve_cost = cost(10, [&] {
      y = f;
      solve(A, y);
    });
    const SolveRecord told = record(A);
    const double bytes = 76.0 * solver.matrix().graph().entries();  // a block and its column
    const double stream = bandwidth(static_cast<std::size_t>(bytes));
    std::printf(
        "{\"elements\": %.0f, \"nodes\": %d, \"iterations\": %d, \"threads\": %d, \"tangent\": "
        "\"%s\", "
        "\"steps_per_second\": %.1f, \"steps_per_cpu_second\": %.1f, \"sofa_steps_per_second\": "
        "%.1f, "
        "\"step\": %.4f, \"force\": %.4f, \"assembly\": %.4f, \"solve\": %.4f, "
        "\"million_products_per_second\": %.1f, \"million_products_matrix_free\": %.1f, "
        "\"matrix_bytes\": %.3g, \"product_bytes_per_second\": %.3g, \"read_bytes_per_second\": "
        "%.3g, "
        "\"roofline_million_products\": %.1f, \"residual\": %.2e, \"tip\": %.4f}\n",
        elements, static_cast<int>(body.mesh().nodes.cols()), iterations, threads,
        warped ? "warped" : "exact", 1.0 / step_wall, 1.0 / step_cpu, reference, step_wall,
        force.wall, refill.wall, solve_cost.wall, 1e-6 * elements / assembled.wall,
        1e-6 * elements / matrix_free.wall, bytes, bytes / assembled.wall, stream,
        1e-6 * elements * stream / bytes, told.residual, state.q.minCoeff());
  });
}
