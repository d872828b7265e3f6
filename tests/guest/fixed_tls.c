// A library whose code has the offsets of its thread-local variables fixed, as mallocs of other makers have theirs, and
// more of them than the loader keeps for libraries that come late.
#include <string.h>

static __thread char fixed[6000] __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void use(void) { memset(fixed, 1, sizeof fixed); }
