#include "amity/cli/timeline.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <tuple>

#include "amity/sched/profile/timeline_file.hpp"

namespace amity::cli {
namespace {

namespace file = sched::profile;

struct turn {
  std::uint64_t ticks = 0;
  unsigned row = 0;
  profile_column column = profile_column::work;
  std::uint32_t thread = 0;
};

// The bytes of a trace, which may be cut off anywhere.
class bytes {
 public:
  explicit bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    is_open_ = static_cast<bool>(in);
    read(in, sizeof(file::timeline_head));
    const auto* const head = at<file::timeline_head>(0);
    if (head == nullptr || head->magic != file::timeline_magic) return;
    // A killed program's file is as long as it might have become.
    read(in, file::chunks_at + std::min(head->chunks.load(), head->most_chunks) * file::chunk_bytes);
  }
  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  // Words at a place; T may have atomics, so it is not copied as a whole. Null: the file ends before.
  template <class T>
  [[nodiscard]] const T* at(std::size_t offset) const {
    return offset + sizeof(T) <= all_.size() ? reinterpret_cast<const T*>(all_.data() + offset) : nullptr;
  }

 private:
  void read(std::ifstream& in, std::size_t most) {
    in.clear();
    in.seekg(0, std::ios::end);
    const auto size = static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0));
    in.seekg(0);
    all_.resize(std::min(size, most));
    in.read(all_.data(), static_cast<std::streamsize>(all_.size()));
    all_.resize(static_cast<std::size_t>(in.gcount()));
  }

  std::vector<char> all_;
  bool is_open_ = false;
};

// From the processor's counter to nanoseconds since 1970.
class clock {
 public:
  explicit clock(const file::timeline_head& head)
      : first_ticks_(head.first.ticks), first_ns_(static_cast<std::int64_t>(head.first.ns.load())) {
    const std::uint64_t ticks = head.last.ticks - first_ticks_;
    const std::int64_t ns = static_cast<std::int64_t>(head.last.ns.load()) - first_ns_;
    constexpr std::int64_t long_enough = 1000000;  // to have the rate from both pairs
    ns_per_tick_ = ns > long_enough && ticks != 0 ? static_cast<double>(ns) / static_cast<double>(ticks)
                   : head.ticks_in_us != 0        ? 1000.0 / static_cast<double>(head.ticks_in_us)
                                                  : 1;
  }
  [[nodiscard]] std::int64_t ns(std::uint64_t ticks) const {
    const auto passed = static_cast<double>(static_cast<std::int64_t>(ticks - first_ticks_));
    return first_ns_ + static_cast<std::int64_t>(passed * ns_per_tick_);
  }

 private:
  std::uint64_t first_ticks_;
  std::int64_t first_ns_;
  double ns_per_tick_;
};

std::string text_of(const char* from, std::size_t most) { return {from, strnlen(from, most)}; }

void read_rows(const bytes& in, timeline& into) {
  into.rows.resize(file::most_rows);
  for (unsigned i = 0; i < file::most_rows; ++i) {
    const auto* const r = in.at<file::timeline_row>(file::rows_at + i * sizeof(file::timeline_row));
    profile_row& row = into.rows[i];
    row.construct = static_cast<unsigned>(file::construct::others);
    if (r == nullptr || r->is_there == 0) continue;
    row.construct = static_cast<unsigned>(r->what);
    row.code = r->code;
    row.file_begin = r->file_begin;
    row.file = text_of(r->file, sizeof r->file);
  }
}

// Each carrier's turns, in their order.
struct carrier_turns {
  std::uint32_t os_thread = 0;
  std::map<std::uint32_t, std::vector<turn>> by_round;
  struct noted_message {
    std::uint64_t ticks;
    message what;  // but for its time and its track
  };
  std::vector<noted_message> messages;
};

std::map<std::uint32_t, carrier_turns> read_turns(const bytes& in, std::uint64_t chunks) {
  std::map<std::uint32_t, carrier_turns> all;
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const std::size_t at = file::chunks_at + i * file::chunk_bytes;
    const auto* const c = in.at<file::timeline_chunk>(at);
    if (c == nullptr) break;
    const auto used = std::min<std::size_t>(c->used, file::events_of_chunk);
    if (c->carrier == 0 || used == 0) continue;
    carrier_turns& of = all[c->carrier];
    of.os_thread = c->os_thread;
    std::vector<turn>& turns = of.by_round[c->round];
    for (std::size_t k = 0; k < used; ++k) {
      const auto* const e =
          in.at<file::timeline_event>(at + sizeof(file::timeline_chunk) + k * sizeof(file::timeline_event));
      if (e == nullptr) break;
      const auto kind = static_cast<unsigned>(e->bits >> 32 & 0xff);
      if (kind == file::kind_sent || kind == file::kind_handled) {
        message m;
        m.is_sent = kind == file::kind_sent;
        m.peer = static_cast<int>(e->bits >> 40);
        m.key = static_cast<std::uint32_t>(e->bits);
        of.messages.push_back({e->ticks, m});
        continue;
      }
      turns.push_back({e->ticks, std::min(static_cast<unsigned>(e->bits >> 40), file::most_rows - 1),
                       static_cast<profile_column>((e->bits >> 32) & 3), static_cast<std::uint32_t>(e->bits)});
    }
  }
  return all;
}

// Each turn lasts until the next one; the last one until `end`. What is idle is none.
std::vector<slice> slices_of(const std::vector<turn>& turns, const clock& time, std::int64_t end) {
  std::vector<slice> all;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].row == file::idle_row) continue;
    const std::int64_t begin = time.ns(turns[i].ticks),
                       until = std::max(begin, i + 1 < turns.size() ? time.ns(turns[i + 1].ticks) : end);
    all.push_back({begin, until, turns[i].row, turns[i].column});
  }
  return all;
}

const char* word_for(profile_column c) {
  switch (c) {
    case profile_column::work:
      return "work";
    case profile_column::waiting:
      return "waiting";
    case profile_column::runtime:
      return "runtime";
    case profile_column::stolen:
      break;
  }
  return "stolen";
}

// As JSON; what is no UTF-8 in it is replaced.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// One event to a line.
class event_list {
 public:
  explicit event_list(std::ostream& out) : out_(out) { out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"; }
  ~event_list() { out_ << "\n]}\n"; }
  event_list(const event_list&) = delete;
  event_list& operator=(const event_list&) = delete;

  void name(const char* what, int process, std::uint32_t track, const std::string& name) {
    next() << R"({"ph":"M","name":")" << what << R"(","pid":)" << process << R"(,"tid":)" << track
           << R"(,"args":{"name":)" << quoted(name) << "}}";
  }
  void put_in_order(const char* what, int process, std::uint32_t track, std::uint32_t index) {
    next() << R"({"ph":"M","name":")" << what << R"(","pid":)" << process << R"(,"tid":)" << track
           << R"(,"args":{"sort_index":)" << index << "}}";
  }
  void put(int process, std::uint32_t track, const slice& s, std::int64_t origin, const std::string& title) {
    next() << R"({"ph":"X","pid":)" << process << R"(,"tid":)" << track << R"(,"ts":)" << us(s.begin_ns - origin)
           << R"(,"dur":)" << us(s.end_ns - s.begin_ns) << R"(,"cat":")" << word_for(s.column) << R"(","name":)"
           << title << "}";
  }

  // One end of an arrow, in the slice that is there at that moment.
  void put_end_of_arrow(bool is_begin, std::uint64_t number, int process, std::uint32_t track, std::int64_t ns) {
    next() << R"({"ph":")" << (is_begin ? "s" : "f") << R"(","bp":"e","id":)" << number << R"(,"pid":)" << process
           << R"(,"tid":)" << track << R"(,"ts":)" << us(ns) << R"(,"cat":"message","name":"message"})";
  }

 private:
  std::ostream& next() {
    if (!first_) out_ << ",\n";
    first_ = false;
    return out_;
  }
  static std::string us(std::int64_t ns) {
    ns = std::max<std::int64_t>(ns, 0);
    char text[40];
    std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                  static_cast<long long>(ns % 1000));
    return text;
  }

  std::ostream& out_;
  bool first_ = true;
};

}  // namespace

bool read_timeline(const std::string& path, timeline& into, std::string& problem) {
  const bytes in(path);
  if (!in.is_open()) {
    problem = "it can't be opened";
    return false;
  }
  const auto* const head = in.at<file::timeline_head>(0);
  if (head == nullptr || head->magic != file::timeline_magic) {
    problem = "it does not begin as a trace of this version does";
    return false;
  }
  into.program = text_of(head->program, sizeof head->program);
  into.process = static_cast<int>(head->process);
  into.rank = head->rank;
  into.lost = head->lost;
  read_rows(in, into);
  name_places(into.rows);

  const clock time(*head);
  std::uint64_t last = head->last.ticks;
  std::map<std::uint32_t, std::vector<turn>> by_thread;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::vector<turn>>> by_core;
  for (auto& [carrier, turns] : read_turns(in, std::min(head->chunks.load(), head->most_chunks))) {
    auto& [os_thread, mine] = by_core[carrier];
    os_thread = turns.os_thread;
    into.is_cut = into.is_cut || turns.by_round.begin()->first != 0;
    for (auto& [round, some] : turns.by_round) mine.insert(mine.end(), some.begin(), some.end());
    // A fiber may have looked at the clock, and been interrupted before it wrote that down: others' turns came first.
    for (std::size_t i = 1; i < mine.size(); ++i) mine[i].ticks = std::max(mine[i].ticks, mine[i - 1].ticks);
    for (const turn& t : mine) {
      if (t.thread != file::no_thread) by_thread[t.thread].push_back(t);
      last = std::max(last, t.ticks);
    }
    for (auto& [ticks, m] : turns.messages) {
      m.ns = time.ns(ticks);
      m.core = carrier;
      into.messages.push_back(m);
    }
  }
  for (const auto& [carrier, mine] : by_core)
    into.cores.push_back({carrier, mine.first, slices_of(mine.second, time, time.ns(last))});
  for (auto& [thread, mine] : by_thread) {
    std::stable_sort(mine.begin(), mine.end(), [](const turn& a, const turn& b) { return a.ticks < b.ticks; });
    into.threads.push_back({thread, 0, slices_of(mine, time, time.ns(last))});
  }
  return true;
}

namespace {

struct end_of_message {
  message m;
  int process;  // of the JSON: the group of its tracks
};

// Pairs what was sent with what was handled: by sender, receiver and key, and for equal ones in their order.
void put_arrows(event_list& events, const std::vector<end_of_message>& ends, const std::vector<int>& ranks,
                std::int64_t origin) {
  using between = std::tuple<int, int, std::uint32_t>;
  std::map<between, std::vector<end_of_message>> sent, handled;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const message& m = ends[i].m;
    if (m.is_sent)
      sent[{ranks[i], m.peer, m.key}].push_back(ends[i]);
    else
      handled[{m.peer, ranks[i], m.key}].push_back(ends[i]);
  }
  const auto in_order = [](std::vector<end_of_message>& some) {
    std::stable_sort(some.begin(), some.end(), [](const auto& a, const auto& b) { return a.m.ns < b.m.ns; });
  };
  std::uint64_t number = 0;
  for (auto& [which, begins] : sent) {
    const auto found = handled.find(which);
    // Where one side's oldest events are gone, there is no telling which of several it is.
    if (found == handled.end() || found->second.size() != begins.size()) continue;
    in_order(begins);
    in_order(found->second);
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const end_of_message &from = begins[i], &to = found->second[i];
      ++number;
      events.put_end_of_arrow(true, number, from.process, from.m.core, from.m.ns - origin);
      // Two machines' clocks differ; an arrow never points backward.
      events.put_end_of_arrow(false, number, to.process, to.m.core, std::max(to.m.ns, from.m.ns) - origin);
    }
  }
}

}  // namespace

void write_json(std::ostream& out, const std::vector<timeline>& all) {
  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  for (const timeline& each : all)
    for (const track& t : each.cores)
      if (!t.slices.empty()) origin = std::min(origin, t.slices.front().begin_ns);
  event_list events(out);
  int process = 0;
  std::vector<end_of_message> ends;
  std::vector<int> ranks;  // of these
  for (const timeline& each : all) {
    const std::string who =
        each.program + (each.rank >= 0 ? " rank " + std::to_string(each.rank) : " " + std::to_string(each.process));
    std::vector<std::string> titles;
    for (const profile_row& row : each.rows) titles.push_back(quoted(title_of(row)));
    const auto put_group = [&](const std::vector<track>& tracks, const std::string& name, const auto& name_of_track) {
      ++process;
      events.name("process_name", process, 0, who + ": " + name);
      events.put_in_order("process_sort_index", process, 0, static_cast<std::uint32_t>(process));
      for (const track& t : tracks) {
        events.name("thread_name", process, t.number, name_of_track(t));
        events.put_in_order("thread_sort_index", process, t.number, t.number);
        for (const slice& s : t.slices) events.put(process, t.number, s, origin, titles[s.row]);
      }
    };
    for (const message& m : each.messages) {
      ends.push_back({m, process + 1});
      ranks.push_back(each.rank);
    }
    put_group(each.cores, "cores", [](const track& t) { return "OS thread " + std::to_string(t.os_thread); });
    if (!each.threads.empty())
      put_group(each.threads, "OpenMP threads",
                [](const track& t) { return "OpenMP thread " + std::to_string(t.number); });
  }
  put_arrows(events, ends, ranks, origin);
}

}  // namespace amity::cli
