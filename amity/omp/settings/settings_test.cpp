#include "amity/omp/settings/settings.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace amity::omp {
namespace {

using variables = std::vector<std::pair<const char*, const char*>>;

// The environment is read once in a process, so each test looks at it in a child; what that prints on stderr comes
// back.
std::string in_child(const variables& set, const std::function<void()>& look) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (const auto& [name, value] : set) setenv(name, value, 1);
    look();
    fflush(stderr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << text;
  return text;
}

TEST(settings, defaults_are_those_of_libgomp) {
  const std::string text = in_child({}, [] {
    const settings& s = environment();
    EXPECT_EQ(s.num_threads_levels, 0);
    EXPECT_EQ(s.run_schedule.kind, schedule_kind::dynamic);
    EXPECT_EQ(s.run_schedule.chunk, 1);
    EXPECT_EQ(s.max_active_levels, 1);
    EXPECT_FALSE(s.cancellation);
    EXPECT_EQ(s.places.size(), 0u);
  });
  EXPECT_EQ(text, "");
}

TEST(settings, a_bad_value_is_named_with_what_is_allowed_and_what_is_used) {
  const std::string text = in_child({{"OMP_MAX_TASK_PRIORITY", "abc"}, {"OMP_SCHEDULE", "dynamic,-3"}}, [] {
    EXPECT_EQ(environment().max_task_priority, 0);
    EXPECT_EQ(environment().run_schedule.chunk, 1);
  });
  EXPECT_NE(text.find("amity: OMP_MAX_TASK_PRIORITY='abc' is not a whole number, 0 or more; '0' is used\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("amity: OMP_SCHEDULE='dynamic,-3' is not"), std::string::npos) << text;
  EXPECT_NE(text.find("'DYNAMIC' is used"), std::string::npos) << text;
}

TEST(settings, a_later_default_holds_from_then_on) {
  in_child({{"OMP_TARGET_OFFLOAD", "disabled"}}, [] {
    EXPECT_EQ(environment().target_offload, offload::disabled);
    EXPECT_TRUE(change_setting("OMP_TARGET_OFFLOAD", "Mandatory"));
    EXPECT_EQ(environment().target_offload, offload::mandatory);
    EXPECT_FALSE(change_setting("OMP_TARGET_OFFLOAD", "mandatorynot"));
    EXPECT_EQ(environment().target_offload, offload::mandatory);
    EXPECT_FALSE(change_setting("OMP_NO_SUCH_THING", "1"));
  });
}

TEST(settings, a_later_default_that_is_refused_is_warned_of) {
  const std::string text = in_child({}, [] {
    EXPECT_FALSE(change_setting("OMP_DYNAMIC", "maybe"));
    EXPECT_EQ(change_of("OMP_NO_SUCH_THING"), setting_change::unknown);
    EXPECT_EQ(change_of("OMP_PLACES"), setting_change::before_start);
    EXPECT_EQ(change_of("OMP_NUM_THREADS"), setting_change::any_time);
    EXPECT_TRUE(change_setting("OMP_MAX_ACTIVE_LEVELS", "3"));
    EXPECT_EQ(initial_icvs().max_active_levels, 3);
    EXPECT_TRUE(change_setting("OMP_NUM_THREADS", "5,2"));
    EXPECT_EQ(initial_icvs().num_threads, 5);
  });
  EXPECT_NE(text.find("amity: OMP_DYNAMIC='maybe' is not 'true' or 'false'; 'FALSE' is used\n"), std::string::npos)
      << text;
}

TEST(settings, a_schedule_is_known_to_be_given) {
  in_child({{"OMP_SCHEDULE", "nonsense"}}, [] { EXPECT_FALSE(environment().run_schedule_given); });
  in_child({{"OMP_SCHEDULE", "guided,3"}}, [] { EXPECT_TRUE(environment().run_schedule_given); });
}

TEST(settings, task_throttling) {
  in_child({}, [] { EXPECT_TRUE(environment().task_throttling); });
  in_child({{"KMP_ENABLE_TASK_THROTTLING", "0"}}, [] { EXPECT_FALSE(environment().task_throttling); });
}

TEST(settings, lists_open_nesting) {
  in_child({{"OMP_NUM_THREADS", "4, 3,2"}}, [] {
    const settings& s = environment();
    EXPECT_EQ(s.num_threads_levels, 3);
    EXPECT_EQ(num_threads_at(s, 0, 9), 4);
    EXPECT_EQ(num_threads_at(s, 2, 9), 2);
    EXPECT_EQ(num_threads_at(s, 7, 9), 2);
    EXPECT_EQ(s.max_active_levels, settings::most_active_levels);
  });
}

TEST(settings, the_more_specific_stack_size_counts) {
  in_child({{"OMP_STACKSIZE", "2M"}, {"GOMP_STACKSIZE", "64"}, {"KMP_STACKSIZE", "4M"}},
           [] { EXPECT_EQ(environment().stack_size, 2u << 20); });
  in_child({{"AMITY_STACKSIZE", "512"}, {"OMP_STACKSIZE", "2M"}},
           [] { EXPECT_EQ(environment().stack_size, 512u << 10); });
}

TEST(settings, wait_policy_spin_count_and_block_time) {
  in_child({{"OMP_WAIT_POLICY", "PASSIVE"}}, [] { EXPECT_EQ(environment().spin.most, 0u); });
  in_child({{"OMP_WAIT_POLICY", "active"}}, [] { EXPECT_GE(environment().spin.least, 1'000'000u); });
  in_child({{"KMP_BLOCKTIME", "7"}}, [] { EXPECT_EQ(environment().spin.most, 7000u); });
  in_child({{"KMP_BLOCKTIME", "7us"}}, [] { EXPECT_EQ(environment().spin.most, 7u); });
  in_child({{"OMP_WAIT_POLICY", "active"}, {"GOMP_SPINCOUNT", "0"}}, [] { EXPECT_EQ(environment().spin.most, 0u); });
}

TEST(settings, unsupported_names_are_said_once_and_can_be_silenced) {
  const auto look = [] { EXPECT_EQ(&environment(), &environment()); };
  const std::string text = in_child({{"KMP_TASKING", "1"}, {"KMP_DUPLICATE_LIB_OK", "TRUE"}}, look);
  EXPECT_EQ(
      text,
      "amity: KMP_TASKING is set, but Amity does not support it: it has no effect (KMP_WARNINGS=0 silences this)\n");
  EXPECT_EQ(in_child({{"KMP_TASKING", "1"}, {"KMP_WARNINGS", "0"}}, look), "");
}

TEST(settings, binding_without_places_takes_every_cpu) {
  in_child({{"OMP_PROC_BIND", "spread"}}, [] {
    EXPECT_EQ(environment().bind[0], proc_bind::spread);
    EXPECT_EQ(static_cast<int>(environment().places.size()), sys::cpu_mask::of_calling_thread().count());
  });
}

TEST(settings, display_env_prints_the_standard_s_form) {
  const std::string text = in_child({{"OMP_SCHEDULE", "guided,7"}}, [] { display_environment(stderr, false); });
  EXPECT_NE(text.find("OPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  OMP_SCHEDULE = 'GUIDED,7'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("OPENMP DISPLAY ENVIRONMENT END\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("GOMP_SPINCOUNT"), std::string::npos);
}

TEST(settings, a_subset_of_the_machine_is_what_places_are_made_of) {
  in_child({{"KMP_HW_SUBSET", "1s,1c,1t"}, {"OMP_PLACES", "threads"}}, [] {
    ASSERT_EQ(environment().places.size(), 1u);
    EXPECT_EQ(environment().places[0].count(), 1);
    apply_settings();
    EXPECT_EQ(sys::cpu_mask::of_calling_thread().count(), 1);
  });
  const std::string text = in_child({{"KMP_HW_SUBSET", "4000s"}}, [] { EXPECT_TRUE(environment().hw_subset.empty()); });
  EXPECT_NE(text.find("KMP_HW_SUBSET='4000s' is not"), std::string::npos) << text;
}

TEST(settings, the_table_names_the_source) {
  in_child({{"OMP_DYNAMIC", "true"}, {"OMP_STACKSIZE", "1M"}, {"GOMP_STACKSIZE", "1M"}, {"OMP_NESTED", "perhaps"}}, [] {
    visit_settings(
        [](const setting_view& row, void*) {
          const std::string name = row.name;
          if (name == "OMP_DYNAMIC") {
            EXPECT_EQ(row.source, setting_source::environment);
          }
          if (name == "OMP_NESTED") {
            EXPECT_EQ(row.source, setting_source::refused);
          }
          if (name == "OMP_SCHEDULE") {
            EXPECT_EQ(row.source, setting_source::default_);
          }
          if (name == "GOMP_STACKSIZE") {
            EXPECT_EQ(row.source, setting_source::overridden);
            EXPECT_STREQ(row.why, "OMP_STACKSIZE");
          }
        },
        nullptr);
  });
}

std::string printed(bool verbose, const variables& set) {
  return in_child(set, [verbose] { print_settings(stderr, verbose); });
}

TEST(settings, a_short_list_has_what_is_set_or_works) {
  const std::string text = printed(false, {{"OMP_DYNAMIC", "true"}, {"KMP_WARNINGS", "0"}, {"KMP_TASKING", "1"}});
  for (const char* name : {"OMP_DYNAMIC", "OMP_NUM_THREADS", "AMITY_THREADS", "KMP_TASKING"})
    EXPECT_NE(text.find(std::string("  ") + name + " "), std::string::npos) << name << '\n' << text;
  for (const char* name : {"KMP_LOCK_KIND", "GOMP_DEBUG", "KMP_INIT_AT_FORK"})
    EXPECT_EQ(text.find(std::string("  ") + name + " "), std::string::npos) << name << '\n' << text;
  EXPECT_NE(text.find("that are known and have no effect here: amity info -v\n"), std::string::npos) << text;
  const std::string all = printed(true, {});
  for (const char* name : {"KMP_LOCK_KIND", "GOMP_DEBUG", "KMP_INIT_AT_FORK", "OMP_NUM_THREADS"})
    EXPECT_NE(all.find(std::string("  ") + name + " "), std::string::npos) << name << '\n' << all;
}

TEST(settings, columns_are_aligned) {
  for (const bool verbose : {false, true}) {
    std::istringstream lines(printed(verbose, {}));
    std::size_t column = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("      ") || line.starts_with("  and ")) continue;
      const std::size_t at = line.rfind("  default");
      ASSERT_NE(at, std::string::npos) << line;
      if (column == 0) column = at;
      EXPECT_EQ(at, column) << line;
    }
  }
}

// OMP_*_ALL counts where the variable itself does not say anything.
TEST(settings, variables_for_all_devices) {
  in_child({{"OMP_NUM_THREADS_ALL", "5"}, {"OMP_STACKSIZE_ALL", "2M"}, {"OMP_SCHEDULE_ALL", "guided,7"}}, [] {
    EXPECT_EQ(environment().num_threads[0], 5);
    EXPECT_EQ(environment().stack_size, 2u << 20);
    EXPECT_EQ(environment().run_schedule.chunk, 7);
    visit_settings(
        [](const setting_view& row, void*) {
          if (std::string(row.name) == "OMP_NUM_THREADS") {
            EXPECT_EQ(row.source, setting_source::environment);
            EXPECT_STREQ(row.why, "OMP_NUM_THREADS_ALL");
          }
        },
        nullptr);
  });
  in_child({{"OMP_NUM_THREADS_ALL", "5"}, {"OMP_NUM_THREADS", "3"}, {"OMP_THREAD_LIMIT_ALL", "9"}}, [] {
    EXPECT_EQ(environment().num_threads[0], 3);
    EXPECT_EQ(environment().thread_limit, 9);
  });
  std::string const text = in_child({{"OMP_DYNAMIC_ALL", "perhaps"}}, [] { EXPECT_FALSE(environment().dynamic); });
  EXPECT_NE(text.find("OMP_DYNAMIC_ALL='perhaps' is not"), std::string::npos) << text;
}

TEST(settings, mandatory_offload_without_a_device_leaves_none_by_default) {
  in_child({{"OMP_TARGET_OFFLOAD", "mandatory"}},
           [] { EXPECT_EQ(environment().default_device, device_number::invalid); });
  in_child({{"OMP_TARGET_OFFLOAD", "mandatory"}, {"OMP_DEFAULT_DEVICE", "0"}},
           [] { EXPECT_EQ(environment().default_device, 0); });
}

// Whatever stands there: a word of warning at most, never a crash.
TEST(settings, hostile_values_harm_nobody) {
  const std::string long_list = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "1,";
    return text + "1";
  }();
  const char* const values[] = {"",
                                " ",
                                "-1",
                                "99999999999999999999",
                                "\xff\xfe\x01",
                                "{",
                                "{0:",
                                "!",
                                "{0}:1000000000",
                                ",",
                                "0x10",
                                "%s%n",
                                "[",
                                "monotonic:",
                                "[]]",
                                "{0:8192:8192}:8192:8192",
                                long_list.c_str()};
  for (const char* value : values) {
    variables all;
    visit_settings(
        [](const setting_view& row, void* into) { static_cast<variables*>(into)->emplace_back(row.name, nullptr); },
        &all);
    for (auto& one : all) one.second = value;
    in_child(all, [] {
      apply_settings();
      EXPECT_GE(environment().max_active_levels, 0);
    });
  }
}

}  // namespace
}  // namespace amity::omp
