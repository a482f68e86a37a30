#include "saltus/scene/surface_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/suggest.h"
#include "saltus/scene/build_law.h"

namespace saltus {

int SurfaceTable::hold(const std::string& material, const Holder& holder) {
  const auto known = std::ranges::find(materials_, material);
  const auto index = static_cast<std::size_t>(known - materials_.begin());
  if (known == materials_.end()) {
    materials_.push_back(material);
    holders_.emplace_back();
  }
  const auto put = [&](std::vector<Holder>& list) {
    const auto same = std::ranges::find(list, holder.body, &Holder::body);
    if (same == list.end() && (list.size() < 2 || (holder.self && !list[0].self)))
      list.push_back(holder);
  };
  put(holders_[index].any);
  if (holder.free) put(holders_[index].free);
  return static_cast<int>(index);
}

void SurfaceTable::moved_by(const SchemeChoice& scheme) { schemes_.push_back(scheme); }

void SurfaceTable::moves(double thickness) {
  if (!std::isfinite(thickness)) return;
  least_ = least_ > 0.0 ? std::min(least_, thickness) : thickness;
}

void SurfaceTable::find_laws() {
  Surfaces& surfaces = parts_.surfaces;
  const auto n = static_cast<int>(materials_.size());
  surfaces.materials = std::max(n, 1);
  surfaces.law.assign(static_cast<std::size_t>(surfaces.materials * surfaces.materials), -1);
  apart_.assign(surfaces.law.size(), false);
  // whether all schemes average over a step with the same theta
  const bool alike = std::ranges::all_of(schemes_, [&](const SchemeChoice& scheme) {
    return theta_of(scheme) == theta_of(schemes_.front());
  });
  for (std::size_t k = 0; k < scene_.spec.surfaces.size(); ++k) {
    const SurfaceLawSpec& spec = scene_.spec.surfaces[k];
    const std::string path = fmt::format("surfaces[{}]", k);
    std::array<int, 2> pair{-1, -1};
    for (std::size_t s = 0; s < spec.materials.size(); ++s) {
      const auto known = std::ranges::find(materials_, spec.materials[s]);
      if (known == materials_.end()) {
        const std::vector<std::string_view> names(materials_.begin(), materials_.end());
        throw SceneError(fmt::format("{}.materials[{}]", path, s),
                         fmt::format("no shape has the material '{}'", spec.materials[s]),
                         did_you_mean(spec.materials[s], names));
      }
      pair[s] = static_cast<int>(known - materials_.begin());
    }
    if (schemes_.empty()) continue;  // nothing moves by forces
    if (spec.law && reads_theta(*spec.law) && !alike)
      throw SceneError(
          path + ".law",
          std::string(name_of(*spec.law)) +
              " averages with theta of the schemes, but those of the bodies with surfaces differ",
          "give all of them the same scheme");
    const auto law = static_cast<int>(parts_.laws.size());
    bool used = false;
    for (int a = 0; a < n; ++a)
      for (int b = a; b < n; ++b) {
        if (pair[0] >= 0 && !((a == pair[0] && b == pair[1]) || (a == pair[1] && b == pair[0])))
          continue;
        const auto entry = static_cast<std::size_t>(a * surfaces.materials + b),
                   same = static_cast<std::size_t>(b * surfaces.materials + a);
        if (surfaces.law[entry] >= 0 || apart_[entry]) continue;
        used = true;
        if (spec.touches)
          surfaces.law[entry] = surfaces.law[same] = law;
        else
          apart_[entry] = apart_[same] = true;
      }
    if (!used)
      parts_.warnings.push_back(path + ": has no effect: earlier entries match its materials");
    if (!spec.touches) continue;
    parts_.laws.push_back(
        law_of(*spec.law, schemes_.front(), scene_.spec.contact.instant, path + ".law"));
    parts_.law_path.push_back(path + ".law");
    if (parts_.laws.back()->facts().friction.directed()) {
      surfaces.axis_material.resize(parts_.laws.size(), -1);
      surfaces.axis_material.back() = pair[0];
    }
  }
}

void SurfaceTable::find_margin() {
  const auto& given = scene_.spec.contact.margin;
  parts_.surfaces.margin = given.value_or(kSmallShare * least_);
  // Between two instants at which event-driven integration detects contacts, no point may cross the
  // margin.
  parts_.surfaces.event_margin = given.value_or(kEventShare * least_);
}

void SurfaceTable::warn_of_lawless() {
  const std::size_t n = materials_.size();
  const auto tell = [&](std::size_t a, std::size_t b) {
    for (const Holder& x : holders_[a].free)
      for (const Holder& y : holders_[b].any) {
        if (x.body == y.body && !x.self) continue;
        parts_.warnings.push_back(fmt::format(
            "surfaces: no law is defined between '{}' and '{}': {}; define one, or give "
            "`materials: [{}, {}], touches: false` if this is intended",
            materials_[a], materials_[b],
            x.body == y.body ? fmt::format("'{}' has no contact with itself", x.name)
                             : fmt::format("'{}' and '{}' have no contact", x.name, y.name),
            materials_[a], materials_[b]));
        return true;
      }
    return false;
  };
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      if (parts_.surfaces.law[a * n + b] < 0 && !apart_[a * n + b] && !tell(a, b) && a != b)
        tell(b, a);
}

}  // namespace saltus
