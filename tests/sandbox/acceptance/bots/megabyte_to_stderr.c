/* Awkward: writes 1 MB to stderr. */
#include "gtp.h"

int main(void) {
    static char row[1024];
    char line[LINE];
    int turns = 0;
    memset(row, '.', sizeof row);
    while (hear(line)) {
        for (int kilobyte = 0; kilobyte < 1024 && turns == 0 && is(line, "genmove"); kilobyte++)
            write(2, row, sizeof row);
        turns += is(line, "genmove");
        answer(line);
    }
}
