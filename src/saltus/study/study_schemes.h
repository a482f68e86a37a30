// Which schemes a study runs, and the scene as one run of it sees it.
#pragma once
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/schemes/options.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// A scheme as asked for.
struct NamedScheme {
  std::string label;
  SchemeChoice choice;
};

/// "moreau-jean", "moreau-jean:theta=1:newton_iterations=5" or "{kind: moreau-jean, theta: 1}".
/// SceneError: what is wrong.
NamedScheme read_scheme(const std::string& text);

/// "a,b:x=1,{kind: c, y: [1, 2]}" cut at the commas outside of brackets.
std::vector<std::string> split_schemes(const std::string& text);

/// The schemes of a study of this model: those asked for, each of which must fit a body, or all
/// that fit every body.
std::vector<NamedScheme> study_schemes(const std::vector<std::string>& asked, const Model& model);

/// The scene with this step and end, and with the scheme on all bodies that it fits; `kept`
/// receives the others. Probes take all modes, whatever the step, and no files are written.
Scene study_scene(const Scene& scene, const Model& model, const SchemeChoice& choice, double h,
                  double end, std::vector<std::string>* kept = nullptr);

}  // namespace saltus
