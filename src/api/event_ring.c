/* SPDX-License-Identifier: Apache-2.0 */
/* A ring in shared memory whose readers detect which events they have missed. */
#include "api/event_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENT_WORDS ((sizeof(struct event_ring_event) + 7) / 8)

/* `sequence` is 2 * number + 1 while the event with this number is written, 2 * number + 2 when it
 * is complete. A reader loads `sequence`, the words, and `sequence` again; the copy is valid if
 * both loads returned the sequence of the complete event. Memory order, rule by rule:
 *   - one writer stores; it reads its own `end` relaxed;
 *   - the writer stores the odd sequence relaxed, then each word with release; the reader loads
 * each word with acquire. A reader that gets a word of a later event therefore also sees that
 * event's odd sequence, or a later one, in its second load, and refuses the copy. This load comes
 * after the words because they are loads with acquire; it can itself be relaxed;
 *   - the writer stores the even sequence with release after the words; the reader's first load of
 * it has acquire, so the reader sees the words of this event or of a later one;
 *   - the writer stores `end` with release after the even sequence; a reader loads it with acquire,
 * so it finds every event before `end` complete or overwritten.
 * No fence is needed, so ThreadSanitizer, which does not support fences, can check all of this. */
struct slot {
    _Atomic uint64_t sequence;
    _Atomic uint64_t words[EVENT_WORDS];
};

struct event_ring_map {
    _Atomic uint64_t end; /* number of the next event */
    struct slot slots[EVENT_RING_SLOTS];
};

int event_ring_open(struct event_ring *ring, const struct folder *folder)
{
    int fd = openat(folder->fd, "events", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    struct stat status;
    int protection = PROT_READ | PROT_WRITE;
    int err = 0;

    if (fd < 0 && errno == EACCES) { /* read access is enough for a reader */
        fd = openat(folder->fd, "events", O_RDONLY | O_CLOEXEC);
        protection = PROT_READ;
    }
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) != 0 ||
        ((size_t)status.st_size < sizeof(*ring->map) && ftruncate(fd, sizeof(*ring->map)) != 0))
        err = -EIO;
    ring->map = err ? MAP_FAILED : mmap(NULL, sizeof(*ring->map), protection, MAP_SHARED, fd, 0);
    close(fd);
    if (ring->map == MAP_FAILED)
        return err ? err : -ENOMEM;
    ring->bell_fd = openat(folder->fd, "events.bell", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    return 0;
}

void event_ring_close(struct event_ring *ring)
{
    munmap(ring->map, sizeof(*ring->map));
    if (ring->bell_fd >= 0)
        close(ring->bell_fd);
}

void event_ring_push(struct event_ring *ring, const struct event_ring_event *event)
{
    uint64_t number = atomic_load_explicit(&ring->map->end, memory_order_relaxed);
    struct slot *slot = &ring->map->slots[number % EVENT_RING_SLOTS];
    uint64_t words[EVENT_WORDS] = { 0 };

    memcpy(words, event, sizeof(*event));
    atomic_store_explicit(&slot->sequence, 2 * number + 1, memory_order_relaxed);
    for (size_t i = 0; i < EVENT_WORDS; i++)
        atomic_store_explicit(&slot->words[i], words[i], memory_order_release);
    atomic_store_explicit(&slot->sequence, 2 * number + 2, memory_order_release);
    atomic_store_explicit(&ring->map->end, number + 1, memory_order_release);
}

void event_ring_touch_bell(struct event_ring *ring)
{
    if (ring->bell_fd >= 0 && pwrite(ring->bell_fd, "!", 1, 0) != 1)
        return; /* readers notice the event at their next poll */
}

uint64_t event_ring_end(const struct event_ring *ring)
{
    return atomic_load_explicit(&ring->map->end, memory_order_acquire);
}

static bool copy_event(
    const struct event_ring *ring, uint64_t number, struct event_ring_event *event)
{
    const struct slot *slot = &ring->map->slots[number % EVENT_RING_SLOTS];
    uint64_t words[EVENT_WORDS];

    if (atomic_load_explicit(&slot->sequence, memory_order_acquire) != 2 * number + 2)
        return false;
    for (size_t i = 0; i < EVENT_WORDS; i++)
        words[i] = atomic_load_explicit(&slot->words[i], memory_order_acquire);
    if (atomic_load_explicit(&slot->sequence, memory_order_relaxed) != 2 * number + 2)
        return false;
    memcpy(event, words, sizeof(*event));
    return true;
}

bool event_ring_next(const struct event_ring *ring, uint64_t *position, uint32_t depth,
    struct event_ring_event *event, uint64_t *lost)
{
    *lost = 0;
    for (;;) {
        uint64_t end = event_ring_end(ring);

        if (end - *position > depth) {
            *lost += end - *position - depth;
            *position = end - depth;
        }
        if (*position == end)
            return false;
        if (copy_event(ring, *position, event)) {
            ++*position;
            return true;
        }
        ++*position; /* overwritten while it was read */
        ++*lost;
    }
}

int event_ring_watch(const struct folder *folder)
{
    char path[FOLDER_PATH_BYTES + 16];
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    if (fd < 0)
        return -errno;
    snprintf(path, sizeof(path), "%s/events.bell", folder->path);
    if (inotify_add_watch(fd, path, IN_MODIFY) < 0) {
        int err = -errno;

        close(fd);
        return err;
    }
    return fd;
}
