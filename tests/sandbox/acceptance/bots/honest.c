/* Plays honestly, working for the given number of milliseconds per turn. */
#include "gtp.h"

int main(int count, char **words) {
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove") && count > 1)
            burn(atof(words[1]) / 1000);
        answer(line);
    }
}
