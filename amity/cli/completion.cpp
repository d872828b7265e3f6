#include "amity/cli/completion.hpp"

#include <functional>

namespace amity::cli {
namespace {

using visit_command = std::function<void(const std::string& path, const command_facts& command)>;

// The program and all commands; `path` is what is typed: "amity", "amity run".
void for_each(const command_facts& command, const std::string& before, const visit_command& visit) {
  const std::string path = before.empty() ? command.name : before + " " + command.name;
  visit(path, command);
  for (const command_facts& one : command.commands) for_each(one, path, visit);
}

// --- bash: functions that print what a command has, and one that asks them

// One branch of a `case`.
std::string branch(const std::string& pattern, const std::string& words) {
  return "  " + pattern + ") echo '" + words + "' ;;\n";
}

std::string function_of(const char* name, const char* about, const char* word, const std::string& branches) {
  return std::string("# ") + about + "\n" + name + "() {\n  case " + word + " in\n" + branches + "  esac\n}\n\n";
}

std::string bash_options(const command_facts& program) {
  std::string branches;
  for_each(program, "", [&](const std::string& path, const command_facts& command) {
    std::string words;
    for (const option_facts& option : command.options)
      for (const std::string& name : option.names) words += (words.empty() ? "" : " ") + name;
    branches += branch("'" + path + "'", words);
  });
  return function_of("_amity_options", "The options of the command $1.", "$1", branches);
}

std::string bash_commands(const command_facts& program) {
  std::string branches;
  for_each(program, "", [&](const std::string& path, const command_facts& command) {
    std::string words;
    for (const command_facts& one : command.commands) words += (words.empty() ? "" : " ") + one.name;
    if (!words.empty()) branches += branch("'" + path + "'", words);
  });
  return function_of("_amity_commands", "The commands that may follow the command $1.", "$1", branches);
}

// "FOLDER", "[N]" or "=FOLDER".
std::string form_of(const option_facts& option) {
  if (option.form == value_form::optional) return "[" + option.value + "]";
  return (option.form == value_form::joined ? "=" : "") + option.value;
}

std::string bash_values(const command_facts& program) {
  std::string branches;
  for_each(program, "", [&](const std::string& path, const command_facts& command) {
    for (const option_facts& option : command.options) {
      if (option.form == value_form::none) continue;
      std::string pattern;
      for (const std::string& name : option.names)
        pattern += (pattern.empty() ? "'" : " | '") + path + " " + name + "'";
      branches += branch(pattern, form_of(option));
    }
    for (const option_facts& positional : command.positionals) branches += branch("'" + path + " '", positional.value);
  });
  return function_of("_amity_value", "What the option $2 of the command $1 takes; without $2: what the command takes.",
                     "\"$1 $2\"", branches);
}

// Bash parts words at "=": "--trace-pages=here" comes as three.
constexpr const char* bash_main = R"bash(# What may stand where a value is wanted that --help calls $1.
_amity_complete_value() {
  case $1 in
  FOLDER) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
  FILE) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  COMMAND) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
  PID) mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$word") ;;
  esac
  [[ $1 == FOLDER || $1 == FILE ]] && compopt -o filenames 2>/dev/null
  return 0
}

# A program of the user's, which is word $1, and what follows it.
_amity_complete_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
  else
    _amity_complete_value FILE
  fi
}

_amity() {
  local word=${COMP_WORDS[COMP_CWORD]} command=amity value= i next
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    next=${COMP_WORDS[i]}
    if [[ $next == = ]]; then
      value=$(_amity_value "$command" "${COMP_WORDS[i - 1]}")
      value=${value#=}
    elif [[ -n $value && ($value != '['* || $next == [0-9]*) ]]; then
      value=
    elif [[ $next == -- && $command == 'amity run' ]]; then
      _amity_complete_program $((i + 1))
      return
    elif [[ $next == -* ]]; then
      value=$(_amity_value "$command" "$next")
      [[ $value == =* ]] && value=
    elif [[ " $(_amity_commands "$command") " == *" $next "* ]]; then
      command+=" $next"
    elif [[ $command == 'amity run' ]]; then
      _amity_complete_program "$i"
      return
    fi
  done
  if [[ $word == = ]]; then
    value=$(_amity_value "$command" "${COMP_WORDS[COMP_CWORD - 1]}")
    value=${value#=}
    word=
  fi
  if [[ -n $value && $value != '['* ]]; then
    _amity_complete_value "$value"
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_amity_options "$command")" -- "$word")
  elif [[ $command == 'amity run' ]]; then
    _amity_complete_program "$COMP_CWORD"
  elif [[ -n $(_amity_commands "$command") ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_amity_commands "$command")" -- "$word")
  else
    _amity_complete_value "$(_amity_value "$command" '')"
  fi
}

complete -F _amity amity
)bash";

// --- zsh

std::string with_backslashes(const std::string& text, const char* before) {
  std::string out;
  for (const char c : text) {
    if (std::string(before).find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// What fits into a line beside an option.
std::string first_sentence(const std::string& text) { return text.substr(0, text.find(". ")); }

std::string zsh_action(const std::string& value) {
  if (value == "FOLDER") return "_files -/";
  if (value == "FILE") return "_files";
  if (value == "COMMAND") return "_command_names -e";
  if (value == "PID") return "_pids";
  return " ";
}

// '(-t --threads)-t[threads of ...]:N: ', one for each name.
std::string zsh_option(const option_facts& option) {
  std::string all;
  for (const std::string& name : option.names) all += (all.empty() ? "" : " ") + name;
  std::string specs;
  for (const std::string& name : option.names) {
    std::string spec = "(" + all + ")" + name;
    if (option.form == value_form::joined)
      spec += "=-";
    else if (option.form != value_form::none)
      spec += name.starts_with("--") ? "=" : "";
    spec += "[" + with_backslashes(first_sentence(option.about), "[]\\") + "]";
    if (option.form != value_form::none)
      spec += (option.form == value_form::required ? ":" : "::") + with_backslashes(option.value, ":\\") + ":" +
              zsh_action(option.value);
    specs += " \\\n    " + quoted(spec);
  }
  return specs;
}

std::string zsh_arguments(const command_facts& command) {
  std::string specs;
  for (const option_facts& option : command.options) specs += zsh_option(option);
  for (const option_facts& p : command.positionals)
    specs += " \\\n    " + quoted((p.required ? ":" : "::") + p.value + ":" + zsh_action(p.value));
  if (command.takes_program) specs += " \\\n    '(-):program:_command_names -e' \\\n    '*::arguments:_normal'";
  return specs;
}

// A function of the command, and before it those of its own commands.
std::string zsh_function(const std::string& name, const command_facts& command) {
  std::string text, list, choice;
  for (const command_facts& one : command.commands) {
    text += zsh_function(name + "_" + one.name, one);
    list += "    " + quoted(with_backslashes(one.name, ":\\") + ":" + with_backslashes(one.about, "\\")) + "\n";
    choice += "  " + one.name + ") " + name + "_" + one.name + " ;;\n";
  }
  text += name + "() {\n";
  if (command.commands.empty())
    return text + "  _arguments -s -S" + (command.takes_program ? " -A '-*'" : "") + zsh_arguments(command) + "\n}\n\n";
  text += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n";
  text += "  local -a choices=(\n" + list + "  )\n";  // `commands` is a name of zsh's own
  text += "  _arguments -C -S -A '-*'" + zsh_arguments(command) +
          " \\\n    '1:command:{_describe command choices}' \\\n    '*::argument:->argument'\n";
  return text + "  [[ $state == argument ]] || return\n  case $line[1] in\n" + choice + "  esac\n}\n\n";
}

constexpr const char* made_from = "# Made from what `amity --help` says. ";

}  // namespace

std::string completion_of_bash(const command_facts& program) {
  return std::string(made_from) + "bash loads this when `amity` is to be completed.\n\n" + bash_options(program) +
         bash_commands(program) + bash_values(program) + bash_main;
}

std::string completion_of_zsh(const command_facts& program) {
  return "#compdef amity\n" + std::string(made_from) + "zsh loads this when `amity` is to be completed.\n\n" +
         zsh_function("_" + program.name, program) + "_amity \"$@\"\n";
}

}  // namespace amity::cli
