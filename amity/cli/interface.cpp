#include "amity/cli/interface.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

namespace amity::cli {
namespace {

bool may_be_repeated(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

// "[=FOLDER]" is FOLDER, "[N]" N.
std::string without_brackets(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '[' || c == ']' || c == '='; }),
             text.end());
  return text;
}

void add_value(const CLI::Option& option, option_facts& facts) {
  if (const std::string& text = option.get_option_text(); text.starts_with("[=")) {
    facts.form = value_form::joined;
    facts.value = without_brackets(text);
  } else if (option.get_expected_max() != 0) {  // of a flag it is 0
    facts.form = option.get_expected_min() == 0 ? value_form::optional : value_form::required;
    facts.value = without_brackets(option.get_type_name());
    if (may_be_repeated(option) && facts.value != "LIST") facts.value += "...";
  }
}

option_facts facts_of(const CLI::Option& option) {
  option_facts facts;
  facts.about = option.get_description();
  facts.required = option.get_required();
  if (option.get_positional()) {
    const std::string name = option.get_name(true, false), type = option.get_type_name();
    facts.names = {name};
    facts.value = type.starts_with("TEXT") ? name : type;  // TEXT is what the parser says where nobody has named a type
    facts.form = value_form::required;
    return facts;
  }
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  add_value(option, facts);
  return facts;
}

}  // namespace

command_facts facts_of(const CLI::App& app) {
  command_facts facts;
  facts.name = app.get_name();
  facts.about = app.get_description();
  facts.takes_program = facts.name == "run";
  std::istringstream footer(app.get_footer());
  for (std::string line; std::getline(footer, line);) facts.footer.push_back(line);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? facts.positionals : facts.options).push_back(facts_of(*option));
  }
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) facts.commands.push_back(facts_of(*command));
  return facts;
}

}  // namespace amity::cli
