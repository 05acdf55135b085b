/* Row 12: ignores every signal that it can, and the end of its input, and does not exit when told to. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    while (hear(line) && !is(line, "quit"))
        answer(line);
    sleep_for_ever();
}
