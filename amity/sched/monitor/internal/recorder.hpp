#pragma once

/// A record of what the monitor saw and concluded, one line for each step, for tests that replay it (replay_test.cpp):
///
///     AMITY_TEST_MONITOR_TRACE=spins_near.trace amity run ./program
///
/// | line | a call |
/// |---|---|
/// | `c CARRIER EVENTS CPU_NS ENOUGH_NS VERDICT` | stuck_watch::look |
/// | `e GROUP EVENTS NOW_US HELPED_UNTIL_US FINDING` | spin_evidence::look |
/// | `r GROUP EVENTS` | spin_evidence::restart |
/// | `k GROUP CARRIER CPU_NS ENOUGH_NS PASSED WAITS STUCK_BY` | what_keeps; WAITS: -1 not asked, else the answer |
/// | `s GROUP NOW_US SENT` | spin_evidence::note_rescue |
/// | `w GROUP FINDING` | spin_evidence::note_wait |
/// | `b NOW_US`, `x SENT_RUN NOW_US` | starvation_judge::begin, end |
/// | `t CORES COMPUTING RAN_US BLOCKED SENT_RUN SENT_GOT_ON OTHERS_GOT_ON NOW_US EXTRA SEND` | starvation_judge::look |
///
/// CARRIER and GROUP are addresses. Nothing is recorded, at the cost of a load, where the variable is not set.

namespace amity::sched::recorder {

extern bool is_on;

/// When the monitor begins.
void begin() noexcept;
/// A line, as printf.
[[gnu::format(printf, 1, 2)]] void write(const char* format, ...) noexcept;

}  // namespace amity::sched::recorder
