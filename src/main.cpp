// parlab: one computation on every backend, verified and measured with one method.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "cli/request.hpp"
#include "cli/usage.hpp"
#include "commands/claims.hpp"
#include "commands/compare.hpp"
#include "commands/emulate.hpp"
#include "commands/image.hpp"
#include "commands/memory.hpp"
#include "commands/page.hpp"
#include "commands/show.hpp"
#include "commands/stored.hpp"
#include "commands/tune.hpp"
#include "counters/counters.hpp"
#include "counters/execute_once.hpp"
#include "places/presence.hpp"
#include "report/console.hpp"
#include "sweep/sweep.hpp"

namespace {

using namespace parlab;
using Action = Request::Action;

constexpr int usage_error = 2;
constexpr int interrupted = 130;

void warn(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) std::cerr << "parlab: warning: " << warning << std::endl;
}

void explain(const Points& points) {
  const auto reporter = make_explain_reporter(std::cout);
  for (const auto& point : points) reporter->point(point);
  reporter->finish();
}

// Does not return where the program that emulates takes over.
void emulate_if_needed(const Request& request, char** arguments) {
  if (can_be_emulated(request) && (request.plan.emulate || why_no_gpu())) {
    become_emulated(request, arguments);
  }
}

int run(Request& request, char** arguments) {
  emulate_if_needed(request, arguments);
  if (!request.best.empty()) {
    const auto notes = use_best(request.best, request.tuned, request.plan);
    request.warnings.insert(request.warnings.end(), notes.begin(), notes.end());
  }
  warn(request.warnings);
  request.plan.memory_bytes = bytes_free();
  require_memory(request.plan);
  const auto reporter = make_reporter(request.format, std::cout);
  Console console(*reporter, std::cerr, terminal_width(STDERR_FILENO));
  KeptPoints kept(console);  // shown when their counters are known
  const int status =
      request.counters ? run_sweep(request.plan, kept) : run_sweep(request.plan, console);
  if (request.counters && status != interrupted) {
    add_counters(kept.points, request.plan.results, console);
  }
  for (const auto& point : kept.points) console.point(point);
  reporter->finish();
  if (request.counters && request.format == "table") explain(kept.points);
  if (!std::cout.flush()) throw std::runtime_error("the output could not be written completely");
  return status;
}

int compare(const Request& request) {
  const auto outcome = print_comparison({request.paths.at(0), request.paths.at(1), request.rules,
                                         request.fail_if_slower, request.filter, request.format},
                                        std::cout);
  warn(outcome.warnings);
  return outcome.fails ? EXIT_FAILURE : EXIT_SUCCESS;
}

int dispatch(Request request, char** arguments) {
  if (request.action == Action::run) return run(request, arguments);
  warn(request.warnings);
  switch (request.action) {
    case Action::usage:
      print_usage(std::cout, request);
      return EXIT_FAILURE;
    case Action::help:
      print_help(std::cout, request);
      break;
    case Action::list:
      print_list(std::cout, request);
      break;
    case Action::version:
      print_version(std::cout);
      break;
    case Action::show:
      warn(show_records(request.paths, request.filter, request.format, std::cout));
      break;
    case Action::tune:
      request.plan.memory_bytes = bytes_free();
      return tune({request.plan, request.budget_s, request.tuned, request.format}, std::cout,
                  std::cerr);
    case Action::compare:
      return compare(request);
    case Action::claims:
      warn(print_claims(request.paths, request.format, std::cout));
      break;
    case Action::page:
      warn(write_page(request.page));
      break;
    case Action::index:
      warn(write_index(request.page));
      break;
    case Action::filter_image:
      emulate_if_needed(request, arguments);
      return filter_an_image(request, std::cout);
    case Action::execute_once:
      execute_once(request.paths);
      break;
    case Action::export_csv:
      warn(export_records(request.paths, std::cout));
      break;
    default:
      print_machine(std::cout, request.plan.command);
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(parse_request({argv, argv + argc}, environment_of_process()), argv);
  } catch (const UsageError& error) {
    std::cerr << "parlab: " << error.what() << std::endl;
    return usage_error;
  } catch (const std::exception& error) {
    std::cerr << "parlab: " << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}
