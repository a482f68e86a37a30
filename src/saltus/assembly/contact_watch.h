// What the contacts of an island do that their law does not mean: looked at on every finished step,
// for notices.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/contact_list.h"

namespace saltus {

/// Rigid bodies under laws that act on velocities: a point of contact that travels on a rim or over
/// facets is closed anew by each step, which takes energy as an impact does; of a true impact the
/// step takes too much by about P0/P, P0 the impulse of the step before. Measured: the work of
/// contact times min(1, P0/P), against the largest kinetic energy of the body as what it touches
/// sees it: against the place that holds it, or the centre of mass of the two, and the energy that
/// its contacts took. What carries both along does not count, nor what is more than travel has to
/// give: the energy of the motion along and about the surface.
class ContactWatch {
 public:
  ContactWatch(const Model& model, const ContactList& list);

  /// The step is finished: admitted contacts of `list` with impulses p and velocities rate (start)
  /// and u (end), a row each. Steps that lead back in time do not count.
  void look(IslandStep& step, const ContactList& list, std::span<const int> admitted,
            const Vector& p, const Vector& rate, const Vector& u);

 private:
  struct BodyWatch {
    double load = 0.0, last = 0.0,
           at = 0.0;  ///< P of this step; of the last one with a load, which ended at
    double lost = 0.0, squares = 0.0, kinetic = 0.0;  ///< sums [J], [J^2]; the largest [J]
    double taken = 0.0;                               ///< by its contacts [J]
    double moves = 0.0;                               ///< kinetic energy of this step [J]
    bool now = false;
  };

  /// Kinetic energy, and that of the motion along and about the surface [J].
  struct Moves {
    double all = 0.0, along = 0.0;
  };
  BodyWatch* body_of(const ContactList& list, const IslandContact::Side& side, int& index);
  void look_at_bodies(IslandStep& step);
  /// Kinetic energies of the sides of a contact of rigid bodies, each as the other sees it [J];
  /// number: of bodies_, -1: none.
  std::array<Moves, 2> kinetic(const IslandStep& step, const ContactList& list,
                               const IslandContact& c, const int (&number)[2]) const;

  const Model& model_;
  std::vector<BodyWatch> bodies_;
  std::vector<int> first_;              ///< of bodies_, of each member; -1: not rigid
  std::vector<int> touched_;            ///< bodies with a load in this step: numbers in bodies_
  std::vector<std::array<int, 2>> of_;  ///< group and body of each of bodies_
  std::vector<std::array<Moves, 2>> moves_;  ///< scratch of look(): of each contact admitted
  double kinetic_ = 0.0;                     ///< of all bodies, the largest [J]
  double taken_ = 0.0;                       ///< by all contacts [J]
  double until_ = -1.0;                      ///< end of the last step that counted [s]
};

}  // namespace saltus
