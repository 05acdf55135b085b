/* Row 2: takes 600 MB alone. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove"))
            take(600);
        answer(line);
    }
}
