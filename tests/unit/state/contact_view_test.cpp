// The contacts of a step as Simulation::contacts() tells them: places, forces, what sticks and what slides.
#include "saltus/state/contact_view.h"

#include <doctest/doctest.h>

#include <cstring>
#include <new>

#include "saltus/bodies/modal.h"
#include "saltus/schemes/modal_exact.h"
#include "support/rigid_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

using Status = ContactView::Status;

/// A box of 2 kg on the ground, thrown sideways.
Simulation sliding_box(double mu, double speed, bool correct = false) {
  RigidScene scene;
  scene.correct = correct;
  scene.fix(Plane{});
  RigidThing box{Box{{0.1, 0.1, 0.05}}};
  box.mass = 2.0;
  box.x = {0.0, 0.0, 0.05};
  box.v = {speed, 0.0, 0.0};
  scene.add(box);
  return Simulation(scene.model(rig_mid(), 1e-3, newton_law(0.0, mu)));
}

Vector3 total_force(std::span<const ContactView> contacts) {
  Vector3 sum = Vector3::Zero();
  for (const ContactView& c : contacts) sum += c.force;
  return sum;
}

}  // namespace

TEST_CASE("contacts slide while the body does, stick when it rests, and bear its weight") {
  struct Row {
    double mu, speed;
    Status status;
    Vector3 force;
  };
  const double weight = 2.0 * 9.81;
  for (const Row& row : std::vector<Row>{
           {0.5, 1.0, Status::slides, {-0.5 * weight, 0.0, weight}},
           {0.5, 0.0, Status::sticks, {0.0, 0.0, weight}},
           {0.0, 1.0, Status::closed, {0.0, 0.0, weight}},
       }) {
    CAPTURE(row.mu);
    CAPTURE(row.speed);
    Simulation sim = sliding_box(row.mu, row.speed);
    CHECK(sim.contacts().empty());
    for (int k = 0; k < 3; ++k) REQUIRE(sim.advance().converged);
    const auto contacts = sim.contacts();
    CHECK(contacts.size() == 4);
    for (const ContactView& c : contacts) {
      if (!c.impulse.isZero(0.0)) CHECK(c.status == row.status);
      CHECK(c.normal == Vector3(0.0, 0.0, 1.0));  // from the ground to the box
      CHECK(std::abs(c.point.z()) < 1e-9);
      CHECK(std::abs(c.gap) < 1e-9);
      CHECK(c.a.group == 0);
      CHECK(c.a.body == 0);
      CHECK(c.b.group == -1);
    }
    CHECK((total_force(contacts) - row.force).norm() < 1e-6 * weight);
  }
}

TEST_CASE(
    "the forces of the contacts are what changes the momentum of a body that falls on an edge") {
  RigidScene scene;
  scene.fix(Plane{});
  RigidThing box{Box{{0.1, 0.1, 0.05}}};
  box.mass = 2.0;
  box.x = {0.0, 0.0, 0.12};
  box.v = {0.4, 0.1, -1.0};
  box.Q = exp_rotation({0.3, 0.2, 0.0});
  scene.add(box);
  const double h = 1e-3;
  Simulation sim(scene.model(rig_mid(), h, newton_law(0.3, 0.4)));
  bool touched = false;
  for (int k = 0; k < 100; ++k) {
    const Vector3 before = speed_of(sim, 0);
    REQUIRE(sim.advance().converged);
    const Vector3 force = 2.0 * ((speed_of(sim, 0) - before) / h - scene.gravity);
    const auto contacts = sim.contacts();
    CHECK((total_force(contacts) - force).norm() < 1e-8 * (1.0 + force.norm()));
    // what carries an impulse is what the state remembers, in its order
    auto memory = sim.state().contacts.begin();
    for (const ContactView& c : contacts) {
      if (c.impulse.isZero(0.0)) {
        CHECK(c.status == Status::open);
        continue;
      }
      touched = true;
      REQUIRE(memory != sim.state().contacts.end());
      CHECK(memory->key == c.key);
      CHECK(memory->impulse == c.impulse);
      ++memory;
    }
    CHECK(memory == sim.state().contacts.end());
  }
  CHECK(touched);
}

TEST_CASE("asking for the contacts changes no bit of what comes, with positions corrected too") {
  for (const bool correct : {false, true}) {
    Simulation asked = sliding_box(0.3, 1.0, correct), left = sliding_box(0.3, 1.0, correct);
    for (int k = 0; k < 50; ++k) {
      asked.advance();
      left.advance();
      const auto contacts = asked.contacts();
      CHECK(std::abs(total_force(contacts).z() - 2.0 * 9.81) < 1e-6);
    }
    CHECK(asked.state().groups[0].q == left.state().groups[0].q);
    CHECK(asked.state().groups[0].v == left.state().groups[0].v);
  }
}

TEST_CASE("a ball that comes near is an open contact between ball and ball, midway") {
  RigidScene scene;
  scene.gravity.setZero();
  scene.margin = 0.02;
  for (const double x : {-0.105, 0.105}) {
    RigidThing ball{Sphere{0.1}};
    ball.x = {x, 0.0, 0.3};
    ball.v = {-x, 0.0, 0.0};
    scene.add(ball);
  }
  Simulation sim(scene.model(rig_mid(), 1e-3, newton_law(0.0, 0.2)));
  REQUIRE(sim.advance().converged);
  const auto contacts = sim.contacts();
  REQUIRE(contacts.size() == 1);
  CHECK(contacts[0].status == Status::open);
  CHECK(contacts[0].gap == doctest::Approx(0.01 - 2.0 * 0.105e-3));
  CHECK(contacts[0].point.isApprox(Vector3(0.0, 0.0, 0.3), 1e-9));
  CHECK(contacts[0].normal.isApprox(Vector3(-1.0, 0.0, 0.0), 1e-12));
  CHECK(contacts[0].a.body == 0);
  CHECK(contacts[0].b.body == 1);
  CHECK(contacts[0].force.isZero(0.0));
}

TEST_CASE(
    "frets under a string are contacts of it with the world, pressed ones closed; far ones are "
    "left out where asked") {
  const int modes = 12;
  const Vector one = Vector::Ones(modes);
  Vector omega(modes);
  for (int j = 0; j < modes; ++j) omega[j] = 600.0 * (j + 1);
  const auto string =
      std::make_shared<Modal>(0.01 * one, omega, 2.0 * one, sine_shapes(1.0, modes));
  test::MovingBody start{string, Vector::Zero(modes), Vector::Zero(modes)};
  start.q[0] = 0.01;
  for (const bool fixed : {true, false}) {
    ModelParts parts = one_group(start, ModalExactOptions{}, 1.0 / 8000.0);
    for (const double x : {0.2, 0.5, 0.7})
      add_stop(parts, {0, 0, {x, 0.0, 0.0}}, {x, 0.0, -1e-3}, Vector3::UnitZ(), newton_law(0.5));
    if (!fixed) {  // a tangent takes the pairs to the island for everything
      parts.pairs[1].tangent[0] = Vector3::UnitX();
      parts.pairs[1].tangents = 1;
      parts.laws[1] = newton_law(0.5, 0.1);
    }
    Simulation sim{Model(std::move(parts))};
    bool pressed = false, left_out = false;
    for (int k = 0; k < 400; ++k) {
      REQUIRE(sim.advance().converged);
      const auto contacts = sim.contacts();
      REQUIRE(contacts.size() == 3);
      for (std::size_t i = 0; i < 3; ++i) {
        const ContactView& c = contacts[i];
        CHECK(c.key == i + 1);
        CHECK(c.point.z() == doctest::Approx(0.5 * c.gap - 1e-3));
        CHECK((c.status == Status::open) == (c.impulse[0] == 0.0));
        CHECK(c.force.z() == doctest::Approx(8000.0 * c.impulse[0]));
        pressed = pressed || c.status != Status::open;
      }
      const std::vector<ContactView> all(contacts.begin(), contacts.end());
      constexpr double most = 5e-3;
      const auto near = sim.contacts(most);
      CHECK(sim.seen_contacts().size() == near.size());
      auto next = near.begin();
      for (const ContactView& c : all) {
        const bool there = next != near.end() && next->key == c.key;
        const bool far = c.status == Status::open && c.gap > most;
        CHECK((there || far));
        left_out = left_out || !there;
        if (!there) continue;
        CHECK(next->status == c.status);
        CHECK(next->gap == c.gap);
        CHECK(next->point == c.point);
        CHECK(next->force == c.force);
        ++next;
      }
      CHECK(next == near.end());
    }
    CHECK(pressed);
    CHECK(left_out == fixed);
  }
}

TEST_CASE(
    "what an island knows of a contact is zero until it says more, wherever in memory it lies") {
  alignas(SeenContact) static unsigned char room[sizeof(SeenContact)];
  void* (*volatile fill)(void*, int, std::size_t) = std::memset;  // as a stack that was used
  fill(room, 0x3c, sizeof room);
  const auto* seen = new (room) SeenContact;
  for (const Vector3& x : seen->place) CHECK(x == Vector3::Zero());
  for (const Vector3& x : seen->tangent) CHECK(x == Vector3::Zero());
}
