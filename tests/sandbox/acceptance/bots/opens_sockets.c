/* Row 23: opens sockets of every family that could reach the network. */
#include "gtp.h"
#include <sys/socket.h>

int main(void) {
    report("TCP", socket(AF_INET, SOCK_STREAM, 0));
    report("UDP", socket(AF_INET, SOCK_DGRAM, 0));
    report("IPv6", socket(AF_INET6, SOCK_STREAM, 0));
    report("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    report("packet", socket(AF_PACKET, SOCK_RAW, 0));
    report("VSOCK", socket(AF_VSOCK, SOCK_STREAM, 0));
    return play_honestly();
}
