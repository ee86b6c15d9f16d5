#include "cli/command.hpp"

#include "core/name.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"

namespace parlab {
namespace {

const std::string markdown_format = "markdown";

// Static objects fill it, in any order of construction.
std::map<std::string_view, Command>& command_registry() {
  static std::map<std::string_view, Command> commands;
  return commands;
}

}  // namespace

const Option* option_called(const Options& options, std::string_view flag) {
  const auto found = std::ranges::find(options, flag, &Option::flag);
  return found == options.end() ? nullptr : &*found;
}

Options operator+(Options some, const Options& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

std::string Setting::written() const {
  return is_switch ? name : as_written(name, text);
}

void Setting::refuse(const std::string& why) const {
  throw UsageError(written() + ": " + why);
}

std::vector<std::string> Setting::words() const {
  return split(text, ',');
}

const Setting* Arguments::find(const std::string& flag) const {
  const auto found = by_flag.find(flag);
  return found == by_flag.end() ? nullptr : &found->second;
}

bool Arguments::on(const std::string& flag) const {
  return text(flag) == "1";
}

std::string Arguments::text(const std::string& flag,
                            const std::string& otherwise) const {
  const auto* setting = find(flag);
  return setting == nullptr ? otherwise : setting->text;
}

void Streams::warn(const std::vector<std::string>& warnings) const {
  for (const auto& warning : warnings)
    messages << "parlab: warning: " << printable(warning) << std::endl;
}

CommandRegistration::CommandRegistration(const Command& command) {
  command_registry().emplace(command.name, command);
}

std::vector<const Command*> all_commands() {
  std::vector<const Command*> commands;
  for (const auto& [name, command] : command_registry())
    commands.push_back(&command);
  return commands;
}

const Command* command_called(std::string_view name) {
  const auto found = command_registry().find(name);
  return found == command_registry().end() ? nullptr : &found->second;
}

Options common_options() {
  return {{.flag = "list",
           .help = "every variant, its tunables and limits",
           .group = "Help"},
          {.flag = "help", .help = "this text", .group = "Help"},
          {.flag = "version", .help = "the version", .group = "Help"}};
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const auto& [name, command] : command_registry()) {
    if (!command.hidden && !name.empty()) names.emplace_back(name);
  }
  return names;
}

const Workload& workload_called(const std::string& name,
                                const std::vector<std::string>& others) {
  if (const auto* workload = Registry::instance().workload(name))
    return *workload;
  std::vector<std::string> names;
  for (const auto* workload : Registry::instance().workloads())
    names.emplace_back(workload->name());
  const auto known = join(names, ", ");
  names.insert(names.end(), others.begin(), others.end());
  throw UsageError((others.empty()
                        ? "workload '" + name + "' is unknown"
                        : "'" + name + "' is no workload and no command") +
                   did_you_mean(name, names) + " (" + known + ")");
}

int call(const Arguments& arguments, Streams streams) {
  if (arguments.text("format") == markdown_format)
    streams.looks = {.width = 0, .letters = Letters::unicode, .markdown = true};
  return arguments.command->run(arguments, streams);
}

std::string format_of(const Arguments& arguments,
                      std::vector<std::string> formats) {
  const auto* format = arguments.find("format");
  for (const std::string own : {"explain", "estimate"}) {
    if (arguments.on(own) && format != nullptr && format->from_command_line)
      format->refuse("--" + own + " has a format of its own; leave one out");
  }
  if (arguments.on("explain")) return "explain";
  const std::string first = formats.front(), table = "table";
  const bool for_people = first == table;
  if (std::ranges::find(formats, table) != formats.end())
    formats.emplace_back(markdown_format);
  if (format == nullptr || !(format->from_command_line || for_people))
    return first;
  const auto among = [&](const std::vector<std::string>& known) {
    return std::ranges::find(known, format->text) != known.end();
  };
  if (among(formats))
    return format->text == markdown_format ? table : format->text;
  const bool of_runs =
      among({table, "csv", "json", markdown_format, "record", "explain"});
  if (of_runs && !format->from_command_line) return first;
  format->refuse("allowed are " + join(formats, ", ") +
                 did_you_mean(format->text, formats));
}

}  // namespace parlab
