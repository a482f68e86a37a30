#include "saltus/assembly/contact_history.h"

#include <algorithm>

#include "saltus/assembly/contact_parts_internal.h"
#include "saltus/base/index_internal.h"

namespace saltus {

void ContactHistory::resize() {
  for (std::vector<char>* x : {&bonded_, &loaded_, &lasts_, &held_}) x->resize(list_.count());
}

void ContactHistory::begin(const IslandStep& step, bool velocities, Vector& impulse) {
  impulse.setZero();
  clear_loads();
  // At t = 0 all bonds are intact; the memory does not store contacts that have opened.
  std::fill(bonded_.begin(), bonded_.end(), step.trials.front().t0 == 0.0 ? '\1' : '\0');
  if (!velocities || list_.count() == 0) return;
  in_parts(list_, list_.count(), [&](std::size_t begin, std::size_t end) {
    auto memory = std::ranges::lower_bound(step.before, list_[begin].key, {}, &ContactMemory::key);
    for (std::size_t i = begin; i < end; ++i) {
      const IslandContact& c = list_[i];
      while (memory != step.before.end() && memory->key < c.key) ++memory;
      if (memory == step.before.end()) break;
      if (memory->key != c.key) continue;
      bonded_[i] = 1;
      for (int a = 0; a < c.rows(); ++a)
        impulse[c.first_row + a] = a == 0            ? memory->impulse[0]
                                   : a <= c.tangents ? memory->impulse[a] / c.scale[at(a - 1)]
                                                     : memory->moment[c.axis_of(a)];
      loaded_[i] = impulse[c.first_row] > 0.0 ? 1 : 0;
    }
  });
}

void ContactHistory::clear_loads() {
  std::fill(loaded_.begin(), loaded_.end(), '\0');
  std::fill(lasts_.begin(), lasts_.end(), '\0');
}

void ContactHistory::find_lasting(std::span<const int> admitted, const Vector& u0,
                                  const Vector& u_free) {
  for (const int i : admitted) {
    const int row = list_[at(i)].first_row;
    lasts_[at(i)] = loaded(at(i)) && list_.law(at(i)).load_lasts(u0[row], u_free[row]);
  }
}

void ContactHistory::hold(std::span<const int> admitted, const Vector& p) {
  std::fill(held_.begin(), held_.end(), '\0');
  for (std::size_t k = 0; k < admitted.size(); ++k)
    held_[at(admitted[k])] = p[static_cast<Eigen::Index>(k)] > 0.0 ? 1 : 0;
}

bool ContactHistory::glued(std::size_t i) const {
  return bonded_[i] != 0 && list_.law(i).facts().cohesion > 0.0;
}

bool ContactHistory::rests(std::size_t i) const {
  const LawFacts& law = list_.law(i).facts();
  return loaded(i) && (!law.closes_gaps || lasts(i) || law.restitution == 0.0);
}

}  // namespace saltus
