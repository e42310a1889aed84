/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/event_ring.c, EV events between processes: order, loss, and readers beside a writer. */
#include "api/event_ring.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "patience.h"
#include "spec.h"

struct place {
    char path[64];
    struct folder folder;
};

static void start(struct place *place)
{
    snprintf(place->path, sizeof(place->path), "/tmp/api-test-XXXXXX");
    EXPECT(mkdtemp(place->path) != NULL);
    setenv("MRC_RUN_DIR", place->path, 1);
    EXPECT_EQ(folder_open(&place->folder, "mrc0"), 0);
}

static void stop(struct place *place)
{
    char command[128];

    folder_close(&place->folder);
    snprintf(command, sizeof(command), "rm -rf '%s'", place->path);
    EXPECT_EQ(system(command), 0);
}

static void push(struct event_ring *ring, uint64_t number)
{
    struct event_ring_event event = { .profile_id = number,
        .ev = { .val = { (uint8_t)number }, .port = (uint8_t)(number >> 8) },
        .state = (uint32_t)number };

    event_ring_push(ring, &event);
}

SPEC("a reader sees events in order, beginning with the first after it was opened")
{
    struct place place;
    struct event_ring writer;
    struct event_ring reader;
    struct event_ring_event event;
    uint64_t position;
    uint64_t lost;

    start(&place);
    EXPECT_EQ(event_ring_open(&writer, &place.folder), 0);
    push(&writer, 1);
    EXPECT_EQ(event_ring_open(&reader, &place.folder), 0);
    position = event_ring_end(&reader);
    EXPECT(!event_ring_next(&reader, &position, 8, &event, &lost));
    push(&writer, 2);
    push(&writer, 3);
    EXPECT(event_ring_next(&reader, &position, 8, &event, &lost));
    EXPECT_EQ(event.profile_id, 2);
    EXPECT_EQ(lost, 0);
    EXPECT(event_ring_next(&reader, &position, 8, &event, &lost));
    EXPECT_EQ(event.profile_id, 3);
    EXPECT(!event_ring_next(&reader, &position, 8, &event, &lost));
    event_ring_close(&reader);
    event_ring_close(&writer);
    stop(&place);
}

SPEC("a reader that is too slow keeps the last events, up to its depth, and the exact number lost")
{
    struct place place;
    struct event_ring ring;
    struct event_ring_event event;
    uint64_t position;
    uint64_t lost;

    start(&place);
    EXPECT_EQ(event_ring_open(&ring, &place.folder), 0);
    position = event_ring_end(&ring);
    for (uint64_t i = 0; i < 3 * EVENT_RING_SLOTS; i++)
        push(&ring, i);
    EXPECT(event_ring_next(&ring, &position, 5, &event, &lost));
    EXPECT_EQ(event.profile_id, 3 * EVENT_RING_SLOTS - 5);
    EXPECT_EQ(lost, 3 * EVENT_RING_SLOTS - 5);
    EXPECT(event_ring_next(&ring, &position, 5, &event, &lost));
    EXPECT_EQ(lost, 0);
    event_ring_close(&ring);
    stop(&place);
}

SPEC("writing to the bell wakes a process that watches it")
{
    struct place place;
    struct event_ring ring;
    struct pollfd ready = { .events = POLLIN };

    start(&place);
    EXPECT_EQ(event_ring_open(&ring, &place.folder), 0);
    ready.fd = event_ring_watch(&place.folder);
    EXPECT_GE(ready.fd, 0);
    EXPECT_EQ(poll(&ready, 1, 0), 0);
    event_ring_touch_bell(&ring);
    EXPECT_EQ(poll(&ready, 1, PATIENCE_MS), 1);
    close(ready.fd);
    event_ring_close(&ring);
    stop(&place);
}

enum { STRESS = 200000 };

static void *write_many(void *context)
{
    for (uint64_t i = 0; i < STRESS; i++)
        push(context, i);
    return NULL;
}

SPEC("a reader beside a fast writer reads whole events, and events read and lost add up to all")
{
    struct place place;
    struct event_ring ring;
    struct event_ring_event event;
    uint64_t position;
    uint64_t lost = 0;
    uint64_t seen = 0;
    pthread_t thread;

    start(&place);
    EXPECT_EQ(event_ring_open(&ring, &place.folder), 0);
    position = event_ring_end(&ring);
    EXPECT_EQ(pthread_create(&thread, NULL, write_many, &ring), 0);
    while (seen < STRESS) {
        uint64_t more;
        bool is_there = event_ring_next(&ring, &position, 64, &event, &more);

        lost += more;
        seen += more + is_there;
        if (is_there) {
            EXPECT_EQ(event.profile_id, seen - 1);
            EXPECT_EQ(event.state, (uint32_t)event.profile_id);
            EXPECT_EQ(event.ev.port, (uint8_t)(event.profile_id >> 8));
        }
    }
    pthread_join(thread, NULL);
    EXPECT_LE(lost, STRESS);
    event_ring_close(&ring);
    stop(&place);
}
