#include "cli/request.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>

#include "cli/lists.hpp"
#include "cli/selection.hpp"
#include "core/file.hpp"
#include "core/name.hpp"
#include "core/text.hpp"
#include "image/filter.hpp"

namespace parlab {
namespace {

using Action = Request::Action;

// As it could be typed again, with the variables that had a say in it.
std::string command_of(const std::vector<std::string>& arguments,
                       const Settings& settings) {
  const auto quoted = [](const std::string& text) {
    const auto plain = [](char c) {
      return std::isalnum(c) ||
             std::string_view("_-+=:,./@%^").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain))
      return text;
    std::string result = "'";
    for (const char c : text)
      result += c == '\'' ? "'\\''" : std::string(1, c);
    return result + "'";
  };
  std::vector<std::string> words;
  for (const auto& [flag, setting] : settings.by_flag) {
    if (!setting.from_command_line)
      words.push_back(setting.name + "=" + quoted(setting.text));
  }
  for (const auto& argument : arguments)
    words.push_back(quoted(argument));
  return join(words, " ");
}

const Workload& workload_called(const std::string& name) {
  if (const auto* workload = Registry::instance().workload(name))
    return *workload;
  std::vector<std::string> names;
  for (const auto* workload : Registry::instance().workloads())
    names.emplace_back(workload->name());
  const auto hint = did_you_mean(name, names);
  throw UsageError("workload '" + name + "' is unknown" + hint + " (" +
                   join(names, ", ") + ")");
}

// What is not said follows from the folder: results/MACHINE has its
// page in plots/MACHINE.
PageRequest page_of(const Settings& settings, bool index) {
  PageRequest page;
  page.folders = settings.positional;
  if (index ? page.folders.empty() : page.folders.size() != 1) {
    throw UsageError(index ? "index: needs folders: results/MACHINE..."
                           : "page: needs one folder: results/MACHINE");
  }
  const auto folder = std::filesystem::path(page.folders.front()) / ".";
  const auto machine = std::filesystem::absolute(folder)
                           .lexically_normal()
                           .parent_path()
                           .filename();
  if (!is_name(machine.string())) {
    throw UsageError("'" + page.folders.front() +
                     "': results/MACHINE is meant; " + name_rule);
  }
  page.figures = ("plots" / machine).string();
  page.output =
      index ? "plots/index.html" : ("plots" / machine / "index.html").string();
  if (const auto* setting = settings.find("figures"))
    page.figures = setting->text;
  if (const auto* setting = settings.find("output"))
    page.output = setting->text;
  return page;
}

// It becomes the name of a folder.
std::string machine_of(const Setting& setting) {
  if (is_name(setting.text)) return setting.text;
  throw UsageError(as_written(setting.name, setting.text) + ": " + name_rule);
}

void read_shard(const Settings& settings, Request& request) {
  request.estimate = settings.on("estimate");
  if (const auto* setting = settings.find("resume")) {
    request.plan.resume = split(setting->text, ',');
  }
  if (const auto* setting = settings.find("shard")) {
    request.shard = parse_shard(setting->name, setting->text);
  }
  if (const auto* setting = settings.find("plan")) {
    request.shards_of = setting->text;
    if (!request.shard && setting->from_command_line) {
      throw UsageError(as_written(setting->name, setting->text) +
                       ": is for --shard");
    }
  }
}

// parlab database RECORDS.jsonl OUT.db --views FILE.sql
DatabaseRequest database_of(const Settings& settings) {
  const auto* views = settings.find("views");
  if (settings.positional.size() != 2 || views == nullptr) {
    throw UsageError(
        "database: needs records, a file to write, and --views FILE.sql");
  }
  return {settings.positional[0], views->text, settings.positional[1]};
}

// parlab grade [WORKLOAD] PATH
void read_grading(const Settings& settings, Request& request) {
  auto words = settings.positional;
  if (words.size() == 2) {
    request.plan.workload = &workload_called(words.front());
    words.erase(words.begin());
  }
  if (words.size() != 1) {
    throw UsageError(
        "grade: needs a folder of submissions, or --check and a file: grade "
        "dmv submissions/");
  }
  auto& grade = request.grade;
  grade.path = words.front();
  const auto text = [&](const char* flag) {
    const auto* setting = settings.find(flag);
    return setting == nullptr ? std::string() : setting->text;
  };
  if (settings.find("sizes") != nullptr) grade.sizes = {text("sizes")};
  if (settings.find("hidden") != nullptr) grade.hidden = {text("hidden")};
  grade.reference = text("reference");
  if (settings.find("points") != nullptr) grade.points = text("points");
  grade.output = text("output");
  grade.check = settings.on("check");
  grade.anonymous = settings.on("anonymous");
  if (const auto* setting = settings.find("seed")) {
    const auto values = parse_list(setting->name, setting->text, 0,
                                   std::numeric_limits<std::int64_t>::max());
    if (values.size() != 1)
      throw UsageError("--seed " + setting->text + ": one number is allowed");
    grade.seed = static_cast<std::uint64_t>(values[0]);
  }
  if (const auto* setting = settings.find("dtype")) {
    request.plan.dtypes = {from_string<Dtype>(setting->text)};
  }
  if (const auto* setting = settings.find("execution-limit")) {
    request.plan.execution_limit_s =
        parse_positive(setting->name, setting->text, 1e6);
  }
}

struct Command {
  std::string_view name;
  Action action;
  std::size_t paths = 0;        // at the least
  std::string_view needs = {};  // what these are
};

constexpr Command commands[] = {
    {"show", Action::show},
    {"compare", Action::compare},
    {"export", Action::export_csv, 1, "a record file or a folder"},
    {"claims", Action::claims, 1, "the records: results/MACHINE"},
    {"merge", Action::merge, 2,
     "a record file and what goes into it: all.jsonl shards/*.jsonl"},
    {"tune", Action::tune, 1, "a workload and a size: tune dmv 4096"},
    {"page", Action::page},
    {"index", Action::index},
    {"machine", Action::machine},
    {"grade", Action::grade},
    {"database", Action::database},
    {"query", Action::query, 2,
     "a database and SQL: query FILE.db 'SELECT ...' [TEXT...]"},
    {"execute-once", Action::execute_once},
    {"serve", Action::serve, 2,
     "a workload and a variant: 'parlab grade' starts it"},
};

// What a command takes that no other one does.
void read_command(Settings& settings, Request& request) {
  switch (request.action) {
    case Action::show:
      if (request.paths.empty()) request.paths = {"results"};
      break;
    case Action::tune:
      request.plan.workload = &workload_called(settings.positional.front());
      settings.positional.erase(settings.positional.begin());
      break;
    case Action::page:
    case Action::index:
      request.page = page_of(settings, request.action == Action::index);
      break;
    case Action::database:
      request.database = database_of(settings);
      break;
    case Action::grade:
      read_grading(settings, request);
      break;
    case Action::machine:
      if (!settings.positional.empty()) {
        throw UsageError("machine: '" + settings.positional.front() +
                         "': it takes options alone");
      }
      request.kind = settings.on("kind");
      request.measure = settings.on("measure");
      request.name_alone = settings.on("name");
      if (const auto* setting = settings.find("machine")) {
        request.plan.machine = machine_of(*setting);
      }
      break;
    default:
      break;
  }
}

// Takes what comes before the sizes: the workload, or one of the
// program's own commands.
void take_subject(const std::string& called,
                  Settings& settings,
                  Request& request) {
  request.program = called;
  request.plan.workload = Registry::instance().workload(called);
  if (request.plan.workload != nullptr || settings.positional.empty()) return;
  const auto first = settings.positional.front();
  settings.positional.erase(settings.positional.begin());
  const auto* command =
      std::find_if(std::begin(commands), std::end(commands),
                   [&](const Command& one) { return one.name == first; });
  if (command == std::end(commands)) {
    request.plan.workload = &workload_called(first);
    request.program += " " + first;
    return;
  }
  request.action = command->action;
  request.command = first;
  if (settings.on("help")) return;
  if (settings.positional.size() < command->paths) {
    throw UsageError(first + ": needs " + std::string(command->needs));
  }
  request.paths = settings.positional;
  read_command(settings, request);
}

std::string format_of(const Settings& settings, const Plan& plan) {
  const auto* format = settings.find("format");
  if (settings.on("explain")) {
    if (format == nullptr || !format->from_command_line) return "explain";
    throw UsageError(as_written(format->name, format->text) +
                     ": --explain asks for another one");
  }
  if (format != nullptr) {
    const std::vector<std::string> known{"table", "csv", "json", "record",
                                         "explain"};
    if (std::find(known.begin(), known.end(), format->text) != known.end())
      return format->text;
    throw UsageError(as_written(format->name, format->text) + ": allowed are " +
                     join(known, ", ") + did_you_mean(format->text, known));
  }
  // The old convention as it stands, [GPU_KERNEL=k] [GPU_BLOCK_SIZE=b]
  // program n, gets what the scripts around it read.
  bool old = plan.sizes.size() == 1;
  for (const auto& [flag, setting] : settings.by_flag)
    old &= !setting.from_command_line;
  const auto *kernel = settings.find("kernel"), *block = settings.find("block");
  for (const auto* setting : {kernel, block}) {
    old &= setting == nullptr ||
           setting->text.find_first_of(",:") == std::string::npos;
  }
  return old && (kernel != nullptr || block != nullptr) ? "record" : "table";
}

// The values of a list whose elements are words.
template <typename F>
auto words(const Setting& setting, F convert) {
  std::vector<decltype(convert(std::string()))> values;
  for (const auto& word : split(setting.text, ',')) {
    try {
      const auto value = convert(word);
      if (std::find(values.begin(), values.end(), value) == values.end())
        values.push_back(value);
    } catch (const UsageError& error) {
      throw UsageError(as_written(setting.name, setting.text) + ": " +
                       error.what());
    }
  }
  return values;
}

std::vector<Dtype> dtypes_of(const Settings& settings,
                             const Workload& workload) {
  const auto known = workload.dtypes();
  const auto* setting = settings.find("dtype");
  if (setting == nullptr) return {known.front()};
  return words(*setting, [&](const std::string& word) {
    const auto dtype = from_string<Dtype>(word);
    if (std::find(known.begin(), known.end(), dtype) != known.end())
      return dtype;
    std::vector<std::string> names;
    for (const auto one : known)
      names.emplace_back(to_string(one));
    throw UsageError(std::string(workload.name()) + " has " +
                     join(names, ", "));
  });
}

Parameters parameters_of(const Settings& settings, const Workload& workload) {
  Parameters asked;
  for (const auto& parameter : workload.parameters()) {
    const auto* setting = settings.find(parameter.name);
    if (setting == nullptr) continue;
    asked[parameter.name] =
        parse_list(setting->name, setting->text, parameter.min, parameter.max);
  }
  return asked;
}

// The course's programs take M N K: beside their variables as many numbers as
// the problem has extents are one problem, and no list of sizes.
void join_extents(const Workload& workload, Settings& settings) {
  const auto extents = count_extents(workload);
  const auto* kernel = settings.find("kernel");
  const auto* block = settings.find("block");
  const auto is_variable = [](const Setting* setting) {
    return setting != nullptr && !setting->from_command_line;
  };
  const auto is_number = [](const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
             return std::isalnum(c) && c != 'x';
           });
  };
  auto& typed = settings.positional;
  if (extents < 2 || typed.size() != extents ||
      !(is_variable(kernel) || is_variable(block)) ||
      !std::all_of(typed.begin(), typed.end(), is_number)) {
    return;
  }
  typed = {join(typed, "x")};
}

int iterations_of(const Setting& setting) {
  const auto values = parse_list(setting.name, setting.text, 1, 1000000000);
  if (values.size() == 1) return static_cast<int>(values[0]);
  throw UsageError(as_written(setting.name, setting.text) +
                   ": one number is allowed, not a list");
}

// CUDA's numbers of the GPUs; none for "all".
std::vector<int> devices_of(const Setting& setting) {
  if (setting.text == "all") return {};
  std::vector<int> devices;
  for (const auto number : parse_list(setting.name, setting.text, 0, 1023)) {
    devices.push_back(static_cast<int>(number));
  }
  return devices;
}

constexpr double time_limit_of_glance_s = 0.1;

// Everything of the plan that is neither a size, a variant nor a tunable.
void read_limits(const Settings& settings, Request& request) {
  Plan& plan = request.plan;
  plan.dtypes = dtypes_of(settings, *plan.workload);
  plan.caches = {Cache::hot};
  if (const auto* setting = settings.find("cache"))
    plan.caches = words(*setting, from_string<Cache>);
  if (request.format == "record") plan.iterations = 100;
  if (const auto* setting = settings.find("iterations"))
    plan.iterations = iterations_of(*setting);
  if (const auto* setting = settings.find("time-limit")) {
    plan.time_limit_s = parse_positive(setting->name, setting->text, 1e6);
  }
  if (const auto* setting = settings.find("point-limit")) {
    plan.point_limit_s = parse_positive(setting->name, setting->text, 1e6);
  }
  if (const auto* setting = settings.find("execution-limit")) {
    plan.execution_limit_s = parse_positive(setting->name, setting->text, 1e6);
  }
  request.in_process = settings.on("in-process");
  if (const auto* setting = settings.find("precision")) {
    plan.precision = parse_positive(setting->name, setting->text, 1);
  }
  if (const auto* setting = settings.find("device"))
    plan.devices = devices_of(*setting);
  if (const auto* setting = settings.find("node")) plan.node = setting->text;
  if (const auto* setting = settings.find("machine"))
    plan.machine = machine_of(*setting);
  const auto file = [&](const char* flag) -> std::string {
    const auto* setting = settings.find(flag);
    if (setting == nullptr) return {};
    require_regular(setting->text, setting->name);
    return setting->text;
  };
  request.tuned = file("tuned");
  plan.results = file("results");
  // Who waits for a table and keeps nothing would rather have it soon.
  const bool glance = request.action == Action::run && plan.results.empty() &&
                      request.format == "table";
  if (glance && settings.find("time-limit") == nullptr)
    plan.time_limit_s = time_limit_of_glance_s;
  plan.energy = settings.on("energy");
  plan.force = settings.on("force");
  plan.emulate = settings.on("emulate");
  plan.rectangle = plan.results.empty();
  request.counters = settings.on("counters");
  read_shard(settings, request);
}

// What is asked of one command is not silently ignored by another.
// Variables may be meant for runs.
void require_own_options(const Settings& settings, const std::string& command) {
  for (const auto& option : all_options()) {
    const auto* setting = settings.find(option.flag);
    if (setting == nullptr || !setting->from_command_line ||
        option.read_by(command))
      continue;
    std::string whose = "runs";
    if (!option.commands.empty())
      whose = "'parlab " + join(option.commands, "', 'parlab ") + "'";
    throw UsageError(
        setting->name + ": is an option of " + whose +
        (command.empty() ? "" : "; '" + command + "' has none of this name"));
  }
}

// The format of the course's scripts is for single runs; tune times with
// hot caches, and keeps its trials in --tuned.
void read_tuning(const Settings& settings, Request& request) {
  if (request.format == "record" && settings.find("format") == nullptr)
    request.format = "table";
  if (request.format != "table" && request.format != "csv" &&
      request.format != "json") {
    throw UsageError(as_written("--format", request.format) +
                     ": what tune found is given as table, csv or json");
  }
  if (const auto* setting = settings.find("budget")) {
    request.budget_s = parse_positive(setting->name, setting->text, 1e6);
  }
}

void read_comparison(const Settings& settings, Request& request) {
  if (request.paths.size() != 2) {
    throw UsageError(
        "compare: needs two record files, folders or machines: before and "
        "after");
  }
  if (request.format != "table" && request.format != "csv" &&
      request.format != "json") {
    throw UsageError(as_written("--format", request.format) +
                     ": a comparison is given as table, csv or json");
  }
  request.filter = filter_of(settings);
  if (const auto* setting = settings.find("margin")) {
    request.rules.margin = parse_percent(setting->name, setting->text);
    request.rules.margin_of_one_run = request.rules.margin;
  }
  if (const auto* setting = settings.find("fail-if-slower")) {
    request.fail_if_slower = parse_percent(setting->name, setting->text);
    if (*request.fail_if_slower < request.rules.margin) {
      throw UsageError(as_written(setting->name, setting->text) +
                       ": less than the margin, " +
                       percent(request.rules.margin) +
                       "; give a smaller --margin too");
    }
  }
}

// Something can be run: a variant has one of the data types.
void require_a_dtype(const Plan& plan) {
  for (const auto* variant : plan.variants) {
    for (const auto dtype : plan.dtypes) {
      if (variant->has(dtype)) return;
    }
  }
  if (plan.variants.empty()) return;
  const Variant& last = *plan.variants.back();
  std::vector<std::string> names;
  for (const auto dtype : plan.dtypes)
    names.emplace_back(to_string(dtype));
  throw UsageError(last.full_name() + " is not there in " +
                   join(names, " or ") + ": try --dtype " +
                   std::string(to_string(last.dtypes.front())));
}

// One variant on one image: the last of those asked for that have the data
// type, or the last on the CPU.
void read_image_request(const Settings& settings, Request& request) {
  Plan& plan = request.plan;
  if (plan.workload == nullptr || plan.workload->name() != filtering_workload) {
    throw UsageError("--image and --filter: only " +
                     std::string(filtering_workload) + " filters images");
  }
  const auto text = [&](const char* flag, const char* example) {
    const auto* setting = settings.find(flag);
    if (setting != nullptr) return setting->text;
    throw UsageError(std::string("an image needs --") + flag + " " + example);
  };
  request.action = Action::filter_image;
  require_own_options(settings, "image");
  request.image = {
      text("image", "FILE, or generated:512x512"),
      text("filter", "box:RADIUS, gaussian:DEVIATION or file:PATH"),
      text("output", "FILE")};
  if (!settings.positional.empty()) {
    throw UsageError("'" + settings.positional.front() +
                     "': the size is that of the image");
  }
  read_limits(settings, request);
  const Chosen named = select_variants(settings, false, plan);
  select_tunables(settings, named, plan, request.best, request.warnings);
  if (!request.best.empty()) {
    throw UsageError(request.best.begin()->second +
                     ": an image is filtered with a number here");
  }
  if (!settings.find("variant") && !settings.find("kernel") &&
      !settings.find("backend")) {
    std::erase_if(plan.variants,
                  [](const Variant* variant) { return variant->needs_gpu(); });
  }
  const auto dtype = plan.dtypes.front();
  plan.dtypes = {dtype};
  require_a_dtype(plan);
  std::erase_if(plan.variants,
                [&](const Variant* variant) { return !variant->has(dtype); });
  plan.variants = {plan.variants.back()};
}

// What is asked of records that exist.
void read_question(const Settings& settings, Request& request) {
  request.format = format_of(settings, request.plan);
  // What a user prefers for tables of his own is not for the scripts that draw.
  const auto* format = settings.find("format");
  const bool typed = format != nullptr && format->from_command_line;
  if (request.action == Action::query) {
    if (!typed) request.format = "csv";
    if (request.format != "csv" && request.format != "table") {
      throw UsageError(as_written(format->name, format->text) +
                       ": what a query finds is given as csv or table");
    }
  }
  if (request.action == Action::compare) read_comparison(settings, request);
  if (request.action == Action::show) request.filter = filter_of(settings);
}

}  // namespace

Request parse_request(const std::vector<std::string>& arguments,
                      const Environment& environment) {
  Settings settings =
      read_settings({arguments.begin() + 1, arguments.end()}, environment);
  Request request;
  request.warnings = settings.warnings;
  Plan& plan = request.plan;
  plan.command = command_of(arguments, settings);
  const auto called =
      std::filesystem::path(arguments.at(0)).filename().string();
  if (settings.on("version")) request.action = Action::version;
  if (settings.on("list")) request.action = Action::list;
  if (settings.on("help")) request.action = Action::help;
  const bool asked = request.action != Action::run;
  const auto action = request.action;
  take_subject(called, settings, request);
  if (asked) request.action = action;
  if (request.action == Action::run &&
      (settings.find("image") || settings.find("filter"))) {
    read_image_request(settings, request);
    return request;
  }
  if (request.action == Action::run && settings.positional.empty())
    request.action = Action::usage;
  const bool lists =
      request.action == Action::list || request.action == Action::version;
  if (request.action != Action::help && !lists)
    require_own_options(settings, request.command);
  if (request.action == Action::tune && settings.positional.empty()) {
    throw UsageError("tune: needs a size: tune " +
                     std::string(plan.workload->name()) + " 4096");
  }
  if (request.action != Action::run && request.action != Action::tune) {
    read_question(settings, request);
    return request;
  }
  const auto parameters = parameters_of(settings, *plan.workload);
  join_extents(*plan.workload, settings);
  for (const auto& text : settings.positional) {
    for (auto& size : parse_sizes(*plan.workload, text, parameters)) {
      if (std::find(plan.sizes.begin(), plan.sizes.end(), size) ==
          plan.sizes.end()) {
        plan.sizes.push_back(std::move(size));
      }
    }
  }
  request.format = format_of(settings, plan);
  if (request.action == Action::tune) read_tuning(settings, request);
  read_limits(settings, request);
  const Chosen named =
      select_variants(settings, request.format == "record", plan);
  require_a_dtype(plan);
  request.named = std::any_of(named.begin(), named.end(),
                              [](auto* v) { return v->needs_gpu(); });
  select_tunables(settings, named, plan, request.best, request.warnings);
  if (request.action == Action::tune && !request.best.empty()) {
    throw UsageError(request.best.begin()->second +
                     ": is what tune is to find");
  }
  return request;
}

}  // namespace parlab
