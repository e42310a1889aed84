/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of server-sent events. A stream without anything to send is suspended, so that it costs
 * nothing until the next event. */
#include <stdlib.h>
#include <string.h>

#include "http/http_state.h"

#define BEAT_MS 10000

struct http_stream {
    struct http_stream *next;
    struct http_stream *previous;
    struct http_server *server;
    struct MHD_Connection *mhd;
    uint32_t channel;
    char *text; /* to be sent */
    size_t text_bytes;
    size_t room_bytes;
    uint64_t told_ms;
    bool is_suspended;
    bool is_ended;
};

static void stream_resume(struct http_stream *stream)
{
    if (!stream->is_suspended)
        return;
    stream->is_suspended = false;
    MHD_resume_connection(stream->mhd);
}

static ssize_t read_stream(void *context, uint64_t position, char *out, size_t room)
{
    struct http_stream *stream = context;
    size_t bytes = stream->text_bytes < room ? stream->text_bytes : room;

    (void)position;
    if (stream->is_ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (bytes == 0) {
        stream->is_suspended = true;
        MHD_suspend_connection(stream->mhd);
        return 0;
    }
    memcpy(out, stream->text, bytes);
    stream->text_bytes -= bytes;
    memmove(stream->text, stream->text + bytes, stream->text_bytes);
    return (ssize_t)bytes;
}

static void free_stream(void *context)
{
    struct http_stream *stream = context;

    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        stream->server->streams = stream->next;
    stream->server->counts.streams--;
    free(stream->text);
    free(stream);
}

static struct http_stream *new_stream(
    struct http_server *server, struct MHD_Connection *mhd, uint32_t channel)
{
    struct http_stream *stream = calloc(1, sizeof(*stream));
    struct http_connection *connection = http_connection_of(mhd);

    if (!stream)
        return NULL;
    *stream = (struct http_stream){ .next = server->streams,
        .server = server,
        .mhd = mhd,
        .channel = channel,
        .told_ms = server->now_ms };
    if (stream->next)
        stream->next->previous = stream;
    server->streams = stream;
    server->counts.streams++;
    if (connection)
        connection->is_stream = true;
    return stream;
}

enum MHD_Result http_stream_begin(struct http_server *server, struct MHD_Connection *mhd,
    uint32_t channel, char *text, size_t bytes)
{
    struct http_stream *stream = new_stream(server, mhd, channel);
    struct MHD_Response *response;
    enum MHD_Result result;

    if (!stream) {
        free(text);
        return MHD_NO;
    }
    stream->text = text;
    stream->text_bytes = stream->room_bytes = text ? bytes : 0;
    response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, 16384, read_stream, stream, free_stream);
    if (!response) {
        free_stream(stream);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", HTTP_STREAM);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    result = MHD_queue_response(mhd, 200, response);
    MHD_destroy_response(response);
    return result;
}

/* A reader that falls behind loses its stream, not single events of it: it connects again and gets
 * the whole state. */
static void end_slow(struct http_stream *stream)
{
    struct http_connection *connection = http_connection_of(stream->mhd);

    stream->is_ended = true;
    if (connection)
        http_connection_end(connection, HTTP_REFUSED_STREAM_SLOW);
    stream_resume(stream);
}

static bool make_room(struct http_stream *stream, size_t bytes)
{
    size_t needed = stream->text_bytes + bytes;
    char *text;

    if (needed > stream->server->config.stream_bytes_max)
        return false;
    if (needed <= stream->room_bytes)
        return true;
    text = realloc(stream->text, 2 * needed);
    if (!text)
        return false;
    stream->text = text;
    stream->room_bytes = 2 * needed;
    return true;
}

static void append_text(struct http_stream *stream, const char *text, size_t bytes)
{
    if (stream->is_ended)
        return;
    if (!make_room(stream, bytes)) {
        end_slow(stream);
        return;
    }
    memcpy(stream->text + stream->text_bytes, text, bytes);
    stream->text_bytes += bytes;
    stream->told_ms = stream->server->now_ms;
    stream_resume(stream);
}

void http_server_tell(
    struct http_server *server, uint32_t channel, const char *event, const char *text)
{
    const char *const pieces[] = { "event: ", event, "\ndata: ", text, "\n\n" };
    size_t lengths[5], total = 0;
    char *whole, *end;

    for (unsigned i = 0; i < 5; i++)
        total += lengths[i] = strlen(pieces[i]);
    whole = end = malloc(total);
    if (!whole)
        return;
    for (unsigned i = 0; i < 5; end += lengths[i++])
        memcpy(end, pieces[i], lengths[i]);
    for (struct http_stream *stream = server->streams; stream; stream = stream->next)
        if (stream->channel == channel)
            append_text(stream, whole, total);
    free(whole);
}

void http_stream_beat(struct http_server *server)
{
    static const char beat[] = ":\n\n";

    for (struct http_stream *stream = server->streams; stream; stream = stream->next)
        if (server->now_ms - stream->told_ms >= BEAT_MS)
            append_text(stream, beat, strlen(beat));
}

void http_stream_end_revoked(struct http_server *server)
{
    for (struct http_stream *stream = server->streams; stream; stream = stream->next) {
        const struct http_connection *connection = http_connection_of(stream->mhd);

        if (!connection || connection->is_trusted)
            continue;
        stream->is_ended = true;
        stream_resume(stream);
    }
}

void http_stream_end_all(struct http_server *server)
{
    for (struct http_stream *stream = server->streams; stream; stream = stream->next) {
        stream->is_ended = true;
        stream_resume(stream);
    }
}
