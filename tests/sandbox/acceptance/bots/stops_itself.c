/* Row 16: stops itself. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove"))
            raise(SIGSTOP);
        answer(line);
    }
}
