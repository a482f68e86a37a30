// Checks every finished step of an island for contacts that violate the assumptions of their law,
// and adds notices.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/contact_list.h"

namespace saltus {

/// Rigid bodies with laws that act on velocities: if a contact point travels along a rim or over
/// facets, every step closes the contact anew and dissipates energy as an impact does. For a true
/// impact the step dissipates too much by about P0/P, P0 the impulse of the previous step. The
/// measure is the work of the contact times min(1, P0/P). It is compared with the largest kinetic
/// energy of the body, relative to the support or to the centre of mass of the two bodies, plus the
/// energy that its contacts dissipated. Common motion of both bodies does not count, nor does more
/// than travel can dissipate: the energy of the motion along and about the surface.
class ContactWatch {
 public:
  ContactWatch(const Model& model, const ContactList& list);

  /// The step is finished: contacts `admitted` of `list` with impulses p and velocities rate
  /// (start) and u (end), one entry per row. Steps that go back in time do not count.
  void look(IslandStep& step, const ContactList& list, std::span<const int> admitted,
            const Vector& p, const Vector& rate, const Vector& u);

 private:
  struct BodyWatch {
    /// P of this step; P of the last step with a load, and its end.
    double load = 0.0, last = 0.0, at = 0.0;
    double lost = 0.0, squares = 0.0, kinetic = 0.0;  ///< sums [J], [J^2]; the maximum [J]
    double taken = 0.0;                               ///< dissipated by its contacts [J]
    double moves = 0.0;                               ///< kinetic energy of this step [J]
    bool now = false;
  };

  /// Kinetic energy: total, and that of the motion along and about the surface [J].
  struct Moves {
    double all = 0.0, along = 0.0;
  };
  BodyWatch* body_of(const ContactList& list, const IslandContact::Side& side, int& index);
  void look_at_bodies(IslandStep& step);
  /// Kinetic energies of the sides of a contact of rigid bodies, each relative to the other [J];
  /// number: index in bodies_, -1: none.
  std::array<Moves, 2> kinetic(const IslandStep& step, const ContactList& list,
                               const IslandContact& c, const int (&number)[2]) const;

  const Model& model_;
  std::vector<BodyWatch> bodies_;
  std::vector<int> first_;              ///< first body of each member in bodies_; -1: not rigid
  std::vector<int> touched_;            ///< bodies with a load in this step: indices in bodies_
  std::vector<std::array<int, 2>> of_;  ///< group and body of each of bodies_
  std::vector<std::array<Moves, 2>> moves_;  ///< work space of look(): for each admitted contact
  double kinetic_ = 0.0;                     ///< maximum over all bodies [J]
  double taken_ = 0.0;                       ///< dissipated by all contacts [J]
  double until_ = -1.0;                      ///< end of the last step that counted [s]
};

}  // namespace saltus
