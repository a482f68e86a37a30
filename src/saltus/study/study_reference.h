// Reads the exact motion that a scene may name: a table of probe values over time.
#pragma once
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/spec/scene.h"
#include "saltus/study/study_run.h"

namespace saltus {

struct ExactReference {
  std::string file;
  std::vector<double> times;                 ///< [s], increasing
  std::vector<int> probes;                   ///< index of each column in Model::probes()
  std::vector<std::vector<double>> columns;  ///< values of each probe
};

/// Reads `reference.file` of a scene. Throws SceneError with place: no column t, a column that is
/// not a probe, times that do not increase.
ExactReference read_reference(const Scene& scene, const Model& model);

/// The table at the common times of a plan, NaN where it has no value; `rows` receives the k > 0
/// with values. Throws SceneError if there are fewer than four.
Motion reference_motion(const ExactReference& exact, std::span<const Observable> observables,
                        const SamplePlan& plan, std::vector<std::size_t>& rows);

}  // namespace saltus
