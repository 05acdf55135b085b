/* Row 10: reads everything, but never answers genmove. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line))
        if (!is(line, "genmove"))
            answer(line);
}
