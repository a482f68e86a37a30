#include <cmath>

#include "saltus/event_driven/embedded.h"
#include "saltus/math/tableaus.h"

namespace saltus {
namespace {

using embedded::Stages;
using embedded::Weights;

constexpr int kEnd5 = 6;  // the stage of f(t1, y1)

constexpr Weights weights(const Tableau::Weights& dense) {
  Weights sparse;
  for (int i = 0; i < Tableau::kMost; ++i)
    if (const double x = dense[static_cast<std::size_t>(i)]; x != 0.0)
      sparse.term[static_cast<std::size_t>(sparse.count++)] = {i, x};
  return sparse;
}

constexpr auto kA5 = [] {
  std::array<Weights, kEnd5 + 1> a;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = weights(kDormandPrince.a[i]);
  return a;
}();

constexpr Weights kError5 = [] {
  Tableau::Weights e{};
  for (std::size_t i = 0; i < e.size(); ++i)
    e[i] = kDormandPrince.b[i] - kDormandPrince.embedded[i];
  return weights(e);
}();

/// F3 of the dense output: of the outputs of order 4 the one with the smallest error.
constexpr Weights kDense{{0, -12715105075.0 / 11282082432.0}, {2, 87487479700.0 / 32700410799.0},
                         {3, -10690763975.0 / 1880347072.0},  {4, 701980252875.0 / 199316789632.0},
                         {5, -1453857185.0 / 822651844.0},    {6, 69997945.0 / 29380423.0}};

class DormandPrince5 final : public OdeMethod {
 public:
  std::string_view name() const override { return "dormand-prince-5"; }
  int order() const override { return 5; }
  int error_order() const override { return 5; }
  int evaluations() const override { return kEnd5; }

  bool step(SmoothMotion& motion, OdeStep& step) const override {
    Stages stages(step, motion.size(), kEnd5 + 1);
    for (int i = 1; i <= kEnd5; ++i) {  // the last point is y1
      stages.place(kA5[static_cast<std::size_t>(i)]);
      const double c = kDormandPrince.c[static_cast<std::size_t>(i)];
      if (!stages.evaluate(motion, step.t0 + c * step.h, i)) return false;
    }
    stages.sum(nullptr, kError5, step.error.data());
    return stages.finish(kEnd5);
  }

  double error(const OdeStep& step, View scale) const override {
    return std::sqrt(embedded::square_sum(step.error, scale) /
                     static_cast<double>(step.error.size()));
  }

  void interpolate(SmoothMotion&, OdeStep& step) const override {
    Stages stages(step);
    embedded::nested_output(stages, step, kEnd5, {kDense});
  }
};

}  // namespace

std::unique_ptr<OdeMethod> make_dormand_prince_5() { return std::make_unique<DormandPrince5>(); }

}  // namespace saltus
