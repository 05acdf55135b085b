/* An honest opponent that waits half a second at every turn. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove"))
            usleep(500000);
        answer(line);
    }
}
