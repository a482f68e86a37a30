#include "saltus/sim/batch.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "saltus/base/error.h"

namespace saltus {

struct Batch::Arena {
  explicit Arena(int threads) : arena(threads) {}
  tbb::task_arena arena;
};

Batch::Batch(const Model& model, int count, int threads) {
  expects(count > 0, "a batch needs at least one simulation");
  expects(threads >= 0, "give a number of threads, or 0 for those of the caller");
  for (int i = 0; i < count; ++i) sims_.push_back(std::make_unique<Simulation>(model));
  reports_.resize(sims_.size());
  const auto most = static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  if (threads > 0) arena_ = std::make_unique<Arena>(std::min(threads, most));
}
Batch::Batch(Batch&&) noexcept = default;
Batch::~Batch() = default;

void Batch::set_all(std::span<const std::vector<SetPoint>> values) {
  expects(values.size() == sims_.size(), "give the set-points of each simulation");
  for (std::size_t i = 0; i < sims_.size(); ++i) sims_[i]->expect_set_all(values[i]);
  for (std::size_t i = 0; i < sims_.size(); ++i) sims_[i]->set_all(values[i]);
}

void Batch::reset(int i, State state) {
  sims_[static_cast<std::size_t>(i)]->reset(std::move(state));
  reports_[static_cast<std::size_t>(i)] = {};
}

void Batch::advance(int steps) {
  const auto all = [&] {
    tbb::parallel_for(std::size_t{0}, sims_.size(), [&](std::size_t i) {
      tbb::this_task_arena::isolate([&] {
        for (int k = 0; k < steps; ++k) {
          const std::uint64_t before = sims_[i]->state().step;
          reports_[i] = sims_[i]->advance();
          if (sims_[i]->state().step == before) return;
        }
      });
    });
  };
  if (arena_)
    arena_->arena.execute(all);
  else
    all();
}

}  // namespace saltus
