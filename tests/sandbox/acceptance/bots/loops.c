/* Row 11: loops endlessly. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line)) {
        while (is(line, "genmove"))
            burn(1);
        answer(line);
    }
}
