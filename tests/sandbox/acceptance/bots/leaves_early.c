/* Awkward: exits after the given number of turns. */
#include "gtp.h"

int main(int count, char **words) {
    char line[LINE];
    int left = count > 1 ? atoi(words[1]) : 1;
    while (hear(line)) {
        answer(line);
        if (is(line, "genmove") && --left == 0)
            return 0;
    }
}
