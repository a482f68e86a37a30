// Work spaces that calls borrow: one each, and nothing of a call that failed.
#include <doctest/doctest.h>

#include <stdexcept>

#include "saltus/base/work_pool.h"

using namespace saltus;

namespace {

struct Room {
  explicit Room(int made) : number(made) {}
  int number, kept = 0;
};

}  // namespace

TEST_CASE("calls at one time have a work space each, and the next call has the last one again") {
  int made = 0;
  const WorkPool<Room> pool([&] { return std::make_unique<Room>(made++); });
  {
    const auto first = pool.borrow();
    const auto second = pool.borrow();
    CHECK(first->number == 0);
    CHECK(second->number == 1);
  }
  pool.borrow()->kept = 7;
  CHECK(pool.borrow()->kept == 7);
  CHECK(made == 2);
}

TEST_CASE("a call that ends by an exception leaves no work space behind") {
  int made = 0;
  const WorkPool<Room> pool([&] { return std::make_unique<Room>(made++); });
  const auto fails = [&] {
    const auto room = pool.borrow();
    room->kept = 1;
    throw std::runtime_error("as a body of the user's may");
  };
  CHECK_THROWS_AS(fails(), std::runtime_error);
  CHECK(pool.borrow()->kept == 0);
  CHECK(made == 2);
  // one that was borrowed and given back while another exception is on its way is whole
  struct Asks {
    const WorkPool<Room>& pool;
    ~Asks() { pool.borrow()->kept = 3; }
  };
  try {
    const Asks asks{pool};
    throw std::runtime_error("of somebody else");
  } catch (const std::runtime_error&) {
  }
  CHECK(pool.borrow()->kept == 3);
  CHECK(made == 2);
}

TEST_CASE("the same bits: a zero is not the other zero") {
  const Vector a = Vector::Zero(2), b = -a;
  CHECK(same_bits(a, a));
  CHECK_FALSE(same_bits(a, b));
  CHECK_FALSE(same_bits(a, Vector::Zero(3)));
  CHECK(same_bits(Vector(), Vector()));
}
