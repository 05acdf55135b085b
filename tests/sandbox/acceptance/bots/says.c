/* Row 33: answers genmove with the bytes given in hexadecimal. */
#include "gtp.h"

int main(int count, char **words) {
    static char text[LINE];
    char line[LINE];
    unsigned byte;
    size_t length = 0;
    for (char *at = count > 1 ? words[1] : ""; sscanf(at, "%2x", &byte) == 1; at += 2)
        text[length++] = byte;
    while (hear(line))
        if (is(line, "genmove")) {
            write_all("= ", 2);
            write_all(text, length);
            write_all("\n\n", 2);
        } else
            answer(line);
}
