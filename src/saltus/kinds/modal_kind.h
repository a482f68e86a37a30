// Bodies of kind modal: places along them [m].
#pragma once
#include "saltus/kinds/build_body.h"
#include "saltus/kinds/built_kind.h"

namespace saltus {

class ModalKind : public BuiltKind {
 public:
  explicit ModalKind(std::shared_ptr<const Modal> body) : body_(std::move(body)) {}
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override;
  std::vector<TouchPoint> all_points(const NamedBuilt& of, const std::string& path) const override;
  const Modal* along() const override { return body_.get(); }
  double largest_motion() const override;
  std::shared_ptr<const PointTable> probe_table(const ProbeRequest& request) const override;

 private:
  std::shared_ptr<const Modal> body_;
};

/// path: "bodies[0]".
BuiltBody build_modal(const Scene& scene, const BodySpec& body, const std::string& path);

}  // namespace saltus
