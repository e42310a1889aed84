/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the output of NICs into lines. */
#include "control/event_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pktio/pktio.h"

static bool is_followed(const struct event_watch *watch, const char *device)
{
    for (uint32_t i = 0; i < watch->count; i++)
        if (strcmp(watch->sources[i].device, device) == 0)
            return true;
    return false;
}

void event_watch_follow(struct event_watch *watch, const char *device, bool all)
{
    struct event_source *next = &watch->sources[watch->count];
    char path[512];

    if (watch->count == EVENT_WATCH_MAX || is_followed(watch, device) ||
        run_place(path, sizeof(path), device, "status") != 0)
        return;
    *next = (struct event_source){ .sock = control_follow(path, all ? "monitor all" : "monitor") };
    if (next->sock < 0)
        return;
    snprintf(next->device, sizeof(next->device), "%s", device);
    watch->count++;
}

static void hand_on_lines(struct event_watch *watch, struct event_source *from)
{
    char *end;

    while (!watch->is_over && (end = memchr(from->line, '\n', from->length))) {
        size_t rest = from->length - (size_t)(end + 1 - from->line);

        *end = '\0';
        watch->is_over = !watch->on_event(watch->context, from->line);
        memmove(from->line, end + 1, rest);
        from->length = rest;
    }
    if (from->length == sizeof(from->line)) /* no event is this long */
        from->length = 0;
}

/* Returns false if the socket is closed. */
static bool read_source(struct event_watch *watch, struct event_source *from)
{
    ssize_t got = read(from->sock, from->line + from->length, sizeof(from->line) - from->length);

    if (got <= 0 && !(got < 0 && errno == EINTR)) {
        close(from->sock);
        return false;
    }
    from->length += got > 0 ? (size_t)got : 0;
    hand_on_lines(watch, from);
    return true;
}

void event_watch_wait(struct event_watch *watch, int timeout_ms)
{
    struct pollfd fds[EVENT_WATCH_MAX];

    for (uint32_t i = 0; i < watch->count; i++)
        fds[i] = (struct pollfd){ .fd = watch->sources[i].sock, .events = POLLIN };
    if (poll(fds, watch->count, timeout_ms) <= 0)
        return;
    for (uint32_t i = watch->count; i-- > 0;)
        if (fds[i].revents && !read_source(watch, &watch->sources[i]))
            watch->sources[i] = watch->sources[--watch->count];
}
