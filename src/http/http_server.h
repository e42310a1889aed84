/* SPDX-License-Identifier: Apache-2.0 */
/* An HTTP server on libmicrohttpd without a thread of its own: its owner calls http_server_poll()
 * when http_server_fd() is readable, and at least every second. Handlers run inside that call.
 *
 * Without TLS, the server listens on a loopback address only. GET needs no token there; everything
 * else needs the header "Authorization: Bearer TOKEN". With TLS, each client needs a certificate of
 * the given authority, made for clients, which is checked before its first byte is read, and no
 * token. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/http_answer.h"
#include "http/http_target.h"

enum http_refusal {
#define HTTP_REFUSAL(ID, name, status, help) HTTP_REFUSED_##ID,
#include "http/http_refusals.def"
    HTTP_REFUSAL_COUNT,
};

enum http_method {
    HTTP_GET, /* and HEAD */
    HTTP_POST,
    HTTP_PUT,
    HTTP_DELETE,
    HTTP_METHOD_COUNT,
};

#define HTTP_PEER_BYTES 64

/* A request, lent to its handler. */
struct http_request {
    enum http_method method;
    struct http_target target;
    const char *body; /* ends with a zero that body_bytes does not count */
    size_t body_bytes;
    char peer[HTTP_PEER_BYTES]; /* the name in the certificate of the client; empty without TLS */
};

struct http_route {
    enum http_method method;
    const char *pattern; /* as http_target_matches() takes it; NULL ends the table */
    void (*answer)(void *context, const struct http_request *, struct http_answer *);
    /* Above 0: the answer is the beginning of a stream of server-sent events. It stays open, and
     * http_server_tell() to this channel appends to it. */
    uint32_t channel;
};

/* The texts of PEM files. */
struct http_tls {
    const char *certificate;
    const char *key;
    const char *authority; /* whose certificates clients must have */
};

struct http_config {
    const char *address;        /* NULL: 127.0.0.1 */
    uint16_t port;              /* 0: any free one */
    const char *token;          /* NULL: only GET is answered */
    const struct http_tls *tls; /* NULL: plain HTTP, on loopback only */
    const struct http_route *routes;
    void *context; /* of the handlers */

    /* Limits; 0: the default. */
    uint32_t connections_max;      /* 256 */
    uint32_t peer_connections_max; /* of one address; 64 */
    uint32_t streams_max;          /* 32 */
    uint32_t body_bytes_max;       /* 65,536 */
    uint32_t request_seconds_max;  /* for a request to arrive, or for its answer to be read; 10 */
    uint32_t stream_bytes_max;     /* kept for a slow reader of a stream; 262,144 */
};

struct http_counts {
    uint64_t connected;
    uint64_t answered; /* by handlers, whatever their status */
    uint64_t refused[HTTP_REFUSAL_COUNT];
    uint32_t connections; /* open now */
    uint32_t streams;     /* open now */
};

struct http_server;

/* Copies the configuration except for the table of routes. Returns 0 or a negative errno: -EACCES
 * if plain HTTP would leave the loopback interface, -EINVAL if the address or a certificate is
 * malformed, -EADDRINUSE. */
int http_server_open(struct http_server **, const struct http_config *);
void http_server_close(struct http_server *);

/* Becomes readable when http_server_poll() has something to do. */
int http_server_fd(const struct http_server *);
/* Serves what there is to serve without waiting. */
void http_server_poll(struct http_server *);

uint16_t http_server_port(const struct http_server *);
const struct http_counts *http_server_counts(const struct http_server *);

/* Refuses clients whose certificates have these serial numbers, and ends their connections. The
 * text has a line for each: the serial number in lower-case hexadecimal digits, and anything after
 * a blank. It replaces the former one. Returns 0 or -ENOMEM. */
int http_server_revoke(struct http_server *, const char *text);

/* Sends an event to all streams of the channel: "event: NAME" and "data: TEXT". The text must be
 * one line. */
void http_server_tell(struct http_server *, uint32_t channel, const char *event, const char *text);

/* Returns the name of a reason, such as "token_wrong". */
const char *http_refusal_name(enum http_refusal);
