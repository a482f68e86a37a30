// The thread that writes results: one job at a time.
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
    WriterThread thread(wanted);
    for (int k = 0; k < 50; ++k)
      thread.post([&, k] {
        order.push_back(k);
        worker = std::this_thread::get_id();
      });
    thread.wait();
    REQUIRE(order.size() == 50);
    for (int k = 0; k < 50; ++k) CHECK(order[static_cast<std::size_t>(k)] == k);
    CHECK((worker == std::this_thread::get_id()) == (!wanted || !h5::many_threads()));
  }
}

TEST_CASE("writer_thread takes a job when the one before it is done") {
  std::atomic<int> done{0};
  WriterThread thread;
  for (int posted = 1; posted <= 20; ++posted) {
    thread.post([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      ++done;
    });
    CHECK(done >= posted - 1);
  }
  thread.wait();
  CHECK(done == 20);
}

TEST_CASE("writer_thread tells once what a job threw, and does not the one that is posted then") {
  for (const bool wanted : {true, false}) {
    CAPTURE(wanted);
    int done = 0;
    WriterThread thread(wanted);
    thread.post([] { throw std::runtime_error("full"); });
    CHECK_THROWS_WITH(thread.post([&] { ++done; }), "full");
    thread.wait();
    CHECK(done == 0);
    thread.post([&] { ++done; });
    thread.wait();
    CHECK(done == 1);
    thread.post([] { throw std::runtime_error("full again"); });
    CHECK_THROWS_WITH(thread.wait(), "full again");
    thread.post([] { throw std::runtime_error("forgotten"); });
    thread.settle();
    thread.wait();
    CHECK(done == 1);
  }
}
