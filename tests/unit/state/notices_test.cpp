// Notices: what counts of what steps met.
#include "saltus/state/notices.h"

#include <doctest/doctest.h>

using namespace saltus;

TEST_CASE("a notice of a step that is dropped does not count") {
  Notices notices;
  const auto text = [] { return "x"; };
  notices.add(Notice::Kind::crossed, 1, 2, text);
  notices.drop();
  notices.add(Notice::Kind::wrapped, 1, 2, text);
  notices.accept();
  notices.add(Notice::Kind::crossed, 1, 2, text);
  notices.drop();
  notices.commit(0.5);
  REQUIRE(notices.all().size() == 1);
  CHECK(notices.all()[0].kind == Notice::Kind::wrapped);
  CHECK(notices.all()[0].first == 0.5);
  notices.add(Notice::Kind::wrapped, 1, 2, text);
  notices.accept();
  notices.discard();
  CHECK(notices.all()[0].steps == 1);
}

TEST_CASE("a thing that many steps meet is one notice, described once") {
  Notices notices;
  int described = 0;
  for (int step = 1; step <= 3; ++step) {
    for (int twice = 0; twice < 2; ++twice)
      notices.add(Notice::Kind::crossed, 3, 4, [&] { return ++described, "x"; });
    notices.commit(step);
  }
  REQUIRE(notices.all().size() == 1);
  CHECK(notices.all()[0].steps == 3);
  CHECK(notices.all()[0].first == 1.0);
  CHECK(described == 1);
}

TEST_CASE("of a kind a bounded number of notices is kept") {
  Notices notices;
  for (int a = 0; a < 100; ++a) notices.add(Notice::Kind::crossed, a, 0, [] { return "x"; });
  notices.add(Notice::Kind::wrapped, 0, 0, [] { return "y"; });
  notices.commit(1.0);
  CHECK(notices.all().size() == Notices::kMost + 1);
}
