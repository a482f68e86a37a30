// SUNDIALS: what smooth motion costs when the user writes the right side himself; impacts by its root finding. PARAMETER:
// tolerance, relative and absolute. METHOD: adams (CVODE, functional iteration), bdf (CVODE, dense Newton), erk8, erk5
// (ARKODE, explicit Runge-Kutta of order 8 and 5).
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <functional>
#include <stdexcept>

#include "smooth.h"

namespace {

using namespace peers;
using Rate = std::function<void(double, const double*, double*)>;

/// What the callbacks see.
struct Problem {
  Rate rate;
  std::function<double(const double*)> gap;
};

int rate_of(realtype t, N_Vector y, N_Vector f, void* problem) {
  static_cast<Problem*>(problem)->rate(t, NV_DATA_S(y), NV_DATA_S(f));
  return 0;
}
int gap_of(realtype, N_Vector y, realtype* gap, void* problem) {
  *gap = static_cast<Problem*>(problem)->gap(NV_DATA_S(y));
  return 0;
}
void good(int flag, const char* what) {
  if (flag < 0) throw std::runtime_error(std::string(what) + " failed");
}

class Integrator {
 public:
  Integrator(Problem problem, const std::vector<double>& start, double tolerance,
             const std::string& method, double end)
      : problem_(std::move(problem)), method_(method) {
    SUNContext_Create(nullptr, &context_);
    const auto n = static_cast<sunindextype>(start.size());
    y_ = N_VNew_Serial(n, context_);
    std::copy(start.begin(), start.end(), NV_DATA_S(y_));
    runge_kutta_ = method == "erk8" || method == "erk5";
    if (runge_kutta_) {
      memory_ = ERKStepCreate(rate_of, 0.0, y_, context_);
      ERKStepSStolerances(memory_, tolerance, tolerance);
      ERKStepSetUserData(memory_, &problem_);
      ERKStepSetOrder(memory_, method == "erk8" ? 8 : 5);
      ERKStepSetMaxNumSteps(memory_, 100'000'000);
      if (problem_.gap) {
        ERKStepRootInit(memory_, 1, gap_of);
        int down = -1;
        ERKStepSetRootDirection(memory_, &down);
      }
    } else {
      if (method != "adams" && method != "bdf")
        throw std::runtime_error("method adams, bdf, erk5, erk8");
      memory_ = CVodeCreate(method == "adams" ? CV_ADAMS : CV_BDF, context_);
      CVodeInit(memory_, rate_of, 0.0, y_);
      CVodeSStolerances(memory_, tolerance, tolerance);
      CVodeSetUserData(memory_, &problem_);
      CVodeSetMaxNumSteps(memory_, 100'000'000);
      CVodeSetStopTime(memory_, end);
      if (method == "adams") {
        nonlinear_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
        CVodeSetNonlinearSolver(memory_, nonlinear_);
      } else {
        matrix_ = SUNDenseMatrix(n, n, context_);
        linear_ = SUNLinSol_Dense(y_, matrix_, context_);
        CVodeSetLinearSolver(memory_, linear_, matrix_);
      }
      if (problem_.gap) {
        CVodeRootInit(memory_, 1, gap_of);
        int down = -1;
        CVodeSetRootDirection(memory_, &down);
      }
    }
  }
  ~Integrator() {
    runge_kutta_ ? ERKStepFree(&memory_) : CVodeFree(&memory_);
    if (nonlinear_) SUNNonlinSolFree(nonlinear_);
    if (linear_) SUNLinSolFree(linear_);
    if (matrix_) SUNMatDestroy(matrix_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  double* state() { return NV_DATA_S(y_); }
  /// To `until` or to where the gap closes; true: it closed.
  bool advance(double until) {
    double reached = 0.0;
    int flag = 0;
    if (runge_kutta_) {
      ERKStepSetStopTime(memory_, until);
      flag = ERKStepEvolve(memory_, until, y_, &reached, ARK_NORMAL);
    } else {
      CVodeSetStopTime(memory_, until);
      flag = CVode(memory_, until, y_, &reached, CV_NORMAL);
    }
    good(flag, "advance");
    t_ = reached;
    return runge_kutta_ ? flag == ARK_ROOT_RETURN : flag == CV_ROOT_RETURN;
  }
  void restart() { runge_kutta_ ? ERKStepReset(memory_, t_, y_) : CVodeReInit(memory_, t_, y_); }
  long steps() {
    long n = 0;
    runge_kutta_ ? ERKStepGetNumSteps(memory_, &n) : CVodeGetNumSteps(memory_, &n);
    return n;
  }

 private:
  Problem problem_;
  std::string method_;
  bool runge_kutta_ = false;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNNonlinearSolver nonlinear_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  double t_ = 0.0;
};

template <class Look, class Hit>
Outcome go(Problem problem, const std::vector<double>& start, const std::vector<double>& rows,
           double parameter, const std::string& method, Look&& look, Hit&& hit) {
  Integrator integrator(std::move(problem), start, parameter, method, rows.back());
  Outcome outcome;
  const Clock clock;
  for (const double row : rows) {
    while (integrator.advance(row)) {
      hit(integrator.state());
      integrator.restart();
    }
    look(integrator.state(), outcome.values);
  }
  outcome.seconds = clock.seconds();
  outcome.steps = integrator.steps();
  return outcome;
}
const auto nothing = [](double*) {};

std::vector<double> even(double end, int rows) {
  std::vector<double> when;
  for (int k = 1; k <= rows; ++k) when.push_back(end * k / rows);
  return when;
}

Outcome top(double parameter, const std::string& method) {
  return go(
      {[](double, const double* y, double* f) { top_rate(y, f); }, {}}, top_start(),
      {scenes::top::end}, parameter, method,
      [](const double* y, std::vector<double>& values) { values.insert(values.end(), y, y + 4); },
      nothing);
}

Outcome chain(double parameter, const std::string& method) {
  const Chain model;
  return go(
      {[&](double, const double* y, double* f) { model.rate(y, f); }, {}},
      std::vector<double>(2 * Chain::n, 0.0), even(scenes::chain::end, scenes::chain::rows),
      parameter, method,
      [](const double* y, std::vector<double>& values) { Chain::places(y, values); }, nothing);
}

Outcome linear(double parameter, const std::string& method) {
  return go(
      {[](double, const double* y, double* f) { linear_rate(y, f); }, {}}, linear_start(),
      {scenes::linear::end}, parameter, method,
      [](const double* y, std::vector<double>& values) {
        values.insert(values.end(), y, y + scenes::linear::masses);
      },
      nothing);
}

Outcome ball(double parameter, const std::string& method) {
  using namespace scenes::ball;
  return go(
      {[](double, const double* y, double* f) { f[0] = y[1], f[1] = -scenes::kGravity; },
       [](const double* y) { return y[0]; }},
      {height, 0.0}, even(end, rows), parameter, method,
      [](const double* y, std::vector<double>& values) { values.push_back(y[0]); },
      [](double* y) {
        y[0] = 0.0;
        y[1] *= -restitution;
      });
}

Outcome impact(double parameter, const std::string& method) {
  using namespace scenes::impact;
  std::vector<double> when;
  for (int k = 0; k < periods; ++k) when.push_back((2 * k + 1) * M_PI / angular_frequency);
  return go(
      {[](double t, const double* y, double* f) { impact_rate(t, y, f); },
       [](const double* y) { return stop - y[0]; }},
      {stop, -restitution * speed}, when, parameter, method,
      [](const double* y, std::vector<double>& values) { values.push_back(y[0]); },
      [](double* y) {
        y[0] = stop;
        y[1] *= -restitution;
      });
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(
      argc, argv, "SUNDIALS " SUNDIALS_VERSION,
      {{"top", top}, {"chain", chain}, {"linear", linear}, {"ball", ball}, {"impact", impact}});
}
