// parlab: one computation on every backend, verified and
// measured with one method.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "cli/request.hpp"
#include "cli/usage.hpp"
#include "commands/claims.hpp"
#include "commands/compare.hpp"
#include "commands/database.hpp"
#include "commands/emulate.hpp"
#include "commands/export.hpp"
#include "commands/grade.hpp"
#include "commands/image.hpp"
#include "commands/machine.hpp"
#include "commands/page.hpp"
#include "commands/run.hpp"
#include "commands/shard.hpp"
#include "commands/show.hpp"
#include "commands/tune.hpp"
#include "commands/warn.hpp"
#include "core/name.hpp"
#include "counters/execute_once.hpp"
#include "grade/serve.hpp"
#include "machine/memory.hpp"

namespace {

using namespace parlab;
using Action = Request::Action;

constexpr int usage_error = 2;

int compare(const Request& request) {
  const auto outcome =
      print_comparison({request.paths.at(0), request.paths.at(1), request.rules,
                        request.fail_if_slower, request.filter, request.format},
                       std::cout);
  warn(outcome.warnings);
  return outcome.fails ? EXIT_FAILURE : EXIT_SUCCESS;
}

// What a worker has measured is kept in the file of trials, and not
// measured again by the next.
int tune_in_worker(Request& request) {
  Supervisor supervisor;
  supervisor.repeats = false;
  if (!request.in_process) {
    if (const auto status = supervisor.start()) return *status;
  }
  request.plan.memory_bytes = free_memory_bytes();
  return tune({request.plan, request.budget_s, request.tuned, request.format},
              std::cout, std::cerr, &supervisor);
}

int dispatch(Request request, char** arguments) {
  if (request.action == Action::run)
    return run_workload(std::move(request), arguments);
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
      warn(show_records(request.paths, request.filter, request.format,
                        std::cout));
      break;
    case Action::tune:
      return tune_in_worker(request);
    case Action::compare:
      return compare(request);
    case Action::merge:
      warn(merge_shards(request.paths, std::cout));
      break;
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
    case Action::serve:
      grade::serve(request.paths.at(0), request.paths.at(1));
      break;
    case Action::grade:
      return grade_submissions(request, std::cout, std::cerr);
    case Action::database:
      warn(make_database(request.database));
      break;
    case Action::query:
      query_database(request.paths.at(0), request.paths.at(1),
                     {request.paths.begin() + 2, request.paths.end()},
                     request.format == "table", std::cout);
      break;
    case Action::export_csv:
      warn(export_records(request.paths, std::cout));
      break;
    default:
      if (request.kind) {
        print_kind(std::cout);
      } else {
        print_machine(std::cout, {.command = request.plan.command,
                                  .machine = request.plan.machine,
                                  .measure = request.measure,
                                  .name_alone = request.name_alone});
      }
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = dispatch(
        parse_request({argv, argv + argc}, environment_of_process()), argv);
    if (!std::cout.flush())
      throw std::runtime_error("the output could not be written completely");
    return status;
  } catch (const UsageError& error) {
    std::cerr << "parlab: " << printable(error.what()) << std::endl;
    return usage_error;
  } catch (const std::exception& error) {
    std::cerr << "parlab: " << printable(error.what()) << std::endl;
    return EXIT_FAILURE;
  }
}
