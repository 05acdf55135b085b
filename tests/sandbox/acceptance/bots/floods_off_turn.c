/* Row 7: answers its turn, waits for the given number of milliseconds, and keeps answering. */
#include "gtp.h"

int main(int count, char **words) {
    char line[LINE];
    while (hear(line)) {
        answer(line);
        if (is(line, "genmove")) {
            usleep(count > 1 ? 1000 * atoi(words[1]) : 0);
            for (;;)
                say("e5");
        }
    }
}
