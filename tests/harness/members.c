/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes are copied while all members wait for each other. */
#include "members.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void append_bytes(struct members_buffer *buffer, const void *data, size_t bytes)
{
    if (buffer->count + bytes > buffer->room) {
        buffer->room = 2 * (buffer->count + bytes);
        buffer->bytes = realloc(buffer->bytes, buffer->room);
        assert(buffer->bytes);
    }
    if (bytes > 0)
        memcpy(buffer->bytes + buffer->count, data, bytes);
    buffer->count += bytes;
}

static void send_bytes(void *context, uint32_t to, const void *data, size_t bytes)
{
    struct members_one *one = context;

    assert(to < one->group.count && to != one->group.member);
    append_bytes(&one->out[to], data, bytes);
}

static void exchange_bytes(void *context)
{
    struct members_one *one = context;

    pthread_barrier_wait(&one->all->barrier);
    for (uint32_t i = 0; i < one->group.count; i++) {
        const struct members_buffer *from = &one->all->at[i].out[one->group.member];

        one->in[i].count = 0;
        append_bytes(&one->in[i], from->bytes, from->count);
    }
    if (one->group.member == 0)
        one->all->exchanges++;
    pthread_barrier_wait(&one->all->barrier);
    for (uint32_t i = 0; i < one->group.count; i++)
        one->out[i].count = 0;
}

static const void *received_bytes(void *context, uint32_t from, size_t *bytes)
{
    const struct members_one *one = context;

    *bytes = one->in[from].count;
    return one->in[from].bytes;
}

void members_init(struct members *members, uint32_t count)
{
    assert(count <= MEMBERS_MAX);
    memset(members, 0, sizeof(*members));
    members->count = count;
    pthread_barrier_init(&members->barrier, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        members->at[i].all = members;
        members->at[i].group = (struct sim_group){ .member = i,
            .count = count,
            .send = send_bytes,
            .exchange = exchange_bytes,
            .received = received_bytes,
            .context = &members->at[i] };
    }
}

void members_fini(struct members *members)
{
    for (uint32_t i = 0; i < members->count; i++)
        for (uint32_t k = 0; k < members->count; k++) {
            free(members->at[i].out[k].bytes);
            free(members->at[i].in[k].bytes);
        }
    pthread_barrier_destroy(&members->barrier);
}
