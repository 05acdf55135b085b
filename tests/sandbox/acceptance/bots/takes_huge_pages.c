/* Row 42: takes memory that no limit counts, and triggers a core dump into the host's dump program, if it has one. */
#include "gtp.h"
#include <sys/resource.h>
#include <sys/shm.h>

int main(void) {
    static const struct rlimit none = {0, 0};
    char line[LINE];
    int turns = 0;
    while (hear(line)) {
        if (is(line, "genmove") && !turns++) {
            report("memfd", memfd_create("huge", MFD_HUGETLB));
            report("shmget", shmget(IPC_PRIVATE, 2 * MB, SHM_HUGETLB | 0600));
            report("mmap", (long)mmap(0, 2 * MB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0));
            report("core", setrlimit(RLIMIT_CORE, &none));
        }
        answer(line);
    }
}
