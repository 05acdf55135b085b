/* Row 17: closes stdout and lives on. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove")) {
            close(1);
            sleep_for_ever();
        }
        answer(line);
    }
}
