// Code common to all drivers: the command line, repetition, and the line of JSON.
//
//     DRIVER SCENE PARAMETER [METHOD]     runs the scene, prints a line
//     DRIVER --version
//
// PARAMETER is a step [s] or a tolerance, depending on METHOD. CPU time is that of the loop, without set-up.
#pragma once
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scenes.h"

namespace peers {

/// CPU time of all threads of this process [s].
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Outcome {
  std::vector<double> values;  ///< values compared, as many as were reached
  double seconds = 0.0;        ///< CPU time of the loop [s]
  long steps = 0;
  double residual =
      NAN;  ///< largest of the contact problems, if the library reports it, by its own measure [1]
};

/// Runs a scene once, from set-up to its end.
using Run = std::function<Outcome(double parameter, const std::string& method)>;

/// Measures a loop: `Clock clock; ... outcome.seconds = clock.seconds();`
class Clock {
 public:
  double seconds() const { return cpu_seconds() - start_; }

 private:
  double start_ = cpu_seconds();
};

inline long steps_to(double end, double h) { return std::lround(end / h); }

/// Runs `step` until `end`, in steps of h, and calls `look` at `rows` equally spaced times.
template <class Step, class Look>
Outcome march(double end, double h, int rows, Step&& step, Look&& look) {
  Outcome outcome;
  const long every = steps_to(end / rows, h);
  const Clock clock;
  for (int row = 0; row < rows; ++row) {
    for (long k = 0; k < every; ++k) step(h);
    look(outcome.values);
  }
  outcome.seconds = clock.seconds();
  outcome.steps = every * rows;
  return outcome;
}

inline int main_of(int argc, char** argv, const std::string& version,
                   const std::map<std::string, Run>& scenes) {
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::printf("%s\n", version.c_str());
    return 0;
  }
  const auto found = argc > 2 ? scenes.find(argv[1]) : scenes.end();
  if (found == scenes.end()) {
    std::fprintf(stderr, "%s SCENE PARAMETER [METHOD]; scenes:", argv[0]);
    for (const auto& [name, run] : scenes) std::fprintf(stderr, " %s", name.c_str());
    std::fputs("\n", stderr);
    return 2;
  }
  const double parameter = std::atof(argv[2]);
  const std::string method = argc > 3 ? argv[3] : "";
  try {
    Outcome best = found->second(parameter, method);
    double all = best.seconds;
    for (int k = 1; k < 15 && (k < 3 ? all < 2.0 : all < 0.2); ++k) {
      const Outcome again = found->second(parameter, method);
      all += again.seconds;
      best.seconds = std::min(best.seconds, again.seconds);
    }
    std::printf(
        "{\"scene\": \"%s\", \"method\": \"%s\", \"parameter\": %.17g, \"seconds\": %.6e, "
        "\"steps\": %ld, ",
        argv[1], method.c_str(), parameter, best.seconds, best.steps);
    if (std::isfinite(best.residual)) std::printf("\"residual\": %.3e, ", best.residual);
    std::printf("\"values\": [");
    for (std::size_t i = 0; i < best.values.size(); ++i)
      if (std::isfinite(best.values[i]))
        std::printf("%s%.17g", i ? ", " : "", best.values[i]);
      else
        std::printf("%sNaN", i ? ", " : "");
    std::printf("]}\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
  return 0;
}

}  // namespace peers
