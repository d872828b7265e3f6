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
  struct noted {
    std::uint64_t ticks;
    unsigned kind, row;
    std::uint32_t word;
  };
  std::map<std::uint32_t, std::vector<noted>> others;  // kind_begun and beyond, by round
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
      const auto row = static_cast<unsigned>(e->bits >> 40);
      const auto word = static_cast<std::uint32_t>(e->bits);
      if (kind == file::kind_sent || kind == file::kind_handled) {
        message m;
        m.is_sent = kind == file::kind_sent;
        m.peer = static_cast<int>(row);
        m.key = word;
        of.messages.push_back({e->ticks, m});
      } else if (kind >= file::kind_begun) {
        of.others[c->round].push_back({e->ticks, kind, row, word});
      } else {
        turns.push_back({e->ticks, std::min(row, file::most_rows - 1), static_cast<profile_column>(kind & 3), word});
      }
    }
  }
  return all;
}

// What happened beside the carriers (sched/profile/beside.hpp), of one writer after the other.
class beside {
 public:
  beside(timeline& into, const clock& time) : into_(into), time_(time) {}

  void read(std::uint32_t core, const carrier_turns& of) {
    const carrier_turns::noted* begun = nullptr;  // its end comes next
    for (const auto& [round, some] : of.others) {
      for (const carrier_turns::noted& e : some) {
        if (e.kind == file::kind_arrow) arrows_[e.word] = {core, e.ticks};
        if (e.kind == file::kind_instant) into_.instants.push_back({time_.ns(e.ticks), at_most(e.row)});
        // Where the oldest events are gone, an end may come alone.
        if (e.kind == file::kind_ended && begun != nullptr && begun->row == e.row) put(*begun, e);
        begun = e.kind == file::kind_begun ? &e : nullptr;
      }
    }
  }

  // Queues in the order of their names. What a device tells of one queue does not overlap, but for the error of clocks.
  void finish() {
    for (auto& [row, operations] : queues_) {
      std::stable_sort(operations.begin(), operations.end(),
                       [](const operation& a, const operation& b) { return a.when.begin_ns < b.when.begin_ns; });
      track queue;
      queue.number = row;
      std::int64_t free = std::numeric_limits<std::int64_t>::min();
      for (operation& o : operations) {
        slice& s = o.when;
        s.begin_ns = std::max(s.begin_ns, free);
        free = s.end_ns = std::max(s.end_ns, s.begin_ns);
        queue.slices.push_back(s);
        if (const auto from = arrows_.find(o.key); from != arrows_.end())
          into_.device_arrows.push_back({time_.ns(from->second.ticks), s.begin_ns, from->second.core, row});
      }
      into_.queues.push_back(std::move(queue));
    }
    std::sort(into_.queues.begin(), into_.queues.end(),
              [this](const track& a, const track& b) { return into_.rows[a.number].file < into_.rows[b.number].file; });
  }

 private:
  static unsigned at_most(unsigned row) { return std::min(row, file::most_rows - 1); }

  void put(const carrier_turns::noted& begin, const carrier_turns::noted& end) {
    const std::int64_t from = time_.ns(begin.ticks), until = std::max(from, time_.ns(end.ticks));
    queues_[at_most(begin.word)].push_back({{from, until, at_most(begin.row), profile_column::work}, end.word});
  }

  struct handed_over {
    std::uint32_t core;
    std::uint64_t ticks;
  };
  struct operation {
    slice when;
    std::uint32_t key;
  };
  timeline& into_;
  const clock& time_;
  std::map<std::uint32_t, handed_over> arrows_;
  std::map<unsigned, std::vector<operation>> queues_;
};

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

struct end_of_arrow {
  int process;  // of the JSON: the group of its tracks
  std::uint32_t track;
  std::int64_t ns;
};

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
  void put(int process, std::uint32_t track, const slice& s, std::int64_t origin, const char* category,
           const std::string& title) {
    next() << R"({"ph":"X","pid":)" << process << R"(,"tid":)" << track << R"(,"ts":)" << us(s.begin_ns - origin)
           << R"(,"dur":)" << us(s.end_ns - s.begin_ns) << R"(,"cat":")" << category << R"(","name":)" << title << "}";
  }

  void put(int process, std::uint32_t track, const instant& i, std::int64_t origin, const std::string& title) {
    next() << R"({"ph":"i","s":"t","pid":)" << process << R"(,"tid":)" << track << R"(,"ts":)" << us(i.ns - origin)
           << R"(,"cat":"monitor","name":)" << title << "}";
  }

  // An arrow between the slices that are there at its two moments.
  void put_arrow(const char* what, const end_of_arrow& from, const end_of_arrow& to, std::int64_t origin) {
    ++arrows_;
    put_end_of_arrow('s', what, from, origin);
    put_end_of_arrow('f', what, to, origin);
  }

 private:
  void put_end_of_arrow(char phase, const char* what, const end_of_arrow& e, std::int64_t origin) {
    next() << R"({"ph":")" << phase << R"(","bp":"e","id":)" << arrows_ << R"(,"pid":)" << e.process << R"(,"tid":)"
           << e.track << R"(,"ts":)" << us(e.ns - origin) << R"(,"cat":")" << what << R"(","name":")" << what
           << R"("})";
  }
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
  std::uint64_t arrows_ = 0;
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
  into.is_node = head->is_node != 0;
  into.lost = head->lost;
  read_rows(in, into);
  name_places(into.rows);

  const clock time(*head);
  std::uint64_t last = head->last.ticks;
  std::map<std::uint32_t, std::vector<turn>> by_thread;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::vector<turn>>> by_core;
  beside others(into, time);
  const std::map<std::uint32_t, carrier_turns> all = read_turns(in, std::min(head->chunks.load(), head->most_chunks));
  for (const auto& [carrier, turns] : all) {
    others.read(carrier, turns);
    // What devices did, and the monitor, has a writer of its own, which is no core.
    if (std::all_of(turns.by_round.begin(), turns.by_round.end(), [](const auto& some) { return some.second.empty(); }))
      continue;
    auto& [os_thread, mine] = by_core[carrier];
    os_thread = turns.os_thread;
    into.is_cut = into.is_cut || turns.by_round.begin()->first != 0;
    for (const auto& [round, some] : turns.by_round) mine.insert(mine.end(), some.begin(), some.end());
    // A fiber may have looked at the clock, and been interrupted before it wrote that down: others' turns came first.
    for (std::size_t i = 1; i < mine.size(); ++i) mine[i].ticks = std::max(mine[i].ticks, mine[i - 1].ticks);
    for (const turn& t : mine) {
      if (t.thread != file::no_thread) by_thread[t.thread].push_back(t);
      last = std::max(last, t.ticks);
    }
    for (auto [ticks, m] : turns.messages) {
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
  others.finish();
  return true;
}

namespace {

struct end_of_message {
  message m;
  int process;      // of the JSON: the group of its tracks
  const track* on;  // on which it was; null: on none
};

const track* track_of(const std::vector<track>& all, std::uint32_t number) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const track& t) { return t.number == number; });
  return found == all.end() ? nullptr : &*found;
}

// An arrow without a slice at one of its ends is none: viewers refuse it.
bool has_slice_at(const track* t, std::int64_t ns) {
  if (t == nullptr) return false;
  const auto after = std::upper_bound(t->slices.begin(), t->slices.end(), ns,
                                      [](std::int64_t at, const slice& s) { return at < s.begin_ns; });
  return after != t->slices.begin() && ns <= std::prev(after)->end_ns;
}

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
  for (auto& [which, begins] : sent) {
    const auto found = handled.find(which);
    // Where one side's oldest events are gone, there is no telling which of several it is.
    if (found == handled.end() || found->second.size() != begins.size()) continue;
    in_order(begins);
    in_order(found->second);
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const end_of_message &from = begins[i], &to = found->second[i];
      // Two machines' clocks differ; an arrow never points backward.
      const std::int64_t end = std::max(to.m.ns, from.m.ns);
      if (has_slice_at(from.on, from.m.ns) && has_slice_at(to.on, end))
        events.put_arrow("message", {from.process, from.m.core, from.m.ns}, {to.process, to.m.core, end}, origin);
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
        each.program + (each.rank >= 0 ? (each.is_node ? " node " : " rank ") + std::to_string(each.rank)
                                       : " " + std::to_string(each.process));
    std::vector<std::string> titles;
    for (const profile_row& row : each.rows) titles.push_back(quoted(title_of(row)));
    const auto begin_group = [&](const std::string& name) {
      ++process;
      events.name("process_name", process, 0, who + ": " + name);
      events.put_in_order("process_sort_index", process, 0, static_cast<std::uint32_t>(process));
    };
    const auto put_track = [&](std::uint32_t index, const track& t, const std::string& name, const char* category) {
      events.name("thread_name", process, t.number, name);
      events.put_in_order("thread_sort_index", process, t.number, index);
      for (const slice& s : t.slices)
        events.put(process, t.number, s, origin, category != nullptr ? category : word_for(s.column), titles[s.row]);
    };
    begin_group("cores");
    const int cores = process;
    for (const track& t : each.cores) put_track(t.number, t, "OS thread " + std::to_string(t.os_thread), nullptr);
    if (!each.instants.empty()) events.name("thread_name", process, 0, "monitor");
    for (const instant& i : each.instants) events.put(process, 0, i, origin, titles[i.row]);
    for (const message& m : each.messages) {
      ends.push_back({m, cores, track_of(each.cores, m.core)});
      ranks.push_back(each.rank);
    }
    if (!each.threads.empty()) begin_group("OpenMP threads");
    for (const track& t : each.threads) put_track(t.number, t, "OpenMP thread " + std::to_string(t.number), nullptr);
    if (!each.queues.empty()) begin_group("beside the cores");
    std::uint32_t index = 0;
    for (const track& t : each.queues) put_track(++index, t, each.rows[t.number].file, "device");
    for (const device_arrow& a : each.device_arrows)
      if (has_slice_at(track_of(each.cores, a.core), a.from_ns))
        events.put_arrow("device", {cores, a.core, a.from_ns}, {process, a.queue, a.to_ns}, origin);
  }
  put_arrows(events, ends, ranks, origin);
}

}  // namespace amity::cli
