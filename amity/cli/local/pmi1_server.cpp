#include "amity/cli/local/pmi1_server.hpp"

#include <algorithm>
#include <cstdlib>

#include "amity/launch/pmi1_line.hpp"

namespace amity::cli {
namespace {

using launching::field_of;

// As MPICH's process manager has them: its clients have buffers of these sizes.
constexpr int most_of_name = 256, most_of_key = 64, most_of_value = 1024;

std::string reply(const std::string& command, const std::string& rest) { return "cmd=" + command + " " + rest + "\n"; }

}  // namespace

pmi1_server::pmi1_server(int ranks, std::string name)
    : name_(std::move(name)), peers_(static_cast<std::size_t>(ranks)) {
  // One node, with all ranks in their order: MPICH asks for that.
  values_["PMI_process_mapping"] = "(vector,(0,1," + std::to_string(ranks) + "))";
}

std::vector<pmi1_server::answer> pmi1_server::take(int rank, std::string_view bytes) {
  answers out;
  peer& from = of(rank);
  from.unread.append(bytes);
  for (std::size_t end = 0; (end = from.unread.find('\n')) != std::string::npos;) {
    const std::string line = from.unread.substr(0, end);
    from.unread.erase(0, end + 1);
    take_line(rank, line, out);
  }
  if (from.unread.size() > most_of_line) from.unread.clear();  // no line of this protocol
  return out;
}

void pmi1_server::take_line(int rank, const std::string& line, answers& out) {
  peer& from = of(rank);
  const auto say = [&](const std::string& command, const std::string& rest) {
    out.push_back({rank, reply(command, rest)});
  };
  // A spawn is "mcmd=spawn", one field a line, "endcmd", and once more for each program that is to be started.
  if (line.starts_with("mcmd=spawn")) from.in_spawn = true;
  if (from.in_spawn) {
    if (line != "endcmd") return;
    from.in_spawn = false;
    return say("spawn_result", "rc=-1 status=1 msg=amity_run_starts_no_further_processes");
  }
  const std::string command = field_of(line, "cmd");
  if (command == "init") {
    from.begun = true;
    const bool known = field_of(line, "pmi_version") == "1";
    return say("response_to_init", std::string("pmi_version=1 pmi_subversion=1 rc=") + (known ? "0" : "-1"));
  }
  if (command == "get_maxes")
    return say("maxes", "kvsname_max=" + std::to_string(most_of_name) + " keylen_max=" + std::to_string(most_of_key) +
                            " vallen_max=" + std::to_string(most_of_value) + " rc=0");
  if (command == "get_appnum") return say("appnum", "appnum=0 rc=0");
  if (command == "get_universe_size") return say("universe_size", "size=" + std::to_string(peers_.size()) + " rc=0");
  if (command == "get_my_kvsname") return say("my_kvsname", "kvsname=" + name_ + " rc=0");
  if (command == "put") return put(rank, line, out);
  if (command == "get") return get(rank, line, out);
  if (command == "barrier_in") return enter_barrier(rank, out);
  if (command == "finalize") {
    from.finalized = true;
    say("finalize_ack", "rc=0");
    return look_at_barrier(out);
  }
  if (command == "abort") {
    const std::string status = field_of(line, "exitcode");
    if (!aborted_) aborted_ = abortion{rank, status.empty() ? 1 : std::atoi(status.c_str())};
    return;
  }
  if (command == "publish_name") {
    const bool is_new = published_.emplace(field_of(line, "service"), field_of(line, "port", true)).second;
    return say("publish_result", is_new ? "rc=0 info=ok" : "rc=-1 msg=the_name_is_taken");
  }
  if (command == "lookup_name") {
    const auto found = published_.find(field_of(line, "service"));
    return found != published_.end() ? say("lookup_result", "rc=0 info=ok port=" + found->second)
                                     : say("lookup_result", "rc=-1 msg=nobody_has_published_it");
  }
  if (command == "unpublish_name")
    return say("unpublish_result",
               published_.erase(field_of(line, "service")) != 0 ? "rc=0 info=ok" : "rc=-1 msg=nobody_has_published_it");
  if (!command.empty()) say(command + "_result", "rc=-1 msg=amity_run_does_not_know_this_command");
}

void pmi1_server::put(int rank, const std::string& line, answers& out) {
  const std::string key = field_of(line, "key"), value = field_of(line, "value", true);
  const char* problem = nullptr;
  if (field_of(line, "kvsname") != name_)
    problem = "no_such_key_space";
  else if (key.empty() || key.size() > most_of_key)
    problem = "a_key_has_1_to_64_characters";
  else if (value.size() > most_of_value)
    problem = "a_value_has_1024_characters_at_most";
  else if (values_.count(key) != 0)
    problem = "the_key_is_taken";  // by this protocol a key is put once
  if (problem == nullptr) values_.emplace(key, value);
  out.push_back(
      {rank, reply("put_result", problem == nullptr ? "rc=0 msg=success" : std::string("rc=-1 msg=") + problem)});
}

void pmi1_server::get(int rank, const std::string& line, answers& out) {
  const auto found = values_.find(field_of(line, "key"));
  const bool known = field_of(line, "kvsname") == name_ && found != values_.end();
  out.push_back({rank, reply("get_result", known ? "rc=0 msg=success value=" + found->second
                                                 : "rc=-1 msg=key_not_found value=unknown")});
}

void pmi1_server::enter_barrier(int rank, answers& out) {
  of(rank).at_barrier = true;
  look_at_barrier(out);
}

// Over when all are there. Where one can't come any more, the others would wait for ever: they are told.
void pmi1_server::look_at_barrier(answers& out) {
  const auto some = std::any_of(peers_.begin(), peers_.end(), [](const peer& p) { return p.at_barrier; });
  if (!some) return;
  const bool all = std::all_of(peers_.begin(), peers_.end(), [](const peer& p) { return p.at_barrier; });
  const auto gone = std::find_if(peers_.begin(), peers_.end(),
                                 [](const peer& p) { return (p.ended || p.finalized) && !p.at_barrier; });
  if (!all && gone == peers_.end()) return;
  const std::string text = all ? "cmd=barrier_out\n"
                               : "cmd=barrier_out rc=-1 msg=rank " + std::to_string(gone - peers_.begin()) +
                                     " has ended, and comes no more\n";
  for (std::size_t r = 0; r < peers_.size(); ++r)
    if (std::exchange(peers_[r].at_barrier, false)) out.push_back({static_cast<int>(r), text});
}

std::vector<pmi1_server::answer> pmi1_server::end(int rank) {
  answers out;
  of(rank).ended = true;
  of(rank).at_barrier = false;
  look_at_barrier(out);
  return out;
}

}  // namespace amity::cli
