// What the work takes without any construct, at this moment. A virtual machine's cores change their speed as the host
// moves them about, and two hardware threads of one core compute slower together than one alone. So this is measured
// beside every sample.
#pragma once

// About 0.1 us that no compiler removes and no other thread disturbs.
void delay(void);

// A delay, in microseconds, with one thread at work.
double one_alone(void);

// A delay in every thread of a team at the same time; longer with more threads than CPUs.
double one_each(void);
