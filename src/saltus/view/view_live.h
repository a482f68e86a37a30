// The view of a running simulation: a source with one frame, updated after each step to be shown.
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
  /// `scene`: as of a results file of this model (ViewData::scene()).
  ViewLive(ViewScene scene, const Model& model, const FieldOptions& fields);

  /// Copies the data of a frame, or the data needed to compute it. Call it between two steps.
  void look(const Simulation& sim);
  /// Computes the rest of the frame from the copied data, before rows are read. Can run in any
  /// thread while further steps are computed.
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
    std::unique_ptr<BodyFields> fields;  ///< null if there are none
    std::vector<double> q;
    Vector velocity;
    std::vector<std::vector<double>> row;  ///< one per column of the fields
  };

  ViewScene scene_;
  double t_ = 0.0;
  std::uint64_t step_ = 0;
  std::vector<Body> bodies_;
  std::vector<ViewContact> contacts_;
  std::vector<double> moved_;
};

}  // namespace saltus
