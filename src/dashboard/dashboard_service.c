/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that serves pages, follows the events of NICs and takes samples. */
#include "dashboard/dashboard_service.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "control/control.h"
#include "dashboard/dashboard_routes.h"
#include "dashboard/dashboard_soft.h"
#include "http/http.h"

enum {
    TURN_MS = 100,
    FOLLOW_MS = 1000, /* interval of the search for newly opened devices */
    TOKEN_BYTES = 33,
    STREAM_BYTES = 8 << 20, /* several samples of a fabric of 100,000 links */
};

struct dashboard_service {
    struct dashboard_soft soft;
    struct dashboard dashboard;
    struct http_server *server;
    struct event_watch watch;
    char address[64];
    char token[TOKEN_BYTES];
    uint64_t followed_ms;
    pthread_t thread;
    bool is_started;
    _Atomic bool stops;
    int wake_fd;
};

/* ---- events ---------------------------------------------------------------------------------- */

static void tell_event(void *context, json_t *event)
{
    struct dashboard_service *service = context;

    dashboard_tell(&service->dashboard, service->server, event);
}

static bool take_event(void *context, const char *line)
{
    json_t *event = json_loads(line, 0, NULL);

    if (json_is_object(event)) {
        uint64_t time_ns = (uint64_t)json_integer_value(json_object_get(event, "time_ns"));

        json_object_set_new(
            event, "time_ms", json_integer((json_int_t)dashboard_log_wall_ms(time_ns)));
        json_object_del(event, "time_ns");
        tell_event(context, event);
    }
    json_decref(event);
    return true;
}

static void follow_device(void *context, const char *device)
{
    event_watch_follow(context, device, false);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static uint64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void wait_for_work(const struct dashboard_service *service)
{
    struct pollfd fds[] = { { http_server_fd(service->server), POLLIN, 0 },
        { service->wake_fd, POLLIN, 0 } };
    bool is_watched = http_server_counts(service->server)->streams > 0;

    poll(fds, 2, is_watched ? TURN_MS : FOLLOW_MS);
}

static void *run_service(void *context)
{
    struct dashboard_service *service = context;

    while (!atomic_load(&service->stops)) {
        uint64_t now_ms;

        wait_for_work(service);
        http_server_poll(service->server);
        now_ms = clock_ms();
        if (now_ms - service->followed_ms >= FOLLOW_MS) {
            service->followed_ms = now_ms;
            dashboard_soft_devices(&service->soft, follow_device, &service->watch);
        }
        event_watch_wait(&service->watch, 0);
        dashboard_turn(&service->dashboard, service->server);
    }
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

static int make_token(char out[static TOKEN_BYTES])
{
    uint8_t bytes[(TOKEN_BYTES - 1) / 2];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return -EIO;
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

static void answer_page(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    dashboard_answer(context, request, answer);
}

static const struct http_route routes[] = {
#define DASHBOARD_PATH(method, pattern, what, channel) { method, pattern, answer_page, channel },
#include "dashboard/dashboard_paths.def"
    { 0 },
};

static int open_server(
    struct dashboard_service *service, const struct dashboard_service_config *from)
{
    struct http_config config = { .address = from->address,
        .port = from->port,
        .token = service->token,
        .routes = routes,
        .context = &service->dashboard,
        .stream_bytes_max = STREAM_BYTES };
    int err = make_token(service->token);

    if (!err)
        err = dashboard_init(&service->dashboard, &dashboard_soft_source, &service->soft);
    return err ? err : http_server_open(&service->server, &config);
}

int dashboard_service_open(
    struct dashboard_service **out, const struct dashboard_service_config *config)
{
    struct dashboard_service *service = calloc(1, sizeof(*service));
    int err;

    if (!service)
        return -ENOMEM;
    service->watch = (struct event_watch){ .on_event = take_event, .context = service };
    service->soft.rate_bps_min = config->rate_bps_min;
    service->soft.on_event = tell_event;
    service->soft.context = service;
    snprintf(service->soft.fabric, sizeof(service->soft.fabric), "%s", config->fabric);
    snprintf(service->address, sizeof(service->address), "%s",
        config->address ? config->address : "127.0.0.1");
    service->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    err = service->wake_fd < 0 ? -errno : open_server(service, config);
    if (err)
        dashboard_service_close(service);
    else
        *out = service;
    return err;
}

void dashboard_service_url(
    const struct dashboard_service *service, char out[static DASHBOARD_URL_BYTES])
{
    bool is_ipv6 = strchr(service->address, ':') != NULL;

    snprintf(out, DASHBOARD_URL_BYTES, "http://%s%s%s:%u/#token=%s", is_ipv6 ? "[" : "",
        service->address, is_ipv6 ? "]" : "", http_server_port(service->server), service->token);
}

int dashboard_service_start(struct dashboard_service *service)
{
    sigset_t all;
    sigset_t before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread of the fabric */
    err = -pthread_create(&service->thread, NULL, run_service, service);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    service->is_started = !err;
    return err;
}

void dashboard_service_close(struct dashboard_service *service)
{
    uint64_t one = 1;

    if (service->is_started) {
        atomic_store(&service->stops, true);
        if (write(service->wake_fd, &one, sizeof(one)) < 0)
            one = 0; /* it wakes by itself */
        pthread_join(service->thread, NULL);
    }
    for (uint32_t i = 0; i < service->watch.count; i++)
        close(service->watch.sources[i].sock);
    if (service->server)
        http_server_close(service->server);
    if (service->wake_fd >= 0)
        close(service->wake_fd);
    dashboard_fini(&service->dashboard);
    dashboard_soft_fini(&service->soft);
    free(service);
}
