// The view of a simulation as it is now: a source of one frame, looked at anew after each step that
// is to be shown.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "saltus/results/body_fields.h"
#include "saltus/sim/simulation.h"
#include "saltus/view/view_source.h"

namespace saltus {

class ViewLive final : public ViewSource {
 public:
  /// `scene`: that of a results file of this model (ViewData::scene()).
  ViewLive(ViewScene scene, const Model& model, const FieldOptions& fields);

  /// Copies what a frame shows, or what it is made of. Between two steps.
  void look(const Simulation& sim);
  /// Makes what needs no simulation of what was copied; before rows are asked for. By any thread,
  /// while steps are made too.
  void finish();

  const ViewScene& scene() const override { return scene_; }
  std::size_t frames() const override { return 1; }
  double time(std::size_t) const override { return t_; }
  std::uint64_t step(std::size_t) const override { return step_; }
  std::span<const double> row(std::size_t body, std::string_view table, std::size_t) override;
  std::size_t contact_count(std::size_t) const override { return contacts_.size(); }
  void contacts(std::size_t, std::vector<ViewContact>& out) override { out = contacts_; }

 private:
  struct Body {
    std::unique_ptr<BodyFields> fields;  ///< null: none
    std::vector<double> q;
    Vector velocity;
    std::vector<std::vector<double>> row;  ///< one a column of the fields
  };

  ViewScene scene_;
  double t_ = 0.0;
  std::uint64_t step_ = 0;
  std::vector<Body> bodies_;
  std::vector<ViewContact> contacts_;
  std::vector<double> moved_;
};

}  // namespace saltus
