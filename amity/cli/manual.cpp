#include "amity/cli/manual.hpp"

#include <cctype>
#include <string_view>

#include "amity/omp/settings/settings.hpp"

namespace amity::cli {
namespace {

// What troff would take for its own: a backslash, a hyphen that may be copied into a shell, a line's first point.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }
std::string section(const std::string& title) { return ".SH " + title + "\n"; }
std::string line(const std::string& text) { return plain(text) + "\n"; }

// A term, and what is said of it.
std::string item(const std::string& term, const std::string& about) {
  return ".TP\n" + term + "\n" + (about.empty() ? "\\&\n" : line(about));
}

// "-t N, --threads N"; of a positional "FOLDER"
std::string term_of(const option_facts& option) {
  if (!option.names.front().starts_with('-')) return italic(option.value);
  std::string term;
  for (const std::string& name : option.names) {
    term += (term.empty() ? "" : ", ") + bold(name);
    if (option.form == value_form::required) term += " " + italic(option.value);
    if (option.form == value_form::optional) term += " [" + italic(option.value) + "]";
    if (option.form == value_form::joined) term += "[=" + italic(option.value) + "]";
  }
  return term;
}

std::string items_of(const std::vector<option_facts>& options) {
  std::string text;
  for (const option_facts& option : options) text += item(term_of(option), option.about);
  return text;
}

// A footer's own synopsis, which says less than the page's.
bool is_usage(const std::string& words) { return words.starts_with("Usage: "); }

std::string synopsis(const std::string& name, const command_facts& command) {
  std::string text = bold(name) + " [" + italic("OPTIONS") + "]";
  for (const option_facts& p : command.positionals)
    text += p.required ? " " + italic(p.value) : " [" + italic(p.value) + "]";
  if (!command.commands.empty()) text += " " + italic("COMMAND") + " [" + italic("OPTIONS") + "]";
  if (command.takes_program) text += " [" + bold("--") + "] " + italic("PROGRAM ARGUMENTS...");
  return text + "\n";
}

// Of `amity bench`: each has options of its own, and no page.
std::string subsections(const std::string& name, const std::vector<command_facts>& commands) {
  std::string text;
  for (const command_facts& command : commands) {
    text += ".SS " + bold(name + " " + command.name) + "\n" + line(command.about);
    for (const option_facts& option : command.options)
      if (option.names.back() != "--help") text += item(term_of(option), option.about);
  }
  return text;
}

std::string settings() {
  std::string text = section("ENVIRONMENT") + line("amity info -v says which of these are set, and to what.");
  const auto add = [](const omp::setting_view& one, void* into) {
    std::string about = std::string(one.meaning) + ".";
    if (one.allowed[0] != '\0') about += std::string(" Allowed: ") + one.allowed + ".";
    if (one.default_value[0] != '\0') about += std::string(" Default: ") + one.default_value + ".";
    *static_cast<std::string*>(into) += item(bold(one.name), about);
  };
  omp::visit_settings(add, &text);
  return text;
}

std::string see_also(const command_facts& program, const std::string& own) {
  std::string text;
  const auto add = [&](const std::string& page) {
    if (page != own) text += (text.empty() ? ".BR " : ",\n.BR ") + plain(page) + " (1)";
  };
  add(program.name);
  for (const command_facts& command : program.commands) add(program.name + "-" + command.name);
  return section("SEE ALSO") + text + "\n";
}

// What follows the page's name: the program's own words are "Amity: one runtime beneath ... a program."
std::string without_name(const command_facts& command) {
  constexpr std::string_view name = "Amity: ";
  std::string about = command.about;
  if (about.starts_with(name)) about.erase(0, name.size());
  if (about.ends_with('.')) about.pop_back();
  return about;
}

// `page` is "amity-run", `name` what is typed, "amity run". There is no date: the same sources give the same page.
std::string head(const std::string& page, const std::string& name, const command_facts& command,
                 const std::string& version) {
  std::string title;
  for (const char c : page) title += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = ".TH " + title + " 1 \"\" \"" + version + "\" \"Amity\"\n";
  text += section("NAME") + plain(page) + " \\- " + line(without_name(command));
  text += section("SYNOPSIS") + synopsis(name, command);
  std::string more;
  for (const std::string& words : command.footer)
    if (!is_usage(words)) more += (more.empty() ? "" : ".PP\n") + line(words);
  if (!more.empty()) text += section("DESCRIPTION") + more;
  if (!command.positionals.empty()) text += section("ARGUMENTS") + items_of(command.positionals);
  return text + section("OPTIONS") + items_of(command.options);
}

std::string page_of_program(const command_facts& program, const std::string& version) {
  std::string text = head(program.name, program.name, program, version) + section("COMMANDS");
  for (const command_facts& command : program.commands)
    text += item(bold(program.name + " " + command.name), command.about);
  return text + see_also(program, program.name);
}

std::string page_of(const command_facts& program, const command_facts& command, const std::string& version) {
  const std::string page = program.name + "-" + command.name, name = program.name + " " + command.name;
  std::string text = head(page, name, command, version);
  if (!command.commands.empty()) text += section("COMMANDS") + subsections(name, command.commands);
  if (command.takes_program) text += settings();
  return text + see_also(program, page);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> manual_of(const command_facts& program, const std::string& version) {
  std::vector<std::pair<std::string, std::string>> pages;
  pages.emplace_back(program.name + ".1", page_of_program(program, version));
  for (const command_facts& command : program.commands)
    pages.emplace_back(program.name + "-" + command.name + ".1", page_of(program, command, version));
  return pages;
}

}  // namespace amity::cli
