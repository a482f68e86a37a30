// CPU time of one configuration of Siconos on one FCLIB local problem: the solver call alone, from reaction 0.
//
//     siconos_time FILE CONFIGURATION STORAGE TOLERANCE [SECONDS [GOAL]]
//     siconos_time --list            configurations, each with its dimension
//     siconos_time --size FILE       contacts,dimension
//
// TOLERANCE: a number, or `search`: 1e-4 (100 GOAL if that is more), a tenth of it, ... 1e-15 until the reaction has a residual (ours, residual.h) of at
// most GOAL, 1e-8 if none is given. That solve is then repeated. STORAGE of W: dense, block or sparse (by columns).
// Options and matrix are made afresh before each solve, outside of the time. A solve that Siconos calls failed counts if
// its residual is small.
// One line: tolerance,info,iterations,residual,seconds,repetitions. The process ends with code 3 and no line when
// SECONDS of CPU time have not led to the goal, with 1 when no tolerance did. Siconos may also end the process itself.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string_view>
#include <vector>

#include "bench/contact/cpu_time.h"
#include "saltus/contact/residual.h"
#include "saltus/exchange/fclib.h"

extern "C" {  // these headers guard only a part of what they declare
#include <siconos/SiconosConfig.h>

#include <siconos/numerics/CSparseMatrix_internal.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
}

namespace {

using namespace saltus;

constexpr double kGoal = 1e-8;  ///< on our residual, unless given

struct Configuration {
  std::string_view name;
  int dimension, solver;
  void (*set)(SolverOptions*);
};

void nothing(SolverOptions*) {}

/// One-contact solver of Gauss-Seidel.
template <int solver>
void local(SolverOptions* options) {
  solver_options_update_internal(options, 0, solver);
}

template <int index, int value>
void integer(SolverOptions* options) {
  options->iparam[index] = value;
}

/// Initial penalty of ADMM and how it changes.
template <int strategy, int initial, int rescaling = SICONOS_FRICTION_3D_RESCALING_NO>
void penalty(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_IPARAM_RESCALING] = rescaling;
  options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] = strategy;
  options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO] = initial;
}

void prox_nsgs(SolverOptions* options) {
  solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_NSGS);
  options->internalSolvers[0]->iparam[0] = 1'000'000;
}

void prox_nsn_fb(SolverOptions* options) {
  solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_NSN_FB);
}

void prox_regularised(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_PROXIMAL_IPARAM_STRATEGY] =
      SICONOS_FRICTION_3D_PROXIMAL_REGULARIZATION;
}

void nsn_jean_moreau(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_NSN_FORMULATION] =
      SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_GENERATED;
}

void newton_iterations(SolverOptions* options) { options->iparam[0] = 2000; }

template <int strategy>
void hybrid(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = strategy;
}

/// Promising ones first: a search may stop a configuration that is slower than those before it.
constexpr Configuration kConfigurations[] = {
    {"nsgs_newton", 3, SICONOS_FRICTION_3D_NSGS, local<SICONOS_FRICTION_3D_ONECONTACT_NSN>},
    {"nsgs", 3, SICONOS_FRICTION_3D_NSGS, nothing},
    {"prox_nsn_ac", 3, SICONOS_FRICTION_3D_PROX, nothing},
    {"nsn_ac", 3, SICONOS_FRICTION_3D_NSN_AC, newton_iterations},
    {"admm", 3, SICONOS_FRICTION_3D_ADMM, nothing},
    {"extragradient", 3, SICONOS_FRICTION_3D_VI_EG, nothing},
    {"nsgs_projection_local", 3, SICONOS_FRICTION_3D_NSGS,
     local<SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration>},
    {"nsgs_projection", 3, SICONOS_FRICTION_3D_NSGS,
     local<SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone>},
    {"nsgs_quartic", 3, SICONOS_FRICTION_3D_NSGS, local<SICONOS_FRICTION_3D_ONECONTACT_QUARTIC>},
    {"nsgs_newton_damped", 3, SICONOS_FRICTION_3D_NSGS,
     local<SICONOS_FRICTION_3D_ONECONTACT_NSN_GP>},
    {"nsgs_full_error", 3, SICONOS_FRICTION_3D_NSGS,
     integer<SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION,
             SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL>},
    {"nsn_ac_jean_moreau", 3, SICONOS_FRICTION_3D_NSN_AC, nsn_jean_moreau},
    {"nsn_ac_lu", 3, SICONOS_FRICTION_3D_NSN_AC,
     integer<SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER, SICONOS_FRICTION_3D_NSN_USE_CSLUSOL>},
    {"nsn_fb", 3, SICONOS_FRICTION_3D_NSN_FB, newton_iterations},
    {"nsn_natural_map", 3, SICONOS_FRICTION_3D_NSN_NM, newton_iterations},
    {"nsn_ac_hybrid_eg", 3, SICONOS_FRICTION_3D_NSN_AC,
     hybrid<SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN>},
    {"nsn_fb_hybrid_eg", 3, SICONOS_FRICTION_3D_NSN_FB,
     hybrid<SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN>},
    {"prox_nsgs", 3, SICONOS_FRICTION_3D_PROX, prox_nsgs},
    {"prox_nsn_fb", 3, SICONOS_FRICTION_3D_PROX, prox_nsn_fb},
    {"prox_regularised", 3, SICONOS_FRICTION_3D_PROX, prox_regularised},
    {"admm_balanced", 3, SICONOS_FRICTION_3D_ADMM,
     penalty<SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING,
             SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF>},
    {"admm_scaled_balanced", 3, SICONOS_FRICTION_3D_ADMM,
     penalty<SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING,
             SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF>},
    {"admm_scaled_balanced_rescaled", 3, SICONOS_FRICTION_3D_ADMM,
     penalty<SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING,
             SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF, SICONOS_FRICTION_3D_RESCALING_SCALAR>},
    {"admm_norm", 3, SICONOS_FRICTION_3D_ADMM,
     penalty<SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_CONSTANT,
             SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF>},
    {"admm_eigenvalues", 3, SICONOS_FRICTION_3D_ADMM,
     penalty<SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_CONSTANT,
             SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_EIGENVALUES>},
    {"fixed_point_projection", 3, SICONOS_FRICTION_3D_VI_FPP, nothing},
    {"tresca", 3, SICONOS_FRICTION_3D_TFP, nothing},
    {"associated_cone", 3, SICONOS_FRICTION_3D_ACLMFP, nothing},
    {"panagiotopoulos", 3, SICONOS_FRICTION_3D_PFP, nothing},
    {"soclcp", 3, SICONOS_FRICTION_3D_SOCLCP, nothing},
    {"nsgs", 2, SICONOS_FRICTION_2D_NSGS, nothing},
    {"nsgs_full_error", 2, SICONOS_FRICTION_2D_NSGS,
     integer<SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION,
             SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL>},
    {"nsgs_light_error", 2, SICONOS_FRICTION_2D_NSGS,
     integer<SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION,
             SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT>},
    {"cpg", 2, SICONOS_FRICTION_2D_CPG, nothing},
    {"lemke", 2, SICONOS_FRICTION_2D_LEMKE, nothing},
    {"enumeration", 2, SICONOS_FRICTION_2D_ENUM, nothing},
};

NumericsMatrix* make_matrix(const BlockMatrix& W, std::string_view storage) {
  const int n = W.rows();
  NumericsMatrix* M = NM_create(storage == "dense" ? NM_DENSE : NM_SPARSE, n, n);
  std::vector<std::vector<std::pair<int, double>>> columns(static_cast<std::size_t>(n));
  std::size_t entries = 0;
  for (int c = 0; c < W.contacts(); ++c)
    for (int k = W.offset[static_cast<std::size_t>(c)];
         k < W.offset[static_cast<std::size_t>(c) + 1]; ++k) {
      const int d = W.column[static_cast<std::size_t>(k)];
      for (int i = 0; i < W.size(c); ++i)
        for (int j = 0; j < W.size(d); ++j) {
          const double value = W.block(k)[i * W.size(d) + j];
          if (value == 0.0) continue;
          columns[static_cast<std::size_t>(W.first[static_cast<std::size_t>(d)] + j)].push_back(
              {W.first[static_cast<std::size_t>(c)] + i, value});
          ++entries;
        }
    }
  if (storage == "dense") {
    std::fill_n(M->matrix0, static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
    for (int j = 0; j < n; ++j)
      for (const auto& [i, value] : columns[static_cast<std::size_t>(j)])
        M->matrix0[static_cast<std::size_t>(j) * static_cast<std::size_t>(n) +
                   static_cast<std::size_t>(i)] = value;
    return M;
  }
  NM_csc_alloc(M, static_cast<CS_INT>(entries));
  CSparseMatrix* csc = M->matrix2->csc;
  M->matrix2->origin = NSM_CSC;
  CS_INT filled = 0;
  for (int j = 0; j < n; ++j) {
    csc->p[j] = filled;
    for (const auto& [i, value] : columns[static_cast<std::size_t>(j)]) {
      csc->i[filled] = i;
      csc->x[filled++] = value;
    }
  }
  csc->p[n] = filled;
  if (storage == "sparse") return M;
  auto* blocks = SBM_new();
  SBM_from_csparse(W.size(0), csc, blocks);
  NM_free(M);
  return NM_new_SBM(n, n, blocks);
}

class Runner {
 public:
  Runner(const FclibProblem& problem, const Configuration& configuration, std::string_view storage)
      : problem_(problem), configuration_(configuration), storage_(storage) {
    for (const Law& law : problem.laws) friction_.push_back(law.friction);
  }

  struct Outcome {
    int info = 0, iterations = 0;
    double residual = 0.0, seconds = 0.0;
  };

  /// `count` solves of the same problem, one after the other; seconds: CPU time of one.
  Outcome solve(double tolerance, int count) {
    const auto many = static_cast<std::size_t>(count);
    const auto n = static_cast<std::size_t>(problem_.b.size());
    std::vector<SolverOptions*> options(many);
    std::vector<FrictionContactProblem> problems(many);
    std::vector<Vector> q(many, problem_.b);
    std::vector<std::vector<double>> mu(many, friction_);
    std::vector<Vector> r(many, Vector::Zero(static_cast<Eigen::Index>(n))), u = r;
    for (std::size_t k = 0; k < many; ++k) {
      options[k] = solver_options_create(configuration_.solver);
      options[k]->iparam[SICONOS_IPARAM_MAX_ITER] =
          std::max(1'000'000, options[k]->iparam[SICONOS_IPARAM_MAX_ITER]);
      configuration_.set(options[k]);
      options[k]->dparam[SICONOS_DPARAM_TOL] = tolerance;
      problems[k].dimension = problem_.spacedim;
      problems[k].numberOfContacts = problem_.contacts;
      problems[k].M = make_matrix(*problem_.W->blocks(), storage_);
      problems[k].q = q[k].data();
      problems[k].mu = mu[k].data();
    }
    Outcome outcome;
    const double start = saltus_bench::cpu_seconds();
    for (std::size_t k = 0; k < many; ++k)
      outcome.info = (problem_.spacedim == 3 ? fc3d_driver : fc2d_driver)(&problems[k], r[k].data(),
                                                                          u[k].data(), options[k]);
    outcome.seconds = (saltus_bench::cpu_seconds() - start) / count;
    outcome.iterations = options.back()->iparam[SICONOS_IPARAM_ITER_DONE];
    const auto view = problem_.view();
    outcome.residual = r.back().allFinite() ? residual(view, r.back()) : HUGE_VAL;
    for (std::size_t k = 0; k < many; ++k) {
      solver_options_delete(options[k]);
      NM_free(problems[k].M);
    }
    return outcome;
  }

 private:
  const FclibProblem& problem_;
  const Configuration& configuration_;
  std::string_view storage_;
  std::vector<double> friction_;
};

void out_of_time(int) { _exit(3); }

/// Ends the process with code 3 after so many seconds of CPU time from now; 0: never.
void limit_cpu(double seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = static_cast<time_t>(seconds);
  limit.it_value.tv_usec =
      static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(limit.it_value.tv_sec)));
  signal(SIGPROF, out_of_time);
  setitimer(ITIMER_PROF, &limit, nullptr);
}

int measure(const FclibProblem& problem, const Configuration& configuration,
            std::string_view storage, double first, double last, double goal, std::FILE* out) {
  Runner runner(problem, configuration, storage);
  for (double tolerance = first; tolerance >= 0.99 * last; tolerance *= 0.1) {
    const auto outcome = runner.solve(tolerance, 1);
    if (!(outcome.residual <= goal)) continue;
    limit_cpu(0.0);
    const auto timing = saltus_bench::median_time(
        outcome.seconds, [&](int count) { return runner.solve(tolerance, count).seconds; });
    std::fprintf(out, "%.0e,%d,%d,%.3e,%.4e,%d\n", tolerance, outcome.info, outcome.iterations,
                 outcome.residual, timing.seconds, timing.repetitions);
    return 0;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list") {
    for (const auto& c : kConfigurations)
      std::printf("%.*s,%d\n", static_cast<int>(c.name.size()), c.name.data(), c.dimension);
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--size") {
    const FclibProblem problem = read_fclib(argv[2]);
    std::printf("%d,%d\n", problem.contacts, problem.spacedim);
    return 0;
  }
  if (argc < 5) {
    std::fputs("siconos_time FILE CONFIGURATION STORAGE TOLERANCE [SECONDS [GOAL]]\n", stderr);
    return 2;
  }
  const FclibProblem problem = read_fclib(argv[1]);
  const std::string_view name = argv[2], storage = argv[3], tolerance = argv[4];
  const auto* found = std::find_if(
      std::begin(kConfigurations), std::end(kConfigurations),
      [&](const auto& c) { return c.name == name && c.dimension == problem.spacedim; });
  if (found == std::end(kConfigurations)) {
    std::fputs("siconos_time: no such configuration for this dimension (--list)\n", stderr);
    return 2;
  }

  std::FILE* out = fdopen(dup(1), "w");  // Siconos writes to the standard output
  if (!std::freopen("/dev/null", "w", stdout)) return 2;
  numerics_set_verbose(0);
  if (argc > 5) limit_cpu(std::atof(argv[5]));
  const bool search = tolerance == "search";
  const double given = search ? 0.0 : std::atof(argv[4]);
  const double goal = argc > 6 ? std::atof(argv[6]) : kGoal;
  const int code = measure(problem, *found, storage, search ? std::max(1e-4, 100.0 * goal) : given,
                           search ? 1e-15 : given, goal, out);
  std::fclose(out);
  _exit(code);  // Siconos' own clean-up is not ours to run
}
