/* SPDX-License-Identifier: Apache-2.0 */
/* An HTTP server among clients that ask, follow, try tricks, send slowly and come in crowds. */
#include "http/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "patience.h"
#include "spec.h"

enum { CHANNEL = 1, ANSWER_BYTES = 1 << 20, CROWD = 40 };

struct world {
    struct http_server *server;
    unsigned asked;
    char body[64];
};

static void answer_hello(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    struct world *world = context;

    world->asked++;
    snprintf(world->body, sizeof(world->body), "%s", request->body);
    http_answer_text(answer, 200, HTTP_JSON, strdup("{\"hello\": 1}"));
}

static void answer_stream(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    (void)context;
    (void)request;
    http_answer_text(answer, 200, HTTP_STREAM, strdup("data: first\n\n"));
}

static const struct http_route routes[] = {
    { HTTP_GET, "/hello", answer_hello, 0 },
    { HTTP_POST, "/hello", answer_hello, 0 },
    { HTTP_GET, "/hello/*", answer_hello, 0 },
    { HTTP_GET, "/stream", answer_stream, CHANNEL },
    { HTTP_GET, NULL, NULL, 0 },
};

static void world_open_with(struct world *world, struct http_config config)
{
    *world = (struct world){ 0 };
    config.routes = routes;
    config.context = world;
    if (!config.token)
        config.token = "secret";
    EXPECT_EQ(http_server_open(&world->server, &config), 0);
}

static void world_open(struct world *world)
{
    world_open_with(world, (struct http_config){ 0 });
}

static int reach(const struct world *world)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
        .sin_port = htons(http_server_port(world->server)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    EXPECT_EQ(connect(sock, (struct sockaddr *)&address, sizeof(address)), 0);
    return sock;
}

static void serve(struct world *world, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        http_server_poll(world->server);
}

static void send_text(int sock, const char *text)
{
    EXPECT_EQ(send(sock, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Serves until the text has come, or the end of the connection. Returns what came. */
static const char *hear(struct world *world, int sock, const char *awaited)
{
    static char heard[65536];
    size_t length = 0;
    int64_t end_s = patience_end_s();

    heard[0] = '\0';
    while (patience_lasts(end_s) && length + 1 < sizeof(heard)) {
        ssize_t bytes;

        http_server_poll(world->server);
        bytes = recv(sock, heard + length, sizeof(heard) - 1 - length, MSG_DONTWAIT);
        if (bytes == 0 || (bytes < 0 && errno != EAGAIN))
            break;
        if (bytes < 0) {
            usleep(100);
            continue;
        }
        length += (size_t)bytes;
        heard[length] = '\0';
        if (strstr(heard, awaited))
            break;
    }
    return heard;
}

static unsigned ask(struct world *world, const char *request)
{
    int sock = reach(world);
    unsigned status = 0;

    send_text(sock, request);
    sscanf(hear(world, sock, "\r\n\r\n"), "HTTP/1.1 %u", &status);
    close(sock);
    serve(world, 3);
    return status;
}

static uint64_t refused(const struct world *world, enum http_refusal refusal)
{
    return http_server_counts(world->server)->refused[refusal];
}

#define HOST "Host: localhost\r\n"

SPEC("GET on loopback needs no token, and POST needs the right one")
{
    struct world world;

    world_open(&world);
    EXPECT_EQ(ask(&world, "GET /hello HTTP/1.1\r\n" HOST "\r\n"), 200);
    EXPECT_EQ(ask(&world, "POST /hello HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"), 401);
    EXPECT_EQ(ask(&world, "POST /hello HTTP/1.1\r\n" HOST "Content-Length: 0\r\n"
                          "Authorization: Bearer secreT\r\n\r\n"),
        403);
    EXPECT_EQ(ask(&world, "POST /hello HTTP/1.1\r\n" HOST "Content-Length: 0\r\n"
                          "Authorization: Bearer secret2\r\n\r\n"),
        403);
    EXPECT_EQ(world.asked, 1);
    EXPECT_EQ(ask(&world, "POST /hello HTTP/1.1\r\n" HOST "Content-Length: 4\r\n"
                          "Authorization: Bearer secret\r\n\r\nbody"),
        200);
    EXPECT_STR_EQ(world.body, "body");
    EXPECT_EQ(refused(&world, HTTP_REFUSED_TOKEN_MISSING), 1);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_TOKEN_WRONG), 2);
    EXPECT_EQ(http_server_counts(world.server)->answered, 2);
    http_server_close(world.server);
}

SPEC("a server without a token takes nothing but GET")
{
    struct world world;

    world_open_with(&world, (struct http_config){ .token = "" });
    EXPECT_EQ(ask(&world, "GET /hello HTTP/1.1\r\n" HOST "\r\n"), 200);
    EXPECT_EQ(ask(&world, "POST /hello HTTP/1.1\r\n" HOST "Content-Length: 0\r\n"
                          "Authorization: Bearer \r\n\r\n"),
        403);
    http_server_close(world.server);
}

SPEC("a request for another host is refused, as a page of another site would send it")
{
    struct world world;

    world_open(&world);
    EXPECT_EQ(ask(&world, "GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421);
    EXPECT_EQ(ask(&world, "GET /hello HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n"), 421);
    EXPECT_EQ(ask(&world, "GET /hello HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n"), 200);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_HOST), 2);
    http_server_close(world.server);
}

SPEC("path tricks, unknown paths and other methods are refused and counted")
{
    struct world world;

    world_open(&world);
    EXPECT_EQ(ask(&world, "GET /hello/%2e%2e HTTP/1.1\r\n" HOST "\r\n"), 400);
    EXPECT_EQ(ask(&world, "GET //hello HTTP/1.1\r\n" HOST "\r\n"), 400);
    EXPECT_EQ(ask(&world, "GET /hello%00 HTTP/1.1\r\n" HOST "\r\n"), 400);
    EXPECT_EQ(ask(&world, "GET /other HTTP/1.1\r\n" HOST "\r\n"), 404);
    EXPECT_EQ(
        ask(&world, "DELETE /hello HTTP/1.1\r\n" HOST "Authorization: Bearer secret\r\n\r\n"), 405);
    EXPECT_EQ(
        ask(&world, "BREW /hello HTTP/1.1\r\n" HOST "Authorization: Bearer secret\r\n\r\n"), 405);
    EXPECT_EQ(world.asked, 0);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_TARGET), 3);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_NOT_FOUND), 1);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_METHOD), 2);
    http_server_close(world.server);
}

SPEC("a body over the limit is refused, whether it is announced or not")
{
    struct world world;
    char request[512];

    world_open_with(&world, (struct http_config){ .body_bytes_max = 64 });
    snprintf(request, sizeof(request),
        "POST /hello HTTP/1.1\r\n" HOST "Authorization: Bearer secret\r\n"
        "Content-Length: 100\r\n\r\n%0100d",
        0);
    EXPECT_EQ(ask(&world, request), 413);
    snprintf(request, sizeof(request),
        "POST /hello HTTP/1.1\r\n" HOST "Authorization: Bearer secret\r\n"
        "Transfer-Encoding: chunked\r\n\r\n64\r\n%0100d\r\n0\r\n\r\n",
        0);
    EXPECT_EQ(ask(&world, request), 413);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_BODY_BYTES), 2);
    EXPECT_EQ(world.asked, 0);
    http_server_close(world.server);
}

SPEC("a client that sends its request a byte at a time is closed when its time is up")
{
    struct world world;
    const char *request = "GET /hello HTTP/1.1\r\n";
    int sock;

    world_open_with(&world, (struct http_config){ .request_seconds_max = 1 });
    sock = reach(&world);
    for (unsigned i = 0; i < 100 && refused(&world, HTTP_REFUSED_SLOW) == 0; i++) {
        char byte = request[i % strlen(request)];

        send(sock, &byte, 1, MSG_NOSIGNAL);
        serve(&world, 5);
        usleep(100000);
    }
    EXPECT_EQ(refused(&world, HTTP_REFUSED_SLOW), 1);
    EXPECT_STR_EQ(hear(&world, sock, "never"), "");
    close(sock);
    serve(&world, 5);
    EXPECT_EQ(http_server_counts(world.server)->connections, 0);
    http_server_close(world.server);
}

SPEC("time in which the server was not polled is not that of its clients")
{
    struct world world;
    int sock;

    world_open_with(&world, (struct http_config){ .request_seconds_max = 2 });
    sock = reach(&world);
    send_text(sock, "GET /hello HTTP/1.1\r\n");
    serve(&world, 3);
    usleep(3500000);
    send_text(sock, HOST "\r\n");
    EXPECT(strstr(hear(&world, sock, "\r\n\r\n"), "200 OK"));
    EXPECT_EQ(refused(&world, HTTP_REFUSED_SLOW), 0);
    close(sock);
    http_server_close(world.server);
}

SPEC("a crowd of one address gets its share of connections, and the server still answers others")
{
    struct world world;
    int crowd[CROWD];

    world_open_with(&world, (struct http_config){ .peer_connections_max = 8 });
    for (unsigned i = 0; i < CROWD; i++) {
        crowd[i] = reach(&world);
        serve(&world, 3);
    }
    EXPECT_EQ(http_server_counts(world.server)->connections, 8);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_PEER_CONNECTIONS), CROWD - 8);
    for (unsigned i = 0; i < CROWD; i++)
        close(crowd[i]);
    serve(&world, 10);
    EXPECT_EQ(http_server_counts(world.server)->connections, 0);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_NO_REQUEST), 8);
    EXPECT_EQ(ask(&world, "GET /hello HTTP/1.1\r\n" HOST "\r\n"), 200);
    http_server_close(world.server);
}

SPEC("a server full of connections refuses the next one")
{
    struct world world;
    int first, second;

    world_open_with(&world, (struct http_config){ .connections_max = 1 });
    first = reach(&world);
    serve(&world, 3);
    second = reach(&world);
    EXPECT_STR_EQ(hear(&world, second, "never"), "");
    EXPECT_EQ(refused(&world, HTTP_REFUSED_CONNECTIONS), 1);
    close(first);
    close(second);
    http_server_close(world.server);
}

SPEC("a stream begins with its first text and carries what is told to its channel")
{
    struct world world;
    const char *heard;
    int sock;

    world_open(&world);
    sock = reach(&world);
    send_text(sock, "GET /stream HTTP/1.1\r\n" HOST "\r\n");
    EXPECT(strstr(hear(&world, sock, "data: first\n\n"), "text/event-stream"));
    EXPECT_EQ(http_server_counts(world.server)->streams, 1);
    http_server_tell(world.server, CHANNEL + 1, "other", "nothing");
    http_server_tell(world.server, CHANNEL, "news", "{\"a\": 1}");
    heard = hear(&world, sock, "\n\n");
    EXPECT(strstr(heard, "event: news\ndata: {\"a\": 1}\n\n"));
    EXPECT(!strstr(heard, "nothing"));
    close(sock);
    http_server_tell(world.server, CHANNEL, "news", "1");
    serve(&world, 5);
    http_server_tell(world.server, CHANNEL, "news", "2");
    serve(&world, 5);
    EXPECT_EQ(http_server_counts(world.server)->streams, 0);
    http_server_close(world.server);
}

SPEC("a reader that falls behind loses its stream, and nothing else suffers")
{
    struct world world;
    char *text = malloc(ANSWER_BYTES);
    int sock;

    world_open(&world);
    memset(text, 'x', ANSWER_BYTES - 1);
    text[ANSWER_BYTES - 1] = '\0';
    sock = reach(&world);
    send_text(sock, "GET /stream HTTP/1.1\r\n" HOST "\r\n");
    hear(&world, sock, "data: first");
    http_server_tell(world.server, CHANNEL, "news", text);
    serve(&world, 5);
    EXPECT_EQ(refused(&world, HTTP_REFUSED_STREAM_SLOW), 1);
    EXPECT_EQ(http_server_counts(world.server)->streams, 0);
    EXPECT_EQ(ask(&world, "GET /hello HTTP/1.1\r\n" HOST "\r\n"), 200);
    close(sock);
    free(text);
    http_server_close(world.server);
}

SPEC("streams over their limit are refused, and open ones end with the server")
{
    struct world world;
    int sock;

    world_open_with(&world, (struct http_config){ .streams_max = 1 });
    sock = reach(&world);
    send_text(sock, "GET /stream HTTP/1.1\r\n" HOST "\r\n");
    hear(&world, sock, "data: first");
    EXPECT_EQ(ask(&world, "GET /stream HTTP/1.1\r\n" HOST "\r\n"), 503);
    http_server_close(world.server);
    close(sock);
}

SPEC("plain HTTP never leaves the loopback interface")
{
    struct http_server *server;
    struct http_config config = { .routes = routes, .address = "0.0.0.0" };

    EXPECT_EQ(http_server_open(&server, &config), -EACCES);
    config.address = "::";
    EXPECT_EQ(http_server_open(&server, &config), -EACCES);
    config.address = "localhost";
    EXPECT_EQ(http_server_open(&server, &config), -EINVAL);
    config.address = "::1";
    if (http_server_open(&server, &config) == 0)
        http_server_close(server);
}

SPEC("a port in use is reported")
{
    struct world world;
    struct http_server *second;
    struct http_config config = { .routes = routes };

    world_open(&world);
    config.port = http_server_port(world.server);
    EXPECT_EQ(http_server_open(&second, &config), -EADDRINUSE);
    http_server_close(world.server);
}
