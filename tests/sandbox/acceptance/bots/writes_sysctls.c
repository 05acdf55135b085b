/* Row 21: opens every sysctl for writing. */
#include "gtp.h"
#include <ftw.h>

static int tried, opened;

static int try_one(const char *path, const struct stat *found, int kind, struct FTW *place) {
    (void)found, (void)place;
    if (kind == FTW_F) {
        tried++;
        opened += open(path, O_WRONLY) >= 0;
    }
    return 0;
}

int main(void) {
    nftw("/proc/sys", try_one, 16, FTW_PHYS);
    dprintf(2, "tried: %d\nopened: %d\n", tried, opened);
    report("/proc/sys/kernel/core_pattern", open("/proc/sys/kernel/core_pattern", O_WRONLY));
    return play_honestly();
}
