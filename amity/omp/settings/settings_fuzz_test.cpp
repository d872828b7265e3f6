// The parsers against texts that nobody meant: for each variable what is hostile to all of them, and thousands of valid
// values that were damaged. AMITY_FUZZ_SEED repeats a run, AMITY_FUZZ_ROUNDS makes it longer.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "amity/omp/settings/settings.hpp"
#include "amity/omp/settings/table.hpp"

namespace amity::omp {
namespace {

using texts = std::vector<std::string>;

const texts booleans = {"true", "FALSE", "1", "0", " yes ", "off"};
const texts counts = {"1", "3", "2147483647", " +7 "};
const texts sizes = {"64", "100B", "512k", "2 M", "1G", "1T", "65536"};

// Valid values of each variable that has a parser.
const std::map<std::string, texts>& examples() {
  static const std::map<std::string, texts> all = {
      {"OMP_NUM_THREADS", {"1", "4,3,2", " 4 , 3 ", "2147483647"}},
      {"OMP_SCHEDULE", {"static", "dynamic,4", "monotonic:guided,7", "nonmonotonic:dynamic", "auto", "trapezoidal,3"}},
      {"OMP_DYNAMIC", booleans},
      {"OMP_NESTED", booleans},
      {"OMP_MAX_ACTIVE_LEVELS", {"0", "4", "255"}},
      {"OMP_THREAD_LIMIT", counts},
      {"OMP_NUM_TEAMS", counts},
      {"OMP_TEAMS_THREAD_LIMIT", counts},
      {"OMP_STACKSIZE", sizes},
      {"OMP_WAIT_POLICY", {"active", "PASSIVE"}},
      {"OMP_PROC_BIND", {"true", "false", "spread,close,primary", "master"}},
      {"OMP_PLACES",
       {"threads", "cores(1)", "sockets", "{0}", "{0:2}:3:1", "{0,!1},{0:4:2}", "0", "{0},!{1}", "ll_caches"}},
      {"OMP_CANCELLATION", booleans},
      {"OMP_DEFAULT_DEVICE", {"0", "3"}},
      {"OMP_TARGET_OFFLOAD", {"default", "MANDATORY", "disabled"}},
      {"OMP_MAX_TASK_PRIORITY", {"0", "17"}},
      {"OMP_ALLOCATOR",
       {"omp_high_bw_mem_alloc", "4", "omp_default_mem_space:alignment=64,pool_size=1024,fallback=null_fb,pinned=true",
        "omp_low_lat_mem_space",
        "omp_default_mem_space:fb_data=omp_large_cap_mem_alloc,access=pteam,sync_hint=private"}},
      {"OMP_DISPLAY_ENV", {"true", "false", "verbose"}},
      {"OMP_DISPLAY_AFFINITY", booleans},
      {"OMP_AFFINITY_FORMAT", {"%L.%n", "host %0.8{thread_num} %{host}", "100%%", "%.12A|"}},
      {"OMP_TOOL", {"enabled", "disabled"}},
      {"OMP_TOOL_LIBRARIES", {"", "liba.so:/x/libb.so"}},
      {"OMP_TOOL_VERBOSE_INIT", {"disabled", "stdout", "stderr", "a_file"}},
      {"OMP_DEBUG", {"enabled", "disabled"}},
      {"GOMP_SPINCOUNT", {"0", "300k", "infinite", "5 M"}},
      {"GOMP_STACKSIZE", sizes},
      {"GOMP_CPU_AFFINITY", {"0", "0 1", "0-3:2,0", "0-127"}},
      {"GOMP_DEBUG", {"0", "1"}},
      {"KMP_BLOCKTIME", {"0", "200ms", "50us", "3 s", "infinite"}},
      {"KMP_STACKSIZE", sizes},
      {"KMP_LIBRARY", {"serial", "turnaround", "throughput"}},
      {"KMP_AFFINITY",
       {"none", "compact,1,0", "granularity=fine,scatter", "explicit,proclist=[0,{0,1}],verbose", "balanced,reset"}},
      {"KMP_HW_SUBSET", {"1s", "1c,1t", ":*c", "1t@0,1s", "threads"}},
      {"KMP_TEAMS_PROC_BIND", {"spread", "Close", "primary", "master"}},
      {"KMP_ALL_THREADS", counts},
      {"KMP_DEVICE_THREAD_LIMIT", counts},
      {"KMP_TEAMS_THREAD_LIMIT", counts},
      {"KMP_SETTINGS", booleans},
      {"KMP_ENABLE_TASK_THROTTLING", booleans},
      {"KMP_INHERIT_FP_CONTROL", booleans},
      {"KMP_WARNINGS", booleans},
      {"KMP_DUPLICATE_LIB_OK", booleans},
      {"KMP_INIT_AT_FORK", booleans},
      {"KMP_FOREIGN_THREADS_THREADPRIVATE", booleans},
      {"KMP_USE_YIELD", {"0", "1", "2"}},
      {"AMITY_THREADS", {"1", "1024"}},
      {"AMITY_STACKSIZE", sizes},
      {"AMITY_STATS", booleans},
      {"AMITY_STALL", {"true", "FALSE", "abort"}},
      {"AMITY_SCHEDULER", {"static", "priority-local-fifo"}},
      {"AMITY_STEALING", booleans},
      {"AMITY_HIGH_PRIORITY_QUEUES", {"1", "1024"}},
      {"AMITY_COUNTERS", {"all", "/threads/idle-rate", "/threads/count/stolen,/runtime/uptime"}},
      {"AMITY_PROFILE", {"profile.txt", "|/usr/bin/amity"}},
      {"AMITY_TRACE", {"trace.amity", "/a/b"}},
      {"AMITY_TRACE_SIZE", sizes},
      {"AMITY_NODES_MEMORY", {"pages", "shared"}},
      {"AMITY_NODES_REGIONS", {"worth", "always"}},
      {"AMITY_SEGMENT", {"1", "64M", "2G", "100000k"}},
      {"AMITY_COLLECTIVES", {"tuned.txt", "/a/b"}},
      {"AMITY_COLLECTIVE_LINES", {"on", "off"}},
      {"AMITY_DEVICES", {"none", "opencl", "cuda", "opencl:0,cuda:1"}},
      {"AMITY_CACHE", {"none", "/a/b"}},
      {"AMITY_NET", {"ucx", "sockets", "mpi"}},
      {"AMITY_NET_DEVICE", {"eth0", "10.0.0.1"}},
      {"AMITY_NET_RINGS", {"on", "off"}},
      {"AMITY_SERIAL_CALLS", {"on", "off"}},
      {"AMITY_DISTRIBUTED_STEALING", {"off", "random", "round_robin", "lifelines"}},
      {"AMITY_IDENTITY", {"instruction", "system_call", "fixed"}}};
  return all;
}

// A variable for which every text is a value, if it isn't too long.
bool takes_any_text(const std::string& name) {
  return name.starts_with("OMP_TOOL_") || name == "OMP_AFFINITY_FORMAT" || name == "AMITY_COUNTERS" ||
         name == "AMITY_PROFILE" || name == "AMITY_TRACE" || name == "AMITY_SCHEDULER" || name == "AMITY_COLLECTIVES" ||
         name == "AMITY_DEVICES" || name == "AMITY_CACHE" || name == "AMITY_NET_DEVICE";
}

std::string repeated(const std::string& part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

const texts& hostile() {
  static const texts all = {" ",
                            "\t\n",
                            "-1",
                            "+",
                            "-",
                            "0x10",
                            "1e3",
                            "2x",
                            "3.5",
                            ",",
                            ",,",
                            "1,,2",
                            "1,",
                            ":",
                            "{",
                            "}",
                            "{}",
                            "{0",
                            "{0:",
                            "{0},",
                            "{0:999999999:1}",
                            "{0}:1000000000",
                            "{0}:2:99999999999999999999",
                            "{-1}",
                            "!",
                            "!{",
                            "cores(",
                            "cores(-1)",
                            "cores(1",
                            "[",
                            "[]]",
                            "proclist=[",
                            "explicit,proclist=[]",
                            "explicit,proclist=[9999999999]",
                            "monotonic:",
                            "dynamic,-1",
                            "dynamic,",
                            "static,99999999999999999999",
                            "1Z",
                            "18446744073709551615",
                            "18446744073709551616",
                            "9223372036854775807",
                            "9223372036854775808",
                            "-9223372036854775808",
                            "99999999999999999999999T",
                            "17592186044416T",
                            "1TT",
                            "k",
                            "true false",
                            "tru",
                            "trueish",
                            "\xff\xfe\x01",
                            "1\xff",
                            "\xc3",
                            "%s%n%n%n",
                            "%",
                            "%999999999n",
                            "%{",
                            "%{thread_num",
                            "omp_null_allocator",
                            "omp_default_mem_space:",
                            "omp_default_mem_space:alignment=",
                            "omp_default_mem_space:alignment=3",
                            "omp_default_mem_space:pool_size=-1",
                            "spread,",
                            "spread,true",
                            "close,close,",
                            "1 2",
                            "1;2",
                            "$(reboot)",
                            "../../../etc/passwd",
                            repeated("1,", 100'000) + "1",
                            repeated("9", 100'000),
                            repeated(" ", 100'000),
                            repeated("{0},", 30'000) + "{0}",
                            repeated("{8000}:8192:0,", 9'000) + "{0}",
                            repeated("!{0:8192},", 12'000) + "{0}",
                            repeated("spread,", 18'000) + "spread",
                            repeated("omp_default_mem_space:alignment=64,", 3'000),
                            repeated("a", 130'000),
                            repeated("%L", 60'000),
                            repeated("{", 100'000)};
  return all;
}

class damage {
 public:
  explicit damage(unsigned seed) : random_(seed) {}

  std::string to(std::string text) {
    for (int n = 1 + below(3); n > 0; --n) once(text);
    std::erase(text, '\0');  // no value of the environment has one
    return text;
  }
  int below(std::size_t n) { return static_cast<int>(random_() % n); }

 private:
  void once(std::string& text) {
    static const char* const pieces[] = {",",           ":",  "{", "}", "(",    ")",      "[",      "]",    "!",
                                         "=",           "-",  "+", " ", "0",    "1",      "%",      "\xff", "\x01",
                                         "99999999999", "-1", "k", "T", "true", "spread", "0:8192", "%{",   "static"};
    std::size_t const at = static_cast<std::size_t>(below(text.size() + 1));
    switch (below(6)) {
      case 0:
        text.insert(at, pieces[below(std::size(pieces))]);
        break;
      case 1:
        text.erase(at, 1 + static_cast<std::size_t>(below(3)));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << below(8));
        break;
      case 4:
        text = text.substr(0, at) + text;
        break;
      default:
        text += repeated(text.substr(at), below(40));
    }
  }

  std::mt19937 random_;
};

// Reads `text` as the environment would and looks at what must be so whatever it is. True if it is a value.
bool parse_and_check(const setting_row& row, const std::string& text) {
  auto const as_text = [&row](const settings& s) {
    char shown[settings::text_size];
    row.show(s, shown, sizeof shown);
    return std::string(shown);
  };
  settings s;
  std::string const before = as_text(s);
  auto const start = std::chrono::steady_clock::now();
  bool const understood = row.parse(text.c_str(), s);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << row.name;
  std::string const after = as_text(s);
  EXPECT_LT(after.size(), settings::text_size);
  if (!understood) {
    EXPECT_EQ(before, after) << row.name << " changed, and said that it didn't, by '" << text.substr(0, 200) << "'";
    return false;
  }
  // What is shown is in the form of the environment: it is a value, the same one. Long lists are shown cut, and texts
  // with escapes.
  if (after.empty() || after.size() + 1 == settings::text_size || after.find("\\x") != std::string::npos) return true;
  settings again;
  EXPECT_TRUE(row.parse(after.c_str(), again))
      << row.name << " shows '" << after << "', which it does not understand, for '" << text << "'";
  EXPECT_EQ(as_text(again), after) << row.name << " for '" << text << "'";
  return true;
}

unsigned number_from(const char* variable, unsigned otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

// What the parsers say about values that they take in part is no news here.
class settings_fuzz : public testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override { testing::internal::GetCapturedStderr(); }
};

TEST_F(settings_fuzz, every_variable_takes_its_examples) {
  for (const setting_row& row : table()) {
    if (row.parse == nullptr) continue;
    auto const found = examples().find(row.name);
    ASSERT_NE(found, examples().end()) << "no examples for " << row.name;
    for (const std::string& text : found->second)
      EXPECT_TRUE(parse_and_check(row, text)) << row.name << "='" << text << "'";
  }
}

TEST_F(settings_fuzz, no_variable_takes_what_is_no_value_of_any) {
  for (const setting_row& row : table()) {
    if (row.parse == nullptr) continue;
    for (const std::string& text : hostile()) {
      bool const taken = parse_and_check(row, text);
      if (takes_any_text(row.name)) continue;
      EXPECT_FALSE(taken &&
                   (text.size() > 1000 || text[0] == '\xff' || text[0] == ',' || text[0] == '%' || text == " "))
          << row.name << "='" << text.substr(0, 100) << "' was taken";
    }
    std::string const name = row.name;
    if (name != "OMP_TOOL_LIBRARIES" && name != "AMITY_COUNTERS" && name != "AMITY_PROFILE" && name != "AMITY_TRACE" &&
        name != "AMITY_COLLECTIVES" && name != "AMITY_DEVICES" && name != "AMITY_CACHE" && name != "AMITY_NET_DEVICE") {
      EXPECT_FALSE(parse_and_check(row, "")) << row.name << " takes an empty text";
    }
  }
}

TEST_F(settings_fuzz, damaged_values) {
  unsigned const seed = number_from("AMITY_FUZZ_SEED", 20261121);
  unsigned const rounds = number_from("AMITY_FUZZ_ROUNDS", 300);
  SCOPED_TRACE("AMITY_FUZZ_SEED=" + std::to_string(seed));
  damage random(seed);
  int taken = 0, refused = 0;
  for (unsigned round = 0; round < rounds && !HasFailure(); ++round)
    for (const setting_row& row : table()) {
      if (row.parse == nullptr) continue;
      const texts& valid = examples().at(row.name);
      std::string const text = random.to(valid[static_cast<std::size_t>(random.below(valid.size()))]);
      ++(parse_and_check(row, text) ? taken : refused);
    }
  std::printf("seed %u: %d values taken, %d refused\n", seed, taken, refused);
  EXPECT_GT(taken, refused / 100);
  EXPECT_GT(refused, taken / 10);
}

}  // namespace
}  // namespace amity::omp
