/* SPDX-License-Identifier: Apache-2.0 */
/* Work requests of the requester: how they are cut into packets, found again and completed. */
#include "spec.h"

#include <stdalign.h>

#include "base/prng.h"
#include "transport/send_queue.h"

enum { DEPTH_MAX = 64, PMTU_BYTES = 1024 };

struct requests {
    struct send_queue queue;
    struct psn next;
    alignas(16) uint8_t memory[DEPTH_MAX * sizeof(struct send_request)];
};

static void begin(struct requests *requests, uint32_t depth, struct psn first)
{
    struct arena arena;

    arena_init(&arena, requests->memory, sizeof(requests->memory));
    send_queue_init(&requests->queue, &arena, depth);
    requests->next = first;
}

static void push(struct requests *requests, uint64_t id, uint32_t length_bytes, uint32_t flags)
{
    struct work_request work = { .id = id, .length_bytes = length_bytes, .flags = flags };

    send_queue_push(&requests->queue, &work, PMTU_BYTES);
}

static struct send_request *cut(struct requests *requests, uint32_t *packet_index)
{
    struct send_request *request = send_queue_cut(&requests->queue, requests->next, packet_index);

    requests->next = psn_add(requests->next, 1);
    return request;
}

/* All of the next request. */
static struct send_request *cut_whole(struct requests *requests)
{
    struct send_request *request = send_queue_at(&requests->queue, requests->queue.cutting);
    uint32_t packet_index;

    for (uint32_t i = request->packet_count; i > 0; i--)
        cut(requests, &packet_index);
    return request;
}

static bool can_cut(const struct requests *requests)
{
    return send_queue_can_cut(&requests->queue, UINT32_MAX);
}

SPEC("§3: a message takes a packet for each PMTU begun, and an empty one takes one")
{
    static const struct {
        uint32_t length_bytes;
        uint32_t packet_count;
    } cases[] = { { 0, 1 }, { 1, 1 }, { 1023, 1 }, { 1024, 1 }, { 1025, 2 }, { 2048, 2 },
        { 2049, 3 }, { UINT32_C(1) << 31, 1 << 21 } };
    static struct requests requests;

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(&requests, 1, psn(0));
        push(&requests, 1, cases[i].length_bytes, 0);
        EXPECT_EQ(send_queue_at(&requests.queue, 0)->packet_count, cases[i].packet_count);
    }
}

SPEC("requests are cut in order, each packet with its index and its request's first PSN")
{
    static struct requests requests;
    uint32_t packet_index;

    begin(&requests, 4, psn(0xfffffe));
    push(&requests, 1, 2500, 0);
    push(&requests, 2, 10, 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct send_request *request = cut(&requests, &packet_index);

        EXPECT_EQ(request->work.id, 1);
        EXPECT_EQ(packet_index, i);
        EXPECT_EQ(request->first_psn.value, 0xfffffe);
        EXPECT_EQ(send_queue_last_psn(request).value, 0);
    }
    EXPECT_EQ(cut(&requests, &packet_index)->work.id, 2);
    EXPECT_EQ(packet_index, 0);
    EXPECT_EQ(send_queue_at(&requests.queue, 1)->first_psn.value, 1);
    EXPECT(!can_cut(&requests));
}

SPEC("§3: msn counts messages, rqmsn counts those with an immediate, both from 0 in 16 bits")
{
    static struct requests requests;

    begin(&requests, 2, psn(0));
    for (uint32_t i = 0; i < 3 * 65536; i++) {
        bool has_immediate = i % 3 == 1;
        const struct send_request *request;

        push(&requests, i, 1, has_immediate ? WORK_WITH_IMMEDIATE : 0);
        request = cut_whole(&requests);
        EXPECT_EQ(request->msn, i % 65536);
        EXPECT_EQ(request->rqmsn, has_immediate ? i / 3 : 0);
        send_queue_complete(&requests.queue);
        requests.queue.reported++;
    }
}

SPEC("a queue accepts its depth of requests, not the number of its slots")
{
    static struct requests requests;

    begin(&requests, 5, psn(0));
    EXPECT_EQ(requests.queue.slot_count, 8);
    for (uint32_t i = 0; i < 5; i++) {
        EXPECT(!send_queue_is_full(&requests.queue));
        push(&requests, i, 1, 0);
    }
    EXPECT(send_queue_is_full(&requests.queue));
}

SPEC("a request occupies its place in the queue until its completion is fetched")
{
    static struct requests requests;

    begin(&requests, 1, psn(0));
    push(&requests, 1, 1, 0);
    cut_whole(&requests);
    EXPECT(send_queue_is_full(&requests.queue));
    send_queue_complete(&requests.queue);
    EXPECT(send_queue_is_full(&requests.queue));
    requests.queue.reported++;
    EXPECT(!send_queue_is_full(&requests.queue));
}

SPEC("§3: a WriteImm waits while the allowed number is under way, and blocks later requests")
{
    static struct requests requests;

    begin(&requests, 8, psn(0));
    push(&requests, 1, 1, WORK_WITH_IMMEDIATE);
    push(&requests, 2, 1, WORK_WITH_IMMEDIATE);
    push(&requests, 3, 1, 0);
    push(&requests, 4, 1, WORK_WITH_IMMEDIATE);
    push(&requests, 5, 1, 0);
    cut_whole(&requests);
    EXPECT(!send_queue_can_cut(&requests.queue, 1));
    EXPECT(send_queue_can_cut(&requests.queue, 2));
    cut_whole(&requests);
    EXPECT(send_queue_can_cut(&requests.queue, 2)); /* a plain WRITE goes */
    cut_whole(&requests);
    EXPECT(!send_queue_can_cut(&requests.queue, 2));
    send_queue_complete(&requests.queue);
    EXPECT(send_queue_can_cut(&requests.queue, 2));
    cut_whole(&requests);
    cut_whole(&requests);
    EXPECT(!can_cut(&requests));
}

SPEC("§3: a WriteImm that has begun continues though it reaches the limit itself")
{
    static struct requests requests;
    uint32_t packet_index;

    begin(&requests, 2, psn(0));
    push(&requests, 1, 3 * PMTU_BYTES, WORK_WITH_IMMEDIATE);
    EXPECT(!send_queue_can_cut(&requests.queue, 0));
    cut(&requests, &packet_index);
    EXPECT_EQ(requests.queue.imm_begun, 1);
    EXPECT(send_queue_can_cut(&requests.queue, 1));
    cut(&requests, &packet_index);
    EXPECT_EQ(requests.queue.imm_begun, 1);
    EXPECT(send_queue_can_cut(&requests.queue, 1));
}

SPEC("completing a plain WRITE does not make room for a WriteImm")
{
    static struct requests requests;

    begin(&requests, 4, psn(0));
    push(&requests, 1, 1, 0);
    push(&requests, 2, 1, WORK_WITH_IMMEDIATE);
    push(&requests, 3, 1, WORK_WITH_IMMEDIATE);
    cut_whole(&requests);
    cut_whole(&requests);
    send_queue_complete(&requests.queue);
    EXPECT_EQ(requests.queue.imm_begun, 1);
    EXPECT(!send_queue_can_cut(&requests.queue, 1));
}

SPEC("a request has begun with its first packet, and can be acknowledged after its last")
{
    static struct requests requests;
    uint32_t packet_index;

    begin(&requests, 4, psn(0));
    EXPECT(!send_queue_has_begun(&requests.queue));
    push(&requests, 1, 2 * PMTU_BYTES, 0);
    EXPECT(!send_queue_has_begun(&requests.queue));
    cut(&requests, &packet_index);
    EXPECT(send_queue_has_begun(&requests.queue));
    EXPECT_EQ(send_queue_unacknowledged(&requests.queue), 0);
    cut(&requests, &packet_index);
    EXPECT(send_queue_has_begun(&requests.queue));
    EXPECT_EQ(send_queue_unacknowledged(&requests.queue), 1);
    send_queue_complete(&requests.queue);
    EXPECT(!send_queue_has_begun(&requests.queue));
    EXPECT_EQ(send_queue_unacknowledged(&requests.queue), 0);
}

SPEC("a PSN of a message half sent is found, and one not yet sent is not")
{
    static struct requests requests;
    uint32_t packet_index;

    begin(&requests, 4, psn(100));
    EXPECT(!send_queue_find(&requests.queue, psn(100)));
    push(&requests, 1, 3 * PMTU_BYTES, 0);
    EXPECT(!send_queue_find(&requests.queue, psn(100)));
    cut(&requests, &packet_index);
    EXPECT_EQ(send_queue_find(&requests.queue, psn(100))->work.id, 1);
    EXPECT(!send_queue_find(&requests.queue, psn(99)));
    EXPECT(!send_queue_find(&requests.queue, psn(103)));
}

SPEC("a message of 2^23 packets, the longest there is, is found by its last PSN")
{
    static struct requests requests;
    struct work_request work = { .id = 5, .length_bytes = UINT32_C(1) << 31 };
    uint32_t packet_index;

    begin(&requests, 2, psn(77));
    send_queue_push(&requests.queue, &work, 256);
    work.id = 6;
    send_queue_push(&requests.queue, &work, 256);
    EXPECT_EQ(send_queue_at(&requests.queue, 0)->packet_count, 1 << 23);
    cut(&requests, &packet_index);
    requests.queue.packets_cut = (1 << 23) - 1; /* as if all but the last were cut */
    requests.next = psn(77 + (1 << 23) - 1);
    cut(&requests, &packet_index);
    EXPECT_EQ(packet_index, (1 << 23) - 1);
    cut(&requests, &packet_index);
    EXPECT_EQ(packet_index, 0);
    EXPECT_EQ(send_queue_find(&requests.queue, psn(77 + (1 << 23) - 1))->work.id, 5);
    EXPECT_EQ(send_queue_find(&requests.queue, psn(77 + (1 << 23)))->work.id, 6);
}

SPEC("starting again removes the requests and keeps the depth")
{
    static struct requests requests;

    begin(&requests, 3, psn(0));
    push(&requests, 1, 1, WORK_WITH_IMMEDIATE);
    cut_whole(&requests);
    push(&requests, 2, 5000, 0);
    cut(&requests, &(uint32_t){ 0 });
    send_queue_start(&requests.queue);
    EXPECT(!can_cut(&requests));
    EXPECT(!send_queue_has_begun(&requests.queue));
    EXPECT_EQ(requests.queue.next_rqmsn, 0);
    EXPECT_EQ(requests.queue.imm_begun, 0);
    EXPECT_EQ(requests.queue.depth, 3);
    for (uint32_t i = 0; i < 3; i++)
        push(&requests, 10 + i, 1, 0);
    EXPECT(send_queue_is_full(&requests.queue));
    EXPECT_EQ(cut_whole(&requests)->work.id, 10);
}

SPEC("a measuring arena counts the bytes of a queue of any depth")
{
    for (uint32_t depth = 1; depth <= 9; depth++) {
        struct arena arena;
        uint32_t slots = depth <= 1 ? 1 : depth <= 2 ? 2 : depth <= 4 ? 4 : depth <= 8 ? 8 : 16;

        arena_init(&arena, NULL, 0);
        send_queue_init(NULL, &arena, depth);
        EXPECT_EQ(arena.used_bytes, slots * sizeof(struct send_request));
    }
}

/* What belongs to a PSN not yet done, kept in the plainest way. */
struct cut_packet {
    uint64_t id;
    uint32_t packet_index;
};

PROPERTY("across the wrap of PSNs and positions, every PSN not done finds its request", 300)
{
    enum { PACKETS_MAX = 4096 };
    static struct requests requests;
    static struct cut_packet packets[PACKETS_MAX]; /* by distance from the first PSN */
    struct prng prng = prng_stream(seed, 0);
    struct psn first = psn_add(psn(0), -(int32_t)prng_below(&prng, 2000));
    uint32_t count = 0; /* packets cut */
    uint32_t done = 0;  /* of them those of completed requests */
    uint64_t id = 1;

    begin(&requests, 1 + prng_below(&prng, DEPTH_MAX), first);
    requests.queue.reported = requests.queue.done = requests.queue.cutting = requests.queue.posted =
        UINT32_MAX - prng_below(&prng, 50);
    while (count < PACKETS_MAX - 1 && id < 400) {
        uint32_t action = prng_below(&prng, 4);

        if (action == 0 && !send_queue_is_full(&requests.queue))
            push(&requests, id++, prng_below(&prng, 6 * PMTU_BYTES),
                prng_below(&prng, 2) ? WORK_WITH_IMMEDIATE : 0);
        if ((action == 1 || action == 2) && can_cut(&requests)) {
            struct cut_packet *packet = &packets[count++];

            packet->id = cut(&requests, &packet->packet_index)->work.id;
        }
        if (action == 3 && send_queue_unacknowledged(&requests.queue) > 0) {
            done += send_queue_at(&requests.queue, requests.queue.done)->packet_count;
            send_queue_complete(&requests.queue);
            requests.queue.reported++;
        }
        for (uint32_t i = count > 100 ? count - 100 : 0; i < count; i++) {
            struct psn psn = psn_add(first, (int32_t)i);
            const struct send_request *request = send_queue_find(&requests.queue, psn);

            EXPECT_EQ(request != NULL, i >= done);
            if (request) {
                EXPECT_EQ(request->work.id, packets[i].id);
                EXPECT_EQ(psn_distance(request->first_psn, psn), packets[i].packet_index);
            }
        }
    }
    EXPECT_GT(count, 100);
}
