// What does not go together is refused when the model is made, in one line that names the place and a way out.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "cases.h"
#include "rigid_on_string.h"
#include "saltus/base/error.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

struct Refusal {
  bool refused = false;
  std::string path, text, hint;
  bool says(const std::string& word) const { return text.find(word) != std::string::npos; }
};

Refusal refusal(const ModelParts& parts) {
  try {
    const Model model(parts);
  } catch (const SceneError& error) {
    return {true, error.path(), error.what(), error.hint()};
  }
  return {};
}

void check_line(const Refusal& r) {
  CHECK(r.refused);
  CHECK(r.text.find('\n') == std::string::npos);
  CHECK_FALSE(r.hint.empty());
}

}  // namespace

TEST_CASE(
    "a scheme is refused on a kind that lacks a trait it needs, and taken where none is missing") {
  const std::vector<Pair> illegal = illegal_pairs();
  CHECK(illegal.size() >= 20);
  for (const Pair& pair : illegal) {
    CAPTURE(pair.name());
    const Refusal r = refusal(parts(pair.body, pair.scheme.scheme, 1e-3));
    check_line(r);
    CHECK(r.path == "bodies[0].scheme");
    CHECK(r.says(std::string(pair.scheme.scheme->name())));
    CHECK(r.says(pair.body.name));
    const unsigned has_bits = pair.body.dynamics->traits();
    const unsigned lacks = pair.scheme.scheme->needs() & ~has_bits;
    CHECK(r.says(trait_names(lacks != 0 ? lacks : pair.scheme.scheme->refuses() & has_bits)));
  }
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    CHECK_FALSE(refusal(above_plane(pair, newton_impact(0.5), 1e-3)).refused);
  }
}

TEST_CASE("which scheme moves which kind is what the registry promises") {
  const std::vector<Pair> legal = legal_pairs();
  const auto moves = [&](const std::string& scheme, const std::string& body) {
    return std::any_of(legal.begin(), legal.end(), [&](const Pair& pair) {
      return pair.scheme.scheme->name() == scheme && pair.body.name == body;
    });
  };
  for (const SchemeRow& row : schemes()) {
    const std::string name(row.name);
    CAPTURE(name);
    const bool modal_only = name == ModalExactOptions::name,
               rigid_only = has(row.make_default()->needs(), Trait::rigid);
    const bool undamped_only = has(row.make_default()->needs(), Trait::separable);
    CHECK(moves(name, "modal bar") == (!rigid_only && !undamped_only));
    for (const char* body : {"linear system", "particles on springs", "spring pendulum"})
      CHECK(moves(name, body) == (!modal_only && !rigid_only && !undamped_only));
    CHECK(moves(name, "particles on springs without damping") == (!modal_only && !rigid_only));
    for (const char* body : {"top", "top without drag"})
      CHECK(moves(name, body) == (!modal_only && name != DiscreteGradientOptions::name &&
                                  (!undamped_only || std::string_view(body) != "top")));
  }
  for (const char* name : {"euler-explicit", "euler-implicit", "newmark", "moreau-jean",
                           "generalized-alpha", "runge-kutta"}) {
    CAPTURE(std::string(name));
    CHECK(moves(name, "double pendulum"));
    CHECK(moves(name, "rail pendulum"));
  }
  MESSAGE(legal.size() << " legal pairs");
  CHECK(legal.size() >= 250);
}

TEST_CASE(
    "a position law is refused on every scheme whose gain is not 1, and taken on the others") {
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    SchatzmanPaoli paoli;
    for (const AnyLaw& law : {AnyLaw(signorini()), AnyLaw(paoli)}) {
      const Refusal r = refusal(above_plane(pair, law, 1e-3));
      if (pair.scheme.scheme->gain() == 1.0 && !pair.decoupled()) {
        CHECK_FALSE(r.refused);
        continue;
      }
      check_line(r);
      CHECK(r.path == "laws[0]");
      CHECK(r.says(pair.decoupled() ? "its own position problem" : "gain"));
      CHECK(r.hint.find("newton-impact") != std::string::npos);
    }
  }
}

TEST_CASE("a position law needs gain 1 on both bodies it touches") {
  CHECK(refusal(rigid_on_string({moreau_jean(0.5), modal_exact(), signorini()}))
            .says("'rigid body' has gain 0.50"));
  CHECK(refusal(rigid_on_string({moreau_jean(1.0), moreau_jean(0.5), signorini()}))
            .says("'string' has gain 0.50"));
  CHECK_FALSE(refusal(rigid_on_string({moreau_jean(1.0), modal_exact(), signorini()})).refused);
}

TEST_CASE("a solver for symmetric problems is refused on bodies with unsymmetric tangents") {
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    ModelParts made = above_plane(pair, newton_impact(0.5), 1e-3);
    made.solver = find_solver("principal-pivoting")->make();
    const Refusal r = refusal(made);
    CHECK(r.refused == !has(pair.body.dynamics->traits(), Trait::symmetric));
    if (!r.refused) continue;
    check_line(r);
    CHECK(r.path == "solver.kind");
    CHECK(r.says("lemke"));
    made.solver = find_solver("lemke")->make();
    CHECK_FALSE(refusal(made).refused);
  }
}

TEST_CASE("halving a failed step is refused where a scheme is tied to its step") {
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    ModelParts made = parts(pair.body, pair.scheme.scheme, 1e-3);
    made.options.on_failure = OnFailure::halve;
    const Refusal r = refusal(made);
    CHECK(r.refused == pair.scheme.scheme->fixed_step());
    if (!r.refused) continue;
    check_line(r);
    CHECK(r.path == "on_failure");
    CHECK(r.says("halve"));
  }
}

TEST_CASE("velocities of different instants in one contact are warned of, once a law") {
  const Model mixed(rigid_on_string({moreau_jean(0.5), modal_exact(), newton_impact(0.0)}));
  REQUIRE(mixed.warnings().size() == 1);
  CHECK(mixed.warnings()[0].find("instants") != std::string::npos);
  CHECK(Model(rigid_on_string({moreau_jean(0.5), moreau_jean(1.0), newton_impact(0.0)}))
            .warnings()
            .empty());
}

TEST_CASE("parts that do not fit each other are a misuse of the library") {
  const std::vector<std::pair<const char*, std::function<void(ModelParts&)>>> faults{
      {"no solver", [](ModelParts& p) { p.solver = nullptr; }},
      {"an initial state is missing", [](ModelParts& p) { p.initial.pop_back(); }},
      {"too few coordinates", [](ModelParts& p) { p.initial[0].q.conservativeResize(6); }},
      {"too many velocities", [](ModelParts& p) { p.initial[1].v.conservativeResize(13); }},
      {"no step", [](ModelParts& p) { p.options.h = 0.0; }},
      {"a step backwards", [](ModelParts& p) { p.options.h = -1e-3; }},
      {"a step without end",
       [](ModelParts& p) { p.options.h = std::numeric_limits<double>::infinity(); }},
      {"the world as first side", [](ModelParts& p) { p.pairs[0].a.group = -1; }},
      {"a group that is not there", [](ModelParts& p) { p.pairs[0].b.group = 2; }},
      {"a law that is not there", [](ModelParts& p) { p.pairs[0].law = 1; }},
      {"a negative law", [](ModelParts& p) { p.pairs[0].law = -1; }},
      {"equal keys", [](ModelParts& p) { p.pairs.push_back(p.pairs[0]); }}};
  for (const auto& [name, spoil] : faults) {
    CAPTURE(name);
    ModelParts made = rigid_on_string({moreau_jean(0.5), moreau_jean(0.5), newton_impact(0.0)});
    CHECK_NOTHROW(Model{made});
    spoil(made);
    CHECK_THROWS_AS(Model{made}, UsageError);
  }
}
