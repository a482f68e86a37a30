// Which schemes a study runs, and the scene for one of its runs.
#pragma once
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/schemes/options.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// A scheme as the user names it.
struct NamedScheme {
  std::string label;
  SchemeChoice choice;
};

/// "moreau-jean", "moreau-jean:theta=1:newton_iterations=5" or "{kind: moreau-jean, theta: 1}".
/// Throws SceneError with what is wrong.
NamedScheme read_scheme(const std::string& text);

/// Splits "a,b:x=1,{kind: c, y: [1, 2]}" at commas outside brackets.
std::vector<std::string> split_schemes(const std::string& text);

/// The schemes of a study of this model: those of `asked`, each of which must support a body, or,
/// if empty, all that support every body.
std::vector<NamedScheme> study_schemes(const std::vector<std::string>& asked, const Model& model);

/// The scene with this step and end, and with the scheme for all bodies that it supports; `kept`
/// receives the others. Probes use all modes for every step, and no files are written.
Scene study_scene(const Scene& scene, const Model& model, const SchemeChoice& choice, double h,
                  double end, std::vector<std::string>* kept = nullptr);

}  // namespace saltus
