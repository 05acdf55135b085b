/* Row 10: sleeps during its turn. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove"))
            sleep(3600);
        answer(line);
    }
}
