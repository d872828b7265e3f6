// What the machine is like at this moment. A virtual machine's cores change their speed and their distance from one
// another as the host moves them about: two hardware threads of one core compute slower together than one alone, and a
// cache line takes 30 to 300 ns there and back. So all this is measured beside every sample.
#pragma once

// About 0.1 us that no compiler removes and no other thread disturbs.
void delay(void);

// A delay, in microseconds, with one thread at work.
double one_alone(void);

// A delay in every thread of a team at the same time; longer with more threads than CPUs.
double one_each(void);

// A cache line's way from the first thread of a team to the second and back, in nanoseconds; 0 where that says nothing:
// one thread, more threads than CPUs, a core that others keep busy.
double round_trip_ns(void);
