#include <cmath>

#include "saltus/event_driven/embedded.h"

namespace saltus {
namespace {

using embedded::Stages;
using Table = embedded::DormandPrince8;

constexpr int kEnd8 = 12;  // the stage of f(t1, y1)

bool stage(Stages& stages, SmoothMotion& motion, const OdeStep& step, int i) {
  stages.place(Table::a[static_cast<std::size_t>(i)]);
  return stages.evaluate(motion, step.t0 + Table::c[static_cast<std::size_t>(i)] * step.h, i);
}

class DormandPrince8 final : public OdeMethod {
 public:
  std::string_view name() const override { return "dormand-prince-8"; }
  int order() const override { return 8; }
  int error_order() const override { return 8; }
  int evaluations() const override { return 15; }

  bool step(SmoothMotion& motion, OdeStep& step) const override {
    Stages stages(step, motion.size(), Table::kStages);
    for (int i = 1; i <= kEnd8; ++i)
      if (!stage(stages, motion, step, i)) return false;
    step.error_low.resize(step.error.size());
    stages.sum(nullptr, Table::e5, step.error.data());
    stages.sum(nullptr, Table::e3, step.error_low.data());
    return stages.finish(kEnd8);
  }

  // e5 decreases as h^6 and e3 as h^4, so |e5| |e5|/|e3| decreases as h^8; the denominator used
  // keeps it finite if e3 happens to vanish.
  double error(const OdeStep& step, View scale) const override {
    const double e5 = embedded::square_sum(step.error, scale);
    const double e3 = embedded::square_sum(step.error_low, scale);
    const double weight = e5 + 0.01 * e3;
    if (weight == 0.0) return 0.0;
    return e5 / std::sqrt(weight * static_cast<double>(step.error.size()));
  }

  void interpolate(SmoothMotion& motion, OdeStep& step) const override {
    Stages stages(step);
    for (int i = kEnd8 + 1; i < Table::kStages; ++i) stage(stages, motion, step, i);
    embedded::nested_output(stages, step, kEnd8,
                            {Table::d[0], Table::d[1], Table::d[2], Table::d[3]});
  }
};

}  // namespace

std::unique_ptr<OdeMethod> make_dormand_prince_8() { return std::make_unique<DormandPrince8>(); }

}  // namespace saltus
