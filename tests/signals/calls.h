#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct call {
  const char* name;
  int (*wait)(void);    // 1: it came to what it should, 0: it did not, -1: this system has no such thing
  int has_thread_mask;  // it sets the signal mask of its OS thread, and counts on being on no other one
};
extern struct call const calls[];  // up to one without a name

// Makes the call: 1 if it lasts as long as it should and comes to what it should; else says what was wrong.
int call_lasts(int number);

#ifdef __cplusplus
}
#endif
