/* Row 24: connects to the abstract sockets named in its arguments, at its first turn. */
#include "gtp.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static void try_one(const char *name) {
    struct sockaddr_un address = {AF_UNIX, {0}};
    size_t length = strlen(name);
    memcpy(address.sun_path + 1, name, length);
    report(name, connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address,
                         offsetof(struct sockaddr_un, sun_path) + 1 + length));
}

int main(int count, char **words) {
    char line[LINE];
    int turns = 0;
    while (hear(line)) {
        if (is(line, "genmove") && !turns++)
            for (int number = 1; number < count; number++)
                try_one(words[number]);
        answer(line);
    }
}
