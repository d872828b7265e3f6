#include "messages/ranks.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>

namespace ranks {
namespace {

constexpr int most_samples = 1000;
constexpr std::size_t most_bytes = std::size_t{1} << 28;

double met_us = 0;  // when all ranks had met for the first time

double us_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

// --- a figure

struct sample {
  double us, cpu_us;
};

sample take_sample(job& j, const item& of, long reps) {
  j.barrier();
  double const cpu_begun = cpu_us();
  double const begun = now_us();
  of.run(j, reps);
  double const took = now_us() - begun;
  double const cpu = cpu_us() - cpu_begun;
  return {j.most(took), cpu};
}

/// The first run is not counted: it makes connections.
long choose_reps(job& j, const item& of, const settings& how) {
  double spent = take_sample(j, of, 1).us;
  if (spent >= how.budget_us / 8) return 1;
  for (long reps = 1;;) {
    double const took = take_sample(j, of, reps).us;
    spent += took;
    if (took >= how.sample_us || spent >= how.budget_us / 4) return reps;
    reps *= took < how.sample_us / 10 ? 8 : 2;
  }
}

// --- a line for each

void say(const job& j, const item& of, const std::string& fields) {
  if (j.rank() != 0) return;
  std::printf("{\"name\": \"%s\", \"ranks\": %d, %s}\n", of.name.c_str(), j.size(), fields.c_str());
  std::fflush(stdout);  // what is known stays known when the next one crashes
}

std::string words_of(const item& of, const figure& f) {
  char text[200];
  if (of.unit.empty())
    std::snprintf(text, sizeof text,
                  "\"us\": %.5g, \"cpu_us\": %.5g, \"samples\": %d, \"iterations\": %ld, \"kind\": \"time\"", f.value,
                  f.cpu_us, f.samples, f.reps);
  else
    std::snprintf(text, sizeof text,
                  "\"value\": %.5g, \"unit\": \"%s\", \"samples\": %d, \"iterations\": %ld, \"kind\": \"value\"",
                  f.value, of.unit.c_str(), f.samples, f.reps);
  return text;
}

bool run_item(job& j, const item& of, const settings& how) {
  if (!of.left_out.empty()) return say(j, of, "\"left_out\": \"" + of.left_out + "\""), true;
  if (of.prepare) of.prepare(j);
  bool right = is_right(j, of);
  figure made;
  if (right) made = of.measure ? of.measure(j, how) : time_of(j, of, how);
  right = right && is_right(j, of);
  if (of.finish) of.finish(j);
  if (made.samples == 0)
    say(j, of, "\"left_out\": \"nobody said when the job began\"");
  else
    say(j, of, right ? words_of(of, made) : "\"error\": \"wrong answer\"");
  return right;
}

// --- the command line

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::size_t const comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

template <class T>
bool read_number(std::string_view text, T least, T most, T& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least && number <= most;
}

bool refuse(const program& of, const char* option, const std::string& value, const std::string& allowed) {
  std::fprintf(stderr, "%s: %s: '%s' is none; allowed: %s\n", of.name, option, value.c_str(), allowed.c_str());
  return false;
}

bool read_sizes(const program& of, const std::string& list, settings& how) {
  how.sizes.clear();
  for (const std::string& part : parts_of(list)) {
    std::size_t bytes = 0;
    if (!read_number<std::size_t>(part, 4, most_bytes, bytes) || bytes % 4 != 0)
      return refuse(of, "--sizes", part, "bytes, multiples of 4 up to " + std::to_string(most_bytes));
    how.sizes.push_back(bytes);
  }
  return !how.sizes.empty() || refuse(of, "--sizes", list, "4,1024,1048576 and the like");
}

bool read_option(const program& of, const std::string& name, const std::string& value, settings& how) {
  if (name == "--only") return how.only = parts_of(value), true;
  if (name == "--sizes" && *of.default_sizes != '\0') return read_sizes(of, value, how);
  if (name == "--samples")
    return read_number(value, 1, most_samples, how.samples) || refuse(of, "--samples", value, "1 to 1000");
  if (name == "--sample-ms") {
    double ms = 0;
    if (!read_number(value, 0.1, 1000.0, ms)) return refuse(of, "--sample-ms", value, "0.1 to 1000");
    return how.sample_us = ms * 1000, true;
  }
  std::fprintf(stderr, "usage: %s [--list] [--only NAME,...] [--samples N] [--sample-ms T]%s%s\n", of.name,
               *of.default_sizes != '\0' ? " [--sizes BYTES,...]" : "", of.tune != nullptr ? " [--tune]" : "");
  return false;
}

bool is_chosen(const item& one, const settings& how) {
  return how.only.empty() || std::any_of(how.only.begin(), how.only.end(), [&](const std::string& name) {
           return one.name == name || one.name.starts_with(name + "/");
         });
}

int run_chosen(const program& of, const std::vector<item>& items, const settings& how, bool tune) {
  std::unique_ptr<job> const all = of.join();
  if (all->size() < of.least_ranks) {
    std::fprintf(stderr, "%s: %d ranks are too few; allowed: %d or more\n", of.name, all->size(), of.least_ranks);
    return 2;
  }
  all->barrier();
  met_us = now_us();
  bool right = true;
  if (tune) right = of.tune(*all, how);
  for (const item& one : items)
    if (!tune && is_chosen(one, how)) right = run_item(*all, one, how) && right;
  all->barrier();
  return right ? 0 : 1;
}

}  // namespace

figure time_of(job& j, const item& of, const settings& how) {
  long const reps = choose_reps(j, of, how);
  std::vector<double> times, cpu_times;
  double spent = 0;
  while (static_cast<int>(times.size()) < how.samples && (times.empty() || spent < how.budget_us)) {
    sample const one = take_sample(j, of, reps);
    spent += one.us;
    double const figures = static_cast<double>(reps) * of.per_run;
    times.push_back(one.us / figures);
    cpu_times.push_back(one.cpu_us / figures);
  }
  return {median(times), median(cpu_times), reps, static_cast<int>(times.size())};
}

/// On all ranks.
bool is_right(job& j, const item& of) {
  if (!of.check) return true;
  j.barrier();
  bool const here = of.check(j);
  return j.most(here ? 0 : 1) == 0;
}

double now_us() { return us_of(CLOCK_MONOTONIC); }
double cpu_us() { return us_of(CLOCK_PROCESS_CPUTIME_ID); }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double percentile(std::vector<double> values, int percent) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, values.size() * static_cast<std::size_t>(percent) / 100)];
}

item left_out(std::string name, std::string why) {
  item made;
  made.name = std::move(name);
  made.left_out = std::move(why);
  return made;
}

item measured(std::string name, std::string unit, std::function<figure(job&, const settings&)> measure) {
  item made;
  made.name = std::move(name);
  made.unit = std::move(unit);
  made.measure = std::move(measure);
  return made;
}

item start_of_job() {
  return measured("start", "", [](job& j, const settings&) {
    const char* const begun = std::getenv("BENCH_BEGUN_US");
    double const us = begun != nullptr ? met_us - std::atof(begun) : 0;
    return figure{us, us, 1, j.most(us) > 0 ? 1 : 0};
  });
}

item idle_cpu() {
  return measured("idle_cpu", "%", [](job& j, const settings& how) {
    j.barrier();
    double const cpu_begun = cpu_us();
    double const begun = now_us();
    if (j.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200) * how.samples);
    j.barrier();
    double const percent = 100 * (cpu_us() - cpu_begun) / (now_us() - begun);
    return figure{j.most(j.rank() == 0 ? 0 : percent), 0, 1, 1};
  });
}

int bench_main(const program& of, int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a launcher that is killed must not leave ranks behind that poll
  settings how;
  bool list = false, tune = false;
  if (*of.default_sizes != '\0' && !read_sizes(of, of.default_sizes, how)) return 2;
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    if (name == "--list") {
      list = true;
      continue;
    }
    if (name == "--tune" && of.tune != nullptr) {
      tune = true;
      continue;
    }
    if (!read_option(of, name, i + 1 < argc ? argv[i + 1] : "", how)) return 2;
    ++i;
  }
  std::vector<item> const items = of.make(how);
  if (!list) return run_chosen(of, items, how, tune);
  for (const item& one : items) std::puts(one.name.c_str());
  return 0;
}

}  // namespace ranks
