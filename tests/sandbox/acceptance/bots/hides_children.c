/* Row 14: ignores SIGCHLD, so that wait4 never reports its child's usage: half a second at the first turn. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    int turns = 0;
    signal(SIGCHLD, SIG_IGN);
    while (hear(line)) {
        if (is(line, "genmove") && !turns++) {
            if (fork() == 0) {
                burn(0.5);
                _exit(0);
            }
            wait(0);
        }
        answer(line);
    }
}
