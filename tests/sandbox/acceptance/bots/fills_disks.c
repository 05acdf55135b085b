/* Row 5: fills every directory that may be writable. */
#include "gtp.h"

static void fill(const char *directory) {
    static char block[MB];
    char path[LINE];
    for (int number = 0; number < 200; number++) {
        snprintf(path, sizeof path, "%s/hoard%d", directory, number);
        int file = open(path, O_CREAT | O_WRONLY, 0600);
        if (file < 0 || write(file, block, sizeof block) < (ssize_t)sizeof block && write(file, block, 1) < 0) {
            report(directory, -1);
            return;
        }
        close(file);
    }
    report(directory, 0);
}

int main(void) {
    fill("/tmp");
    fill("/dev/shm");
    fill("/");
    fill("/dev");
    fill("/bot");
    return play_honestly();
}
