// The equations of impact_energetic.cpp: springs that compress and expand, friction that sticks and
// slides.
#pragma once
#include "saltus/event_driven/impact_internal.h"

namespace saltus::impact {

/// The state y is (delta of every contact, P of every row) in units in which W and u- are about 1;
/// equality rows are eliminated. The mode of every contact is constant within a step and changes at
/// events.
class Springs {
 public:
  explicit Springs(const Course& course);
  bool closes() const { return closes_; }
  Vector start() const { return Vector::Zero(contacts() + u_.size()); }
  /// One Dormand-Prince step and the estimate of its error.
  void step(const Vector& y, double h, Vector& end, Vector& error) const;
  /// Three numbers per contact, positive as long as its mode continues: for u_N, for delta, for
  /// friction.
  Vector events(const Vector& y) const;
  void change(int event, Vector& y);
  /// Updates the directions of sliding for the step from y.
  void turn(const Vector& y);
  /// True if no contact is compressed or closes by more than `least`.
  bool over(const Vector& y, double least) const;
  double longest() const;
  int compressions() const { return compressions_; }
  Vector impulses(const Vector& y) const;  ///< P of the problem [N s]

 private:
  enum class Normal { open, compresses, expands };
  enum class Slip { none, sticks, slides };
  struct Contact {
    int place = 0, first = 0, tangents = 0;
    double e = 0.0, friction = 0.0;
    Normal normal = Normal::open;
    Slip slip = Slip::none;
    bool starts = false;  ///< it slides from rest, and its velocity has no direction yet
    Eigen::Vector2d direction = Eigen::Vector2d::Zero();  ///< of the slip
  };

  Eigen::Index contacts() const { return static_cast<Eigen::Index>(contacts_.size()); }
  Vector velocity(const Vector& y) const { return u_ + W_ * y.tail(u_.size()); }
  Vector forces(const Vector& y, const Vector& u) const;
  void rates(const Vector& y, Vector& f) const;
  Eigen::Vector2d slip(const Contact& c, const Vector& x) const {
    return {x[c.first + 1], c.tangents == 2 ? x[c.first + 2] : 0.0};
  }
  void set_slip(Contact& c, Vector& y);
  void rub(Vector& y, Contact* must_slide);
  void gather_sticking();

  const ImpactProblem& problem_;
  double mobility_ = 1.0, speed_ = 1.0;
  Matrix W_, held_inverse_, held_rows_;
  Vector u_, held_start_;
  std::vector<int> held_;
  std::vector<Contact> contacts_;
  bool closes_ = false;
  int compressions_ = 0;
  std::vector<int> sticking_;  ///< tangential rows
  Matrix sticking_inverse_;
};

}  // namespace saltus::impact
