/* SPDX-License-Identifier: Apache-2.0 */
/* Events of NICs arrive line by line, however they are cut on their way. */
#include "control/event_watch.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "spec.h"

static char heard[256];
static uint32_t heard_count;
static uint32_t heard_max; /* the watch ends after this many events */

static bool hear(void *context, const char *line)
{
    (void)context;
    snprintf(heard + strlen(heard), sizeof(heard) - strlen(heard), "%s;", line);
    return ++heard_count < heard_max;
}

/* A watch of one NIC; returns the NIC's end. */
static int open_watch(struct event_watch *watch)
{
    int pair[2];

    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    *watch = (struct event_watch){ .count = 1, .on_event = hear };
    watch->sources[0] = (struct event_source){ .device = "mrc0", .sock = pair[0] };
    heard[0] = '\0';
    heard_count = 0;
    heard_max = 100;
    return pair[1];
}

static void tell(struct event_watch *watch, int nic, const char *text)
{
    EXPECT_EQ(write(nic, text, strlen(text)), (ssize_t)strlen(text));
    event_watch_wait(watch, 0);
}

SPEC("lines that arrive together are reported one by one, and a line that arrives in pieces once")
{
    struct event_watch watch;
    int nic = open_watch(&watch);

    tell(&watch, nic, "{1}\n{2}\n{3");
    EXPECT_STR_EQ(heard, "{1};{2};");
    tell(&watch, nic, "3}\n");
    EXPECT_STR_EQ(heard, "{1};{2};{33};");
    close(nic);
    close(watch.sources[0].sock);
}

SPEC("a NIC that is closed is removed, and the others stay")
{
    struct event_watch watch;
    int nic = open_watch(&watch);
    int pair[2];

    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    watch.sources[watch.count++] = (struct event_source){ .device = "mrc1", .sock = pair[0] };
    close(nic);
    event_watch_wait(&watch, 0);
    EXPECT_EQ(watch.count, 1);
    EXPECT_STR_EQ(watch.sources[0].device, "mrc1");
    tell(&watch, pair[1], "{1}\n");
    EXPECT_STR_EQ(heard, "{1};");
    close(pair[0]);
    close(pair[1]);
}

SPEC("no event is reported after the listener has asked to stop")
{
    struct event_watch watch;
    int nic = open_watch(&watch);

    heard_max = 2;
    tell(&watch, nic, "{1}\n{2}\n{3}\n");
    EXPECT_STR_EQ(heard, "{1};{2};");
    EXPECT(watch.is_over);
    close(nic);
    close(watch.sources[0].sock);
}

SPEC("a line longer than any event is discarded")
{
    struct event_watch watch;
    int nic = open_watch(&watch);
    char text[EVENT_WATCH_LINE_BYTES + 1];

    memset(text, 'x', EVENT_WATCH_LINE_BYTES);
    text[EVENT_WATCH_LINE_BYTES] = '\0';
    tell(&watch, nic, text);
    tell(&watch, nic, "\n{1}\n");
    EXPECT_STR_EQ(heard, ";{1};");
    close(nic);
    close(watch.sources[0].sock);
}
