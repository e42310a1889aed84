/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a client of a controller, over a socket: the whole way from libmicrohttpd to the store.
 * Whatever they are, what comes back is HTTP, the denylist stays within the limit, and the
 * connection leaves nothing behind. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ctl_served.h"
#include "dashboard/dashboard.h"
#include "must.h"

enum { LIMIT_PPM = 600000, TURNS_MAX = 200, TURNS_WITHOUT_NEWS = 3 };

static int reach(const struct http_server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
        .sin_port = htons(http_server_port(server)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct linger at_once = { .l_onoff = 1 }; /* no port is left waiting */
    int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    MUST(sock >= 0);
    MUST(setsockopt(sock, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) == 0);
    MUST(connect(sock, (struct sockaddr *)&address, sizeof(address)) == 0);
    return sock;
}

/* Returns the number of bytes that came. */
static size_t hear(int sock, char *first, size_t heard)
{
    char bytes[65536];
    ssize_t count;
    size_t total = 0;

    while ((count = recv(sock, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
        for (ssize_t i = 0; i < count && heard + total + (size_t)i < 7; i++)
            first[heard + total + (size_t)i] = bytes[i];
        total += (size_t)count;
    }
    return total;
}

static void talk(struct http_server *server, int sock, const uint8_t *data, size_t length_bytes)
{
    char first[8] = "";
    size_t sent = 0, heard = 0;
    unsigned idle = 0;

    for (unsigned turn = 0; turn < TURNS_MAX && idle < TURNS_WITHOUT_NEWS; turn++) {
        ssize_t bytes = send(sock, data + sent, length_bytes - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        size_t more;

        sent += bytes > 0 ? (size_t)bytes : 0;
        http_server_poll(server);
        more = hear(sock, first, heard);
        heard += more;
        idle = more || bytes > 0 ? 0 : idle + 1;
    }
    MUST(heard < 7 || strncmp(first, "HTTP/1.", 7) == 0);
}

/* A stream notices only when it sends that its reader is gone, and a busy machine may be slow to
 * tell it. */
static void forget_client(struct http_server *server)
{
    for (unsigned i = 0; i < 1000 && http_server_counts(server)->connections > 0; i++) {
        if (i >= 4)
            usleep(1000);
        http_server_tell(server, CTL_CHANNEL, "beat", "{}");
        http_server_tell(server, DASHBOARD_CHANNEL, "beat", "{}");
        http_server_poll(server);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    static struct ctl_served served;
    static bool is_open;
    struct ctl_controller *controller = &served.bench.controller;
    json_t *rows;
    int sock;

    if (!is_open)
        is_open = ctl_served_open(&served, LIMIT_PPM);
    MUST(is_open);
    sock = reach(controller->operators);
    talk(controller->operators, sock, data, length_bytes);
    close(sock);
    forget_client(controller->operators);
    MUST(http_server_counts(controller->operators)->connections <= 1);
    ctl_controller_tick(controller, controller->now_ms + 300);
    MUST(ctl_denylist_share(&controller->denylist, NULL).ppm >= LIMIT_PPM);
    rows = ctl_store_denylist(served.bench.store);
    MUST(json_array_size(rows) == controller->denylist.count);
    json_decref(rows);
    return 0;
}
