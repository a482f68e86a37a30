#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "saltus/app/app.h"
#include "saltus/app/interrupt.h"
#include "saltus/app/terminal.h"
#include "saltus/app/view_of_file.h"
#include "saltus/app/view_of_run.h"
#include "saltus/base/error.h"
#include "saltus/view/view_page.h"

namespace saltus::app {

namespace {

/// Prints the costs of the viewers for the run.
void tell_cost(const LiveCost& cost, bool json) {
  if (json) {
    std::puts(nlohmann::ordered_json({{"steps", cost.steps},
                                      {"frames", cost.frames},
                                      {"stepping", cost.stepping},
                                      {"stepping_cpu", cost.stepping_cpu},
                                      {"helpers_cpu", cost.helpers_cpu},
                                      {"handing_over", cost.handing_over},
                                      {"handing_cpu", cost.handing_cpu},
                                      {"waiting", cost.waiting}})
                  .dump()
                  .c_str());
    return;
  }
  const double steps = static_cast<double>(std::max<std::uint64_t>(cost.steps, 1));
  const double wall = std::max(cost.stepping + cost.handing_over + cost.waiting, 1e-12);
  fmt::print(
      "{} steps of {:.4g} us on average ({:.4g} us processor time); handing over {} frames took "
      "{:.3g} % of the time, waiting for commands {:.3g} %\n",
      cost.steps, 1e6 * cost.stepping / steps, 1e6 * (cost.stepping_cpu + cost.helpers_cpu) / steps,
      cost.frames, 100.0 * cost.handing_over / wall, 100.0 * cost.waiting / wall);
}

}  // namespace

int cmd_view(const ViewArguments& arguments) {
  if (viewer_page().empty())
    throw RunError("this saltus was built without the viewer (web/dist/viewer.html)");
  if (!arguments.live && !arguments.set.empty())
    throw SceneError("--set", "applies to --live only", "a stored run cannot be changed");
  const InterruptGuard interrupt;
  std::unique_ptr<ViewContent> content;
  const LiveRun* run = nullptr;
  if (arguments.live) {
    auto live = std::make_unique<ViewOfRun>(arguments.file, arguments.set);
    run = &live->run();
    content = std::move(live);
  } else {
    content = std::make_unique<ViewOfFile>(arguments.file);
  }
  ViewServer server(*content, viewer_page(), {arguments.host, arguments.port});

  if (arguments.json)
    std::puts(nlohmann::ordered_json({{"url", server.url()}}).dump().c_str());
  else
    fmt::print("{}  (Ctrl-C ends)\n", server.url());
  std::fflush(stdout);
  if (arguments.host != ViewAddress{}.host && arguments.host != "localhost" &&
      arguments.host != "::1")
    warn("anyone with this address can see this run" +
         std::string(arguments.live ? " and control it" : "") +
         "; the connection is not encrypted");

  std::jthread watch([&](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(50)))
      // repeat, because the server may not be running yet
      if (interrupt.signal() != 0) server.stop();
  });
  if (run) give_way_to_steps();  // the threads of the server inherit the priority
  server.run();
  if (run) tell_cost(run->cost(), arguments.json);
  return kDone;
}

}  // namespace saltus::app
