// The loop that overhead.py compares with:  overhead SCENE WARM STEPS  prints the CPU time of STEPS steps after WARM ones [s].
#include <cstdio>
#include <cstdlib>

#include "bench/contact/cpu_time.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

int main(int count, char** argument) {
  if (count != 4) return 2;
  saltus::Simulation sim(saltus::build(saltus::read_scene(argument[1])));
  for (int k = std::atoi(argument[2]); k > 0; --k) sim.advance();
  const double start = saltus_bench::cpu_seconds();
  for (int k = std::atoi(argument[3]); k > 0; --k) sim.advance();
  std::printf("%.9f\n", saltus_bench::cpu_seconds() - start);
}
