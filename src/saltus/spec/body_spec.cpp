#include "saltus/spec/body_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "saltus/base/units.h"

namespace saltus {
namespace {

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// axis and direction must have nonzero length, and be perpendicular if the body moves across its
/// axis.
std::optional<Fault> frame_fault(const BodySpec& body) {
  const double axis = std::sqrt(dot(body.axis, body.axis));
  const double direction = std::sqrt(dot(body.direction, body.direction));
  if (!(axis > 0.0) || !std::isfinite(axis))
    return Fault{"axis", "has no direction", "for example [1, 0, 0]"};
  if (!(direction > 0.0) || !std::isfinite(direction))
    return Fault{"direction", "has no direction", "for example [0, 0, 1]"};
  const bool transverse = body.string || (body.bar && body.bar->motion == BarSpec::Motion::bending);
  if (transverse && std::abs(dot(body.axis, body.direction)) > 1e-9 * axis * direction)
    return Fault{"direction", "is not perpendicular to `axis`",
                 "the body moves perpendicular to its axis"};
  return std::nullopt;
}

std::optional<Fault> initial_fault(const BodySpec& body) {
  const int modes = body.string                       ? body.string->modes
                    : body.bar                        ? body.bar->modes + body.bar->rigid_modes()
                    : body.modes && !body.modes->file ? static_cast<int>(body.modes->omega.size())
                                                      : 0;
  if (body.initial && body.initial->velocity && body.kind != BodyKind::linear)
    return Fault{"initial.velocity", "is for bodies of kind linear", "give `velocities`"};
  if (!body.initial || modes == 0) return std::nullopt;
  for (const auto& [key, list] : {std::pair{"coordinates", &body.initial->coordinates},
                                  std::pair{"velocities", &body.initial->velocities}})
    if (*list && (*list)->size() > static_cast<std::size_t>(modes))
      return Fault{std::string("initial.") + key,
                   "has " + std::to_string((*list)->size()) + " entries for " +
                       std::to_string(modes) + " modes",
                   "one per mode; missing ones at the end are 0"};
  return std::nullopt;
}

/// Entries of the frame that were changed but have no effect on this body.
std::optional<Fault> unused_frame(const BodySpec& body) {
  const BodySpec plain;
  const bool modal = body.kind == BodyKind::modal;
  const bool along = body.chain || body.mesh;            // move along `axis`
  const bool across = body.oscillator || body.matrices;  // move along `direction`
  const bool hangs = body.pendulum || body.n_pendulum || body.spring_pendulum;
  struct Row {
    const char* key;
    bool changed, used;
  };
  for (const Row& row :
       {Row{"origin", body.origin != plain.origin, modal || along || across || hangs},
        Row{"axis", body.axis != plain.axis, modal || along},
        Row{"direction", body.direction != plain.direction, modal || across}})
    if (row.changed && !row.used)
      return Fault{row.key, "has no meaning for this body",
                   body.kind == BodyKind::particles ? "places are in particles.positions"
                   : body.kind == BodyKind::rigid   ? "give rigid.position and rigid.rotation"
                   : body.kind == BodyKind::fem     ? "give fem.position and fem.rotation"
                   : body.kind == BodyKind::beam    ? "give beam.start and beam.end"
                   : body.kind == BodyKind::pseudo_rigid
                       ? "give pseudo_rigid.position and pseudo_rigid.rotation"
                       : "leave it out"};
  return std::nullopt;
}

/// Loads that have no meaning for this kind of body.
std::optional<Fault> load_fault(const BodySpec& body) {
  const bool modal = body.kind == BodyKind::modal, points = body.kind == BodyKind::particles;
  const bool deforms = body.kind == BodyKind::pseudo_rigid;
  const bool rigid = body.kind == BodyKind::rigid || deforms;
  if (body.kind == BodyKind::fem && !body.loads.empty())
    return Fault{"loads", "have no meaning for kind fem", "give fem.loads"};
  if (body.kind == BodyKind::beam && !body.loads.empty())
    return Fault{"loads", "have no meaning for kind beam", "give beam.loads"};
  if (body.rigid && !body.rigid->free() && !body.loads.empty())
    return Fault{"loads", "have no meaning for a body that is fixed or has prescribed motion",
                 "leave them out"};
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    const LoadSpec& load = body.loads[i];
    const std::string key = "loads[" + std::to_string(i) + "].";
    if (rigid && !load.force && !load.torque)
      return Fault{key + (load.dof        ? "dof"
                          : load.particle ? "particle"
                          : load.at       ? "at"
                                          : "pattern"),
                   "has no meaning for kind " + std::string(name_of(body.kind)),
                   deforms ? "give `force`" : "give `force` or `torque`"};
    if (deforms && load.torque)
      return Fault{key + "torque", "is for kind rigid", "give `force` at two places"};
    if (!rigid && (load.force || load.torque))
      return Fault{key + (load.force ? "force" : "torque"), "is for bodies with shapes",
                   points ? "give `particle` and `direction`" : "give `dof` or `pattern`"};
    if (load.particle && !points)
      return Fault{key + "particle", "is for kind particles", "give `dof` or `pattern`"};
    if (load.at && !modal) return Fault{key + "at", "is for kind modal", "give `dof` or `pattern`"};
    if (modal && !load.constant)
      return Fault{key + (load.harmonic ? "harmonic"
                          : load.file   ? "file"
                                        : "table"),
                   "kind modal accepts constant loads only",
                   "give `constant`, or write the body as kind linear"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fault> StringSpec::fault() const {
  if (!table) return std::nullopt;
  if (inharmonicity != 0.0)
    return Fault{"inharmonicity", "cannot be given together with `table`", ""};
  if (dispersion != Dispersion::hinged)
    return Fault{"dispersion", "cannot be given together with `table`", ""};
  return std::nullopt;
}

std::optional<Fault> BarSpec::fault() const {
  const bool bends = motion == Motion::bending;
  if (bends && !second_moment)
    return Fault{"second_moment", "is missing", "a bending bar needs it, in m^4"};
  if (!bends && second_moment)
    return Fault{"second_moment", "has no meaning for a longitudinal bar", ""};
  if (!bends && ends == Ends::hinged_hinged)
    return Fault{"ends", "a longitudinal bar has no hinges",
                 "allowed: fixed-free, free-free, fixed-fixed"};
  if (damping && std::holds_alternative<AirViscoelasticDamping>(*damping))
    return Fault{"damping.model", "air-viscoelastic losses are defined for strings only",
                 "give `constant` or `table`"};
  return std::nullopt;
}

std::optional<Fault> ModesSpec::fault() const {
  for (const auto& [key, list] : {std::pair{"sigma", &sigma}, std::pair{"mass", &mass}})
    if (!list->empty() && list->size() != omega.size())
      return Fault{key,
                   "has " + std::to_string(list->size()) + " entries, `omega` has " +
                       std::to_string(omega.size()),
                   "one per mode"};
  return std::nullopt;
}

SchemeChoice BodySpec::chosen_scheme() const {
  if (scheme) return *scheme;
  if (kind == BodyKind::modal) return ModalExactOptions{};
  if (kind == BodyKind::rigid) return RigMidOptions{};
  MoreauJeanOptions usual;
  usual.dashpots = MoreauJeanOptions::Dashpots::decaying;
  if (fem && fem->modes)
    return fem->modes->keep.empty() ? SchemeChoice(ModalExactOptions{}) : usual;
  if (kind == BodyKind::pseudo_rigid || kind == BodyKind::fem) return DefLimOptions{};
  return usual;
}

int colour_of(std::string_view text) {
  struct Row {
    std::string_view name;
    int value;
  };
  static constexpr std::array kColours{
      Row{"black", 0x202020},   Row{"blue", 0x3070c0},   Row{"brown", 0x8c5a3c},
      Row{"cyan", 0x30b0c0},    Row{"green", 0x3a9a4a},  Row{"grey", 0x8c8c8c},
      Row{"magenta", 0xc040a0}, Row{"orange", 0xe08020}, Row{"pink", 0xe890a8},
      Row{"purple", 0x8050b0},  Row{"red", 0xc83030},    Row{"white", 0xf2f2f2},
      Row{"yellow", 0xe8c830}};
  const auto named = std::ranges::find(kColours, text, &Row::name);
  if (named != kColours.end()) return named->value;
  int value = 0;
  if (text.size() != 7 || text.front() != '#') return -1;
  const auto [end, fault] = std::from_chars(text.data() + 1, text.data() + 7, value, 16);
  return fault == std::errc{} && end == text.data() + 7 && value >= 0 ? value : -1;
}

std::optional<Fault> BodySpec::fault() const {
  if (colour && colour_of(*colour) < 0)
    return Fault{"colour", "'" + *colour + "' is no colour", "for example \"#d06020\", or red"};
  if (kind == BodyKind::rigid && rayleigh)
    return Fault{"rayleigh", "has no meaning for kind rigid",
                 "give rigid.drag and rigid.spin_drag"};
  if (kind == BodyKind::pseudo_rigid && rayleigh)
    return Fault{"rayleigh", "has no meaning for kind pseudo-rigid", "give pseudo_rigid.eta"};
  if (fem && fem->viscosity != Viscosity::current_tangent && !(rayleigh && rayleigh->stiffness > 0))
    return Fault{"fem.viscosity", "is the form of rayleigh.stiffness, which is 0",
                 "leave it out, or give rayleigh: {stiffness: 1 us}"};
  if (scheme && !integrated())
    return Fault{"scheme", "has no meaning for a body that is fixed or has prescribed motion",
                 "leave it out"};
  if (auto found = frame_fault(*this)) return found;
  if (auto found = unused_frame(*this)) return found;
  if (auto found = load_fault(*this)) return found;
  if (pluck && !string)
    return Fault{"pluck", "only a string can be plucked", "give `initial` instead"};
  if (pluck && pluck->at >= string->length)
    return Fault{"pluck.at", to_text(pluck->at, unit::m) + " is not inside the string",
                 "allowed: (0, " + to_text(string->length) + ") m"};
  return initial_fault(*this);
}

}  // namespace saltus
