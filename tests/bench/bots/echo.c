/* Answers every line with that line, in GTP's format, to measure a round trip without the bot's own work. */
#include <string.h>
#include <unistd.h>

int main(void) {
    static char line[65536 + 8] = "= ";
    for (ssize_t length; (length = read(0, line + 2, 65536)) > 0;) {
        line[length + 2] = '\n';
        if (write(1, line, length + 3) != length + 3)
            return 1;
    }
}
