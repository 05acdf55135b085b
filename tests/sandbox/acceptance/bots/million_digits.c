/* Row 33: answers genmove with a row number of a million digits. */
#include "gtp.h"

int main(void) {
    static char digits[1000000];
    char line[LINE];
    memset(digits, '1', sizeof digits);
    while (hear(line))
        if (is(line, "genmove")) {
            write_all("= b", 3);
            write_all(digits, sizeof digits);
            write_all("\n\n", 2);
        } else
            answer(line);
}
