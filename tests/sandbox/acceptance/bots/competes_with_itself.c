/* Row 46: waits for the CPU behind chains of its own processes, each of which ends at once after starting the next. */
#include "gtp.h"
#include <time.h>

static void chain(void) {
    for (;;) {
        struct timespec begun, now;
        clock_gettime(CLOCK_MONOTONIC, &begun);
        do
            clock_gettime(CLOCK_MONOTONIC, &now);
        while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < 5);
        pid_t next;
        while ((next = fork()) < 0)
            usleep(1000);
        if (next > 0)
            _exit(0);
    }
}

int main(void) {
    char line[LINE];
    signal(SIGCHLD, SIG_IGN);
    while (hear(line)) {
        if (is(line, "genmove")) {
            for (int links = 0; links < 8; links++)
                if (fork() == 0)
                    chain();
            for (;;)
                burn(1);
        }
        answer(line);
    }
}
