/* Awkward: ends its lines with CRLF. */
#include "gtp.h"

static void with_returns(const char *text, size_t length) {
    for (; length > 0; length--, text++) {
        if (*text == '\n')
            write_all("\r", 1);
        write_all(text, 1);
    }
}

int main(void) {
    emit = with_returns;
    return play_honestly();
}
