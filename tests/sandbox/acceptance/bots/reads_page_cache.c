/* Row 39: finds out which pages of /usr another game has read, and evicts them from memory. */
#include "gtp.h"
#include <sys/syscall.h>
#include <sys/uio.h>

int main(void) {
    char line[LINE], byte;
    struct iovec one = {&byte, 1};
    unsigned char pages[1];
    int shared = open("/usr/bin/env", O_RDONLY), turns = 0;
    void *mapped = mmap(0, 4096, PROT_READ, MAP_SHARED, shared, 0);
    while (hear(line)) {
        if (is(line, "genmove") && !turns++) {
            report("fadvise", syscall(SYS_fadvise64, shared, 0, 0, POSIX_FADV_DONTNEED));
            report("RWF_NOWAIT", syscall(SYS_preadv2, shared, &one, 1, 0, 0, RWF_NOWAIT));
            report("mincore", mincore(mapped, 4096, pages));
            report("cachestat", syscall(451, shared, 0, 0, 0));
        }
        answer(line);
    }
}
