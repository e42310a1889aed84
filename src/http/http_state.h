/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a server that its files share. */
#pragma once

#include <netinet/in.h>

#include <microhttpd.h>

#include "http/http_peers.h"
#include "http/http_server.h"

#define HTTP_TOKEN_BYTES  256
#define HTTP_SERIAL_BYTES 64 /* of a certificate, as hexadecimal digits */

struct http_stream;

/* A connection, from accept to close. */
struct http_connection {
    struct http_connection *next;
    struct http_connection *previous;
    struct http_server *server;
    struct MHD_Connection *mhd;
    int sock;
    struct in6_addr peer;
    uint64_t since_ms; /* when the current request or wait for one began */
    bool is_served;    /* has completed a request since it was opened */
    bool is_stream;
    bool is_ended;                  /* shut down by us; the close is counted already */
    bool is_trusted;                /* its certificate is ours and not revoked */
    char name[HTTP_PEER_BYTES];     /* in its certificate */
    char serial[HTTP_SERIAL_BYTES]; /* of its certificate */
};

struct http_server {
    struct http_config config;
    char token[HTTP_TOKEN_BYTES];
    bool has_token;
    struct MHD_Daemon *daemon;
    struct http_connection *connections;
    struct http_peers peers;
    struct http_stream *streams;
    char *revoked; /* as http_server_revoke() takes it; NULL: none */
    struct http_counts counts;
    uint64_t now_ms;
    uint64_t swept_ms; /* when slow connections were last looked for */
};

/* ---- http_admit.c: which connections and which requests are let in ---- */

enum MHD_Result http_admit_peer(
    void *context, const struct sockaddr *address, socklen_t address_bytes);
void http_admit_connection(void *context, struct MHD_Connection *, void **socket_context,
    enum MHD_ConnectionNotificationCode);
/* Closes the connections whose time is up. */
void http_admit_sweep(struct http_server *);
/* Returns HTTP_REFUSAL_COUNT if the request may be answered. */
enum http_refusal http_admit_request(
    const struct http_server *, struct MHD_Connection *, enum http_method);

/* ---- http_exchange.c: one request and its answer ---- */

void *http_exchange_begin(void *context, const char *target, struct MHD_Connection *);
enum MHD_Result http_exchange_serve(void *context, struct MHD_Connection *, const char *url,
    const char *method, const char *version, const char *data, size_t *data_bytes,
    void **exchange_of);
void http_exchange_end(
    void *context, struct MHD_Connection *, void **exchange_of, enum MHD_RequestTerminationCode);

/* ---- http_stream.c ---- */

/* Queues the head of the answer. The stream begins with the text, which it takes. */
enum MHD_Result http_stream_begin(
    struct http_server *, struct MHD_Connection *, uint32_t channel, char *text, size_t bytes);
/* Keeps streams from looking idle, and notices readers that are gone. */
void http_stream_beat(struct http_server *);
void http_stream_end_all(struct http_server *);
/* Those whose connection is no longer trusted. */
void http_stream_end_revoked(struct http_server *);

/* ---- http_tls.c ---- */

/* Makes the handshake fail unless the client has a certificate that our authority made for clients.
 * Then the connection is trusted, and has the name and the serial number of the certificate. */
void http_tls_demand(struct http_connection *);

/* Returns the connection of MHD's. */
struct http_connection *http_connection_of(struct MHD_Connection *);
/* Closes a connection for a reason, which is counted. */
void http_connection_end(struct http_connection *, enum http_refusal);
