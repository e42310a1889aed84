/* SPDX-License-Identifier: Apache-2.0 */
/* Opens, drives and closes the server. */
#include "http/http_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http/http_state.h"

#define SWEEP_MS         1000
#define ABSENT_MS        3000  /* between two polls: more than a busy owner needs */
#define CONNECTION_BYTES 16384 /* for the head of a request */
#define TLS_PRIORITIES   "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
#define LISTEN_BACKLOG   1024
#define RUNS_MAX         16
#define TIMES_SLOWER     10 /* is libmicrohttpd, for streams; http_admit_sweep() closes the others */

static uint64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
    return value > 0 ? value : fallback;
}

static void set_limits(struct http_config *config)
{
    config->connections_max = or_default(config->connections_max, 256);
    config->peer_connections_max = or_default(config->peer_connections_max, 64);
    config->streams_max = or_default(config->streams_max, 32);
    config->body_bytes_max = or_default(config->body_bytes_max, 65536);
    config->request_seconds_max = or_default(config->request_seconds_max, 10);
    config->stream_bytes_max = or_default(config->stream_bytes_max, 262144);
}

static int read_address(const struct http_config *config, struct sockaddr_storage *out)
{
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(config->port) };
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(config->port) };
    const char *text = config->address ? config->address : "127.0.0.1";
    struct in6_addr address;

    memset(out, 0, sizeof(*out));
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        memcpy(out, &v4, sizeof(v4));
    else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        memcpy(out, &v6, sizeof(v6));
    else
        return -EINVAL;
    address = http_peers_address((const struct sockaddr *)out);
    return config->tls || http_peers_is_loopback(&address) ? 0 : -EACCES;
}

static int copy_token(struct http_server *server)
{
    const char *token = server->config.token;

    server->has_token = token && token[0];
    if (!server->has_token)
        return 0;
    if (strlen(token) >= sizeof(server->token))
        return -EINVAL;
    memcpy(server->token, token, strlen(token) + 1);
    server->config.token = NULL;
    return 0;
}

/* The end of the list of options, with or without those of TLS. */
static void list_tls(const struct http_tls *tls, struct MHD_OptionItem options[static 5])
{
    unsigned count = 0;

    if (tls) {
        options[count++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_CERT, 0,
            (char *)(size_t)tls->certificate };
        options[count++] =
            (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_KEY, 0, (char *)(size_t)tls->key };
        options[count++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_TRUST, 0,
            (char *)(size_t)tls->authority };
        options[count++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_PRIORITIES, 0,
            (char *)(size_t)TLS_PRIORITIES };
    }
    options[count] = (struct MHD_OptionItem){ MHD_OPTION_END, 0, NULL };
}

static int start_daemon(struct http_server *server)
{
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
    struct sockaddr_storage address;
    struct MHD_OptionItem tls[5];
    int err = read_address(&server->config, &address);

    if (err)
        return err;
    if (server->config.tls)
        flags |= MHD_USE_TLS;
    if (address.ss_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    list_tls(server->config.tls, tls);
    errno = 0;
    server->daemon = MHD_start_daemon(flags, 0, http_admit_peer, server, http_exchange_serve,
        server, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_LISTEN_BACKLOG_SIZE,
        (unsigned)LISTEN_BACKLOG, MHD_OPTION_CONNECTION_LIMIT, server->config.connections_max + 1,
        MHD_OPTION_CONNECTION_TIMEOUT, TIMES_SLOWER * server->config.request_seconds_max,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_STRICT_FOR_CLIENT,
        1, MHD_OPTION_URI_LOG_CALLBACK, http_exchange_begin, server, MHD_OPTION_NOTIFY_COMPLETED,
        http_exchange_end, server, MHD_OPTION_NOTIFY_CONNECTION, http_admit_connection, server,
        MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
    if (server->daemon)
        return 0;
    return errno ? -errno : -EINVAL;
}

int http_server_open(struct http_server **out, const struct http_config *config)
{
    struct http_server *server = calloc(1, sizeof(*server));
    int err;

    *out = NULL;
    if (!server)
        return -ENOMEM;
    server->config = *config;
    server->now_ms = server->swept_ms = clock_ms();
    set_limits(&server->config);
    err = copy_token(server);
    if (err)
        goto free_server;
    err = http_peers_init(&server->peers, server->config.connections_max);
    if (err)
        goto free_server;
    err = start_daemon(server);
    if (err)
        goto fini_peers;
    *out = server;
    return 0;

fini_peers:
    http_peers_fini(&server->peers);
free_server:
    free(server);
    return err;
}

void http_server_close(struct http_server *server)
{
    if (!server)
        return;
    http_stream_end_all(server);
    MHD_run(server->daemon); /* resumed connections are closed only by a daemon that ran again */
    MHD_stop_daemon(server->daemon);
    http_peers_fini(&server->peers);
    free(server->revoked);
    free(server);
}

int http_server_fd(const struct http_server *server)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);

    assert(info);
    return info->epoll_fd;
}

uint16_t http_server_port(const struct http_server *server)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);

    assert(info);
    return info->port;
}

/* The time for which http_server_poll() was not called, because the program was busy or waited, is
 * not that of the clients. */
static void forgive_absence(struct http_server *server, uint64_t absent_ms)
{
    for (struct http_connection *c = server->connections; c; c = c->next)
        c->since_ms += absent_ms;
}

void http_server_poll(struct http_server *server)
{
    uint64_t before_ms = server->now_ms;

    server->now_ms = clock_ms();
    if (server->now_ms - before_ms >= ABSENT_MS)
        forgive_absence(server, server->now_ms - before_ms);
    if (server->now_ms - server->swept_ms >= SWEEP_MS) {
        server->swept_ms = server->now_ms;
        http_admit_sweep(server);
        http_stream_beat(server);
    }
    /* Work that libmicrohttpd has put off does not make its descriptor readable. */
    for (unsigned i = 0; i < RUNS_MAX; i++) {
        MHD_UNSIGNED_LONG_LONG wait_ms;

        MHD_run(server->daemon);
        if (MHD_get_timeout(server->daemon, &wait_ms) != MHD_YES || wait_ms > 0)
            break;
    }
}

const struct http_counts *http_server_counts(const struct http_server *server)
{
    return &server->counts;
}
