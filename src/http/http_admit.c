/* SPDX-License-Identifier: Apache-2.0 */
/* Lets connections and requests in, or refuses and counts them. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <gnutls/gnutls.h>

#include "http/http_state.h"

struct http_connection *http_connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

enum MHD_Result http_admit_peer(
    void *context, const struct sockaddr *address, socklen_t address_bytes)
{
    struct http_server *server = context;
    struct in6_addr peer = http_peers_address(address);

    (void)address_bytes;
    if (server->counts.connections >= server->config.connections_max) {
        server->counts.refused[HTTP_REFUSED_CONNECTIONS]++;
        return MHD_NO;
    }
    if (http_peers_count(&server->peers, &peer) >= server->config.peer_connections_max) {
        server->counts.refused[HTTP_REFUSED_PEER_CONNECTIONS]++;
        return MHD_NO;
    }
    return MHD_YES;
}

void http_connection_end(struct http_connection *connection, enum http_refusal refusal)
{
    connection->server->counts.refused[refusal]++;
    connection->is_ended = true;
    shutdown(connection->sock, SHUT_RDWR);
}

static struct http_connection *connection_new(
    struct http_server *server, struct MHD_Connection *mhd)
{
    struct http_connection *connection = calloc(1, sizeof(*connection));
    const union MHD_ConnectionInfo *sock =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *address =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

    if (!connection)
        return NULL;
    connection->server = server;
    connection->mhd = mhd;
    connection->sock = sock->connect_fd;
    connection->peer = http_peers_address(address->client_addr);
    connection->since_ms = server->now_ms;
    return connection;
}

static void connection_link(struct http_server *server, struct http_connection *connection)
{
    connection->next = server->connections;
    if (connection->next)
        connection->next->previous = connection;
    server->connections = connection;
    http_peers_add(&server->peers, &connection->peer);
    server->counts.connections++;
    server->counts.connected++;
}

static void connection_unlink(struct http_server *server, struct http_connection *connection)
{
    if (connection->next)
        connection->next->previous = connection->previous;
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        server->connections = connection->next;
    http_peers_remove(&server->peers, &connection->peer);
    server->counts.connections--;
}

/* Of a connection that has ended without a request. */
static enum http_refusal reason_of_close(const struct http_connection *connection)
{
    return connection->server->config.tls && !connection->is_trusted ? HTTP_REFUSED_CERTIFICATE
                                                                     : HTTP_REFUSED_NO_REQUEST;
}

void http_admit_connection(void *context, struct MHD_Connection *mhd, void **socket_context,
    enum MHD_ConnectionNotificationCode code)
{
    struct http_server *server = context;
    struct http_connection *connection = *socket_context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = connection = connection_new(server, mhd);
        if (connection)
            connection_link(server, connection);
        if (connection && server->config.tls)
            http_tls_demand(connection);
        return;
    }
    if (!connection)
        return;
    if (!connection->is_served && !connection->is_ended)
        server->counts.refused[reason_of_close(connection)]++;
    connection_unlink(server, connection);
    free(connection);
}

/* The limit is on the whole request: a client that sends a byte now and then has no more time.
 * libmicrohttpd would count the time in which it was not polled, too. */
void http_admit_sweep(struct http_server *server)
{
    uint64_t limit_ms = server->config.request_seconds_max * UINT64_C(1000);

    for (struct http_connection *c = server->connections; c; c = c->next) {
        if (c->is_stream || c->is_ended || server->now_ms - c->since_ms <= limit_ms)
            continue;
        /* A kept-alive connection between two requests is closed without being counted. */
        if (!c->is_served)
            server->counts.refused[HTTP_REFUSED_SLOW]++;
        c->is_ended = true;
        shutdown(c->sock, SHUT_RDWR);
    }
}

static const char *header_of(struct MHD_Connection *mhd, const char *name)
{
    return MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name);
}

/* A page of another site cannot make the browser of an operator ask this server under the other
 * site's name. */
static bool is_own_host(const char *host)
{
    static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

    for (size_t i = 0; host && i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i]);

        if (strncasecmp(host, names[i], length) == 0 &&
            (host[length] == '\0' || host[length] == ':'))
            return true;
    }
    return false;
}

/* Takes the same time for every wrong token of the same length. */
static bool is_token(const struct http_server *server, const char *given)
{
    size_t length = strlen(server->token);

    return strlen(given) == length && gnutls_memcmp(given, server->token, length) == 0;
}

static enum http_refusal check_token(const struct http_server *server, const char *authorization)
{
    static const char scheme[] = "Bearer ";

    if (!authorization || strncasecmp(authorization, scheme, strlen(scheme)) != 0)
        return HTTP_REFUSED_TOKEN_MISSING;
    if (!server->has_token || !is_token(server, authorization + strlen(scheme)))
        return HTTP_REFUSED_TOKEN_WRONG;
    return HTTP_REFUSAL_COUNT;
}

enum http_refusal http_admit_request(
    const struct http_server *server, struct MHD_Connection *mhd, enum http_method method)
{
    const struct http_connection *connection = http_connection_of(mhd);

    if (server->config.tls)
        return connection && connection->is_trusted ? HTTP_REFUSAL_COUNT : HTTP_REFUSED_CERTIFICATE;
    if (!is_own_host(header_of(mhd, "Host")))
        return HTTP_REFUSED_HOST;
    return method == HTTP_GET ? HTTP_REFUSAL_COUNT
                              : check_token(server, header_of(mhd, "Authorization"));
}
