// The thread that writes results: its queue.
#include "saltus/results/writer_thread.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "saltus/results/hdf5.h"

using namespace saltus;

TEST_CASE("writer_thread does jobs in their order, in post() where no thread is wanted") {
  for (const bool wanted : {true, false}) {
    CAPTURE(wanted);
    std::vector<int> order;
    std::thread::id worker;
    WriterThread thread(wanted, 100);
    for (int k = 0; k < 50; ++k)
      thread.post(
          [&, k] {
            order.push_back(k);
            worker = std::this_thread::get_id();
          },
          10);
    thread.wait();
    REQUIRE(order.size() == 50);
    for (int k = 0; k < 50; ++k) CHECK(order[static_cast<std::size_t>(k)] == k);
    CHECK((worker == std::this_thread::get_id()) == (!wanted || !h5::many_threads()));
  }
}

TEST_CASE("writer_thread holds no more than it may, and one job that is larger") {
  std::atomic<int> done{0};
  const auto slow = [&] {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ++done;
  };
  WriterThread thread(true, 35);
  int most = 0;
  for (int posted = 1; posted <= 100; ++posted) {
    thread.post(slow, 10);
    most = std::max(most, posted - done);
  }
  CHECK(most <= 3);
  thread.wait();
  CHECK(done == 100);
  for (int posted = 101; posted <= 110; ++posted) {
    thread.post(slow, 1'000);
    CHECK(posted - done <= 1);
  }
}

TEST_CASE("writer_thread tells once what a job threw, and does none of those behind it") {
  std::atomic<int> done{0};
  std::atomic<bool> go{false};
  const bool apart = h5::many_threads();
  WriterThread thread(true, 100);
  thread.post(
      [&] {
        while (apart && !go) std::this_thread::yield();
        throw std::runtime_error("full");
      },
      1);
  if (apart) thread.post([&] { ++done; }, 1);
  go = true;
  CHECK_THROWS_WITH(thread.wait(), "full");
  CHECK(done == 0);
  thread.wait();
  thread.post([&] { ++done; }, 1);
  thread.wait();
  CHECK(done == 1);
  thread.post([] { throw std::runtime_error("full again"); }, 100);
  CHECK_THROWS_WITH(thread.post([&] { ++done; }, 100), "full again");
  thread.settle();
  CHECK(done == 1);
}
