// --help, --list and --version, which every command has.
#include "cli/help.hpp"

namespace parlab {
namespace {

int say_help(const Arguments& arguments, const Streams& streams) {
  print_help(streams.out, arguments);
  return 0;
}
int say_list(const Arguments& arguments, const Streams& streams) {
  print_list(streams, arguments);
  return 0;
}
int say_version(const Arguments&, const Streams& streams) {
  print_version(streams.out);
  return 0;
}

const CommandRegistration help_command({.name = "--help",
                                        .run = say_help,
                                        .hidden = true}),
    list_command({.name = "--list", .run = say_list, .hidden = true}),
    version_command({.name = "--version", .run = say_version, .hidden = true});

}  // namespace
}  // namespace parlab
