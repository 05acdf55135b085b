/* Row 3: six children take 200 MB each; the bot itself takes none, and answers when the first of them has died. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove")) {
            for (int child = 0; child < 6; child++)
                if (fork() == 0) {
                    take(200);
                    sleep_for_ever();
                }
            wait(0);
        }
        answer(line);
    }
}
