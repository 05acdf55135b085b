/* Row 7: sends its turn before it is asked. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    while (hear(line))
        if (is(line, "clear_board"))
            write_all("=\n\n= b1\n\n", 9);
        else
            answer(line);
}
