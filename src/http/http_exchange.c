/* SPDX-License-Identifier: Apache-2.0 */
/* One request and its answer: collects the body, finds the route, sends the answer. */
#include <stdlib.h>
#include <string.h>

#include "http/http_state.h"

struct exchange {
    struct http_request request;
    const struct http_route *route;
    enum http_refusal refusal; /* HTTP_REFUSAL_COUNT: none */
    bool has_target;
    bool is_begun; /* the head has been looked at */
    char *body;
    size_t room_bytes;
};

static const unsigned refusal_status[] = {
#define HTTP_REFUSAL(ID, name, status, help) status,
#include "http/http_refusals.def"
};

static const char *const refusal_help[] = {
#define HTTP_REFUSAL(ID, name, status, help) help,
#include "http/http_refusals.def"
};

static const char *const refusal_names[] = {
#define HTTP_REFUSAL(ID, name, status, help) #name,
#include "http/http_refusals.def"
};

const char *http_refusal_name(enum http_refusal refusal)
{
    return refusal_names[refusal];
}

void *http_exchange_begin(void *context, const char *target, struct MHD_Connection *mhd)
{
    const struct http_server *server = context;
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    struct http_connection *connection = http_connection_of(mhd);

    if (connection && !connection->is_ended)
        connection->since_ms = server->now_ms;
    if (!exchange)
        return NULL;
    exchange->refusal = HTTP_REFUSAL_COUNT;
    exchange->has_target = http_target_read(target, &exchange->request.target);
    return exchange;
}

static enum http_method method_of(const char *word)
{
    static const char *const words[] = { "GET", "POST", "PUT", "DELETE" };

    for (unsigned i = 0; i < HTTP_METHOD_COUNT; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum http_method)i;
    return strcmp(word, "HEAD") == 0 ? HTTP_GET : HTTP_METHOD_COUNT;
}

static enum http_refusal find_route(const struct http_server *server, struct exchange *exchange)
{
    enum http_refusal refusal = HTTP_REFUSED_NOT_FOUND;

    for (const struct http_route *r = server->config.routes; r->pattern; r++) {
        if (!http_target_matches(&exchange->request.target, r->pattern))
            continue;
        if (r->method == exchange->request.method) {
            exchange->route = r;
            return HTTP_REFUSAL_COUNT;
        }
        refusal = HTTP_REFUSED_METHOD;
    }
    return refusal;
}

/* Judges the head of the request, before its body is read. Who may ask is decided first: a client
 * without a token does not learn which paths exist. */
static enum http_refusal judge_head(const struct http_server *server, struct exchange *exchange,
    struct MHD_Connection *mhd, const char *method)
{
    enum http_refusal refusal;

    if (!exchange->has_target)
        return HTTP_REFUSED_TARGET;
    exchange->request.method = method_of(method);
    refusal = http_admit_request(server, mhd, exchange->request.method);
    if (refusal != HTTP_REFUSAL_COUNT)
        return refusal;
    if (exchange->request.method == HTTP_METHOD_COUNT)
        return HTTP_REFUSED_METHOD;
    return find_route(server, exchange);
}

static enum http_refusal append_body(
    const struct http_server *server, struct exchange *exchange, const char *data, size_t bytes)
{
    size_t length = exchange->request.body_bytes;

    if (length + bytes > server->config.body_bytes_max)
        return HTTP_REFUSED_BODY_BYTES;
    if (length + bytes >= exchange->room_bytes) {
        size_t room = 2 * (length + bytes) + 256;
        char *body = realloc(exchange->body, room);

        if (!body)
            return HTTP_REFUSED_MEMORY;
        exchange->body = body;
        exchange->room_bytes = room;
    }
    memcpy(exchange->body + length, data, bytes);
    exchange->request.body_bytes = length + bytes;
    exchange->body[length + bytes] = '\0';
    return HTTP_REFUSAL_COUNT;
}

static void add_headers(struct MHD_Response *response, const struct http_answer *answer)
{
    MHD_add_response_header(response, "Content-Type", answer->type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; "
        "frame-ancestors 'none'");
    if (answer->status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
}

static enum MHD_Result send_answer(
    struct MHD_Connection *mhd, struct http_answer *answer, bool keeps_alive)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(answer->text_bytes, answer->text ? answer->text : "",
            answer->is_borrowed || !answer->text ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
    enum MHD_Result result;

    if (!response) {
        if (!answer->is_borrowed)
            free(answer->text);
        return MHD_NO;
    }
    add_headers(response, answer);
    if (!keeps_alive)
        MHD_add_response_header(response, "Connection", "close");
    result = MHD_queue_response(mhd, answer->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_refusal(
    struct http_server *server, struct MHD_Connection *mhd, enum http_refusal refusal)
{
    struct http_answer answer;

    server->counts.refused[refusal]++;
    http_answer_error(&answer, refusal_status[refusal], "%s", refusal_help[refusal]);
    return send_answer(mhd, &answer, false);
}

static enum MHD_Result answer_request(
    struct http_server *server, struct exchange *exchange, struct MHD_Connection *mhd)
{
    struct http_answer answer = { .status = 500, .type = HTTP_PLAIN };
    const struct http_connection *connection = http_connection_of(mhd);
    uint32_t channel = exchange->route->channel;

    if (channel > 0 && server->counts.streams >= server->config.streams_max)
        return send_refusal(server, mhd, HTTP_REFUSED_STREAMS);
    exchange->request.body = exchange->body ? exchange->body : "";
    if (connection)
        memcpy(exchange->request.peer, connection->name, sizeof(connection->name));
    exchange->route->answer(server->config.context, &exchange->request, &answer);
    server->counts.answered++;
    if (channel > 0 && answer.status == 200 && !answer.is_borrowed)
        return http_stream_begin(server, mhd, channel, answer.text, answer.text_bytes);
    return send_answer(mhd, &answer, true);
}

enum MHD_Result http_exchange_serve(void *context, struct MHD_Connection *mhd, const char *url,
    const char *method, const char *version, const char *data, size_t *data_bytes,
    void **exchange_of)
{
    struct http_server *server = context;
    struct exchange *exchange = *exchange_of;

    (void)url;
    (void)version;
    if (!exchange)
        return MHD_NO;
    if (!exchange->is_begun) {
        exchange->is_begun = true;
        exchange->refusal = judge_head(server, exchange, mhd, method);
        /* Refused here, a body that is still to come is not read. */
        return exchange->refusal == HTTP_REFUSAL_COUNT
                   ? MHD_YES
                   : send_refusal(server, mhd, exchange->refusal);
    }
    if (*data_bytes > 0) {
        if (exchange->refusal == HTTP_REFUSAL_COUNT)
            exchange->refusal = append_body(server, exchange, data, *data_bytes);
        *data_bytes = 0;
        return MHD_YES;
    }
    if (exchange->refusal != HTTP_REFUSAL_COUNT)
        return send_refusal(server, mhd, exchange->refusal);
    return answer_request(server, exchange, mhd);
}

void http_exchange_end(void *context, struct MHD_Connection *mhd, void **exchange_of,
    enum MHD_RequestTerminationCode code)
{
    const struct http_server *server = context;
    struct exchange *exchange = *exchange_of;
    struct http_connection *connection = http_connection_of(mhd);

    if (connection) {
        connection->is_served |= code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
        connection->since_ms = server->now_ms;
    }
    if (exchange)
        free(exchange->body);
    free(exchange);
    *exchange_of = NULL;
}
