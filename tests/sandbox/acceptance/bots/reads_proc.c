/* Row 20: copies what /proc shows about process 1, itself and its mounts. */
#include "gtp.h"

static void copy(const char *path) {
    char block[LINE];
    int file = open(path, O_RDONLY);
    report(path, file);
    for (ssize_t length; file >= 0 && (length = read(file, block, sizeof block)) > 0;)
        write(2, block, length);
    write(2, "\n", 1);
}

int main(void) {
    copy("/proc/1/environ");
    copy("/proc/1/cmdline");
    copy("/proc/self/environ");
    copy("/proc/self/mountinfo");
    return play_honestly();
}
