/* Row 29: un-pins its CPU, raises its limits, makes itself the last to be killed for memory, lowers the
 * priority of its session, to look starved, and then takes too much. */
#include "gtp.h"
#include <sched.h>
#include <sys/resource.h>

static long raise_limit(int resource) {
    struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(resource, &most);
}

int main(void) {
    char line[LINE];
    cpu_set_t all;
    memset(&all, 255, sizeof all);
    report("affinity", sched_setaffinity(0, sizeof all, &all));
    report("nproc", raise_limit(RLIMIT_NPROC));
    report("fsize", raise_limit(RLIMIT_FSIZE));
    report("memlock", raise_limit(RLIMIT_MEMLOCK));
    report("priority", setpriority(PRIO_PROCESS, 0, -20));
    report("oom_score_adj", open("/proc/self/oom_score_adj", O_WRONLY));
    report("autogroup", open("/proc/self/autogroup", O_WRONLY));
    while (hear(line)) {
        if (is(line, "genmove"))
            take(600);
        answer(line);
    }
}
