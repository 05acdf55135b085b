/* Row 15: thinks while the other side is to move, and only then. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    pid_t thinker = 0;
    while (hear(line)) {
        if (thinker) {
            kill(thinker, SIGKILL);
            waitpid(thinker, 0, 0);
            thinker = 0;
        }
        if (is(line, "genmove") && (thinker = fork()) == 0)
            for (;;)
                burn(1);
        answer(line);
    }
}
