/* An opponent that offers an abstract socket and shared memory to any process that can find them. */
#include "gtp.h"
#include <sys/socket.h>
#include <sys/un.h>

int main(void) {
    struct sockaddr_un name = {AF_UNIX, "\0rival"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    report("bind", bind(listener, (struct sockaddr *)&name, sizeof(sa_family_t) + sizeof "\0rival" - 1));
    report("listen", listen(listener, 8));
    report("shm", shm_open("/rival", O_CREAT | O_RDWR, 0666));
    return play_honestly();
}
