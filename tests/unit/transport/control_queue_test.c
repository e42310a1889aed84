/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of answers waiting to leave. */
#include "spec.h"

#include <stdalign.h>
#include <string.h>

#include "base/prng.h"
#include "transport/control_queue.h"

enum { SLOTS = 8, ADDRESSES = 4 };

struct queue {
    struct control_queue control;
    alignas(16) uint8_t
        memory[SLOTS * sizeof(struct control_record) + ADDRESSES * sizeof(struct ipv6_addr)];
};

static void queue_init(struct queue *queue)
{
    struct arena arena;

    arena_init(&arena, queue->memory, sizeof(queue->memory));
    control_queue_init(&queue->control, &arena, SLOTS, ADDRESSES);
    EXPECT_EQ(arena.used_bytes, sizeof(queue->memory));
}

static struct ipv6_addr address(uint32_t number)
{
    struct ipv6_addr address = { .octets = { 0xfd } };

    memcpy(&address.octets[12], &number, sizeof(number));
    return address;
}

static bool push(struct queue *queue, uint32_t qp_index, uint32_t number)
{
    struct control_record record = {
        .kind = CONTROL_SACK, .qp_index = qp_index, .psn = psn(number), .entropy = number
    };

    return control_queue_push(&queue->control, &record);
}

static bool push_endpoint(struct queue *queue, uint32_t number)
{
    struct ipv6_addr destination = address(number);

    return control_queue_push_endpoint(
        &queue->control, (struct control_record){ .psn = psn(number) }, &destination);
}

/* Its number; 0 when the queue is empty. */
static uint32_t pop(struct queue *queue)
{
    const struct control_record *record = control_queue_peek(&queue->control);
    uint32_t number;

    if (!record)
        return 0;
    number = record->psn.value;
    if (record->kind == CONTROL_ENDPOINT_ANSWER) {
        struct ipv6_addr expected = address(number);

        EXPECT(ip_address_equal(control_queue_address(&queue->control), &expected));
    }
    control_queue_take(&queue->control, 0);
    return number;
}

SPEC("an empty queue has no answer")
{
    struct queue queue;

    queue_init(&queue);
    EXPECT(!control_queue_peek(&queue.control));
}

SPEC("answers leave in the order they were queued, with all their fields")
{
    struct queue queue;
    struct control_record record = { .qp_index = 3,
        .psn = psn(0xfffffe),
        .entropy = 77,
        .arrival_ns = 0xdeadbeef,
        .tx_timestamp = 1,
        .probe_id = 2,
        .kind = CONTROL_NACK,
        .code = 4,
        .port = 5,
        .retransmission = true };

    queue_init(&queue);
    EXPECT(push(&queue, 9, 1));
    EXPECT(control_queue_push(&queue.control, &record));
    EXPECT_EQ(pop(&queue), 1);
    EXPECT_MEM_EQ(control_queue_peek(&queue.control), &record, sizeof(record));
}

SPEC("an answer may leave before older ones, which keep their order")
{
    struct queue queue;

    queue_init(&queue);
    for (uint32_t i = 1; i <= 3; i++)
        EXPECT(push(&queue, 0, i));
    EXPECT(push_endpoint(&queue, 4));
    EXPECT_EQ(control_queue_at(&queue.control, 1)->psn.value, 2);
    control_queue_take(&queue.control, 1);
    EXPECT_EQ(control_queue_count(&queue.control), 3);
    control_queue_take(&queue.control, 2);
    EXPECT(push_endpoint(&queue, 5));
    EXPECT_EQ(pop(&queue), 1);
    EXPECT_EQ(pop(&queue), 3);
    EXPECT_EQ(pop(&queue), 5);
    EXPECT_EQ(pop(&queue), 0);
}

SPEC("a full queue refuses an answer until one has left")
{
    struct queue queue;

    queue_init(&queue);
    for (uint32_t i = 1; i <= SLOTS; i++)
        EXPECT(push(&queue, 0, i));
    EXPECT(!push(&queue, 0, 100));
    EXPECT(!push_endpoint(&queue, 100));
    EXPECT_EQ(pop(&queue), 1);
    EXPECT(push_endpoint(&queue, 9));
    EXPECT(!push(&queue, 0, 100));
    for (uint32_t i = 2; i <= SLOTS + 1; i++)
        EXPECT_EQ(pop(&queue), i);
    EXPECT_EQ(pop(&queue), 0);
}

SPEC("an Endpoint Response keeps its destination")
{
    struct queue queue;

    queue_init(&queue);
    push(&queue, 1, 1);
    push_endpoint(&queue, 2);
    push_endpoint(&queue, 3);
    EXPECT_EQ(pop(&queue), 1);
    EXPECT_EQ(control_queue_peek(&queue.control)->kind, CONTROL_ENDPOINT_ANSWER);
    EXPECT_EQ(pop(&queue), 2);
    EXPECT_EQ(pop(&queue), 3);
}

SPEC("Endpoint Responses leave room for the answers of QPs")
{
    struct queue queue;

    queue_init(&queue);
    for (uint32_t i = 1; i <= ADDRESSES; i++)
        EXPECT(push_endpoint(&queue, i));
    EXPECT(!push_endpoint(&queue, 100));
    EXPECT(push(&queue, 1, ADDRESSES + 1));
    EXPECT_EQ(pop(&queue), 1);
    EXPECT(push_endpoint(&queue, ADDRESSES + 2));
    for (uint32_t i = 2; i <= ADDRESSES + 2; i++)
        EXPECT_EQ(pop(&queue), i);
}

SPEC("removing a QP keeps the answers of others and of the endpoint")
{
    struct queue queue;

    queue_init(&queue);
    push(&queue, 1, 1);
    push_endpoint(&queue, 2);
    push(&queue, 1, 3);
    push(&queue, 2, 4);
    push_endpoint(&queue, 5);
    control_queue_forget(&queue.control, 1);
    EXPECT_EQ(pop(&queue), 2);
    EXPECT_EQ(pop(&queue), 4);
    EXPECT_EQ(pop(&queue), 5);
    EXPECT_EQ(pop(&queue), 0);
}

SPEC("removing the QP with index 0 keeps the answers of the endpoint, which have no QP")
{
    struct queue queue;

    queue_init(&queue);
    push_endpoint(&queue, 1);
    push(&queue, 0, 2);
    push_endpoint(&queue, 3);
    push(&queue, 1, 4);
    control_queue_forget(&queue.control, 0);
    EXPECT_EQ(pop(&queue), 1);
    EXPECT_EQ(pop(&queue), 3);
    EXPECT_EQ(pop(&queue), 4);
    EXPECT_EQ(pop(&queue), 0);
}

SPEC("a measuring arena counts the bytes of a queue")
{
    struct control_queue control;
    struct arena arena;

    arena_init(&arena, NULL, 0);
    control_queue_init(&control, &arena, SLOTS, ADDRESSES);
    EXPECT_EQ(arena.used_bytes, sizeof(((struct queue *)NULL)->memory));
}

/* QP 0 stands for an Endpoint Response here. */
struct model {
    uint32_t numbers[SLOTS];
    uint32_t qps[SLOTS];
    uint32_t count;
};

static void model_forget(struct model *model, uint32_t qp_index)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < model->count; i++)
        if (model->qps[i] != qp_index) {
            model->qps[kept] = model->qps[i];
            model->numbers[kept++] = model->numbers[i];
        }
    model->count = kept;
}

static uint32_t model_pop(struct model *model)
{
    uint32_t number = model->numbers[0];

    if (model->count == 0)
        return 0;
    model->count--;
    memmove(&model->numbers[0], &model->numbers[1], model->count * sizeof(model->numbers[0]));
    memmove(&model->qps[0], &model->qps[1], model->count * sizeof(model->qps[0]));
    return number;
}

static uint32_t model_endpoints(const struct model *model)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < model->count; i++)
        count += model->qps[i] == 0;
    return count;
}

PROPERTY("after random operations the queue has the same answers as a plain list", 300)
{
    struct queue queue;
    struct model model = { .count = 0 };
    struct prng prng = prng_stream(seed, 0);

    queue_init(&queue);
    queue.control.head = queue.control.tail = UINT32_MAX - prng_below(&prng, 100);
    for (uint32_t number = 1; number < 300; number++) {
        uint32_t qp_index = prng_below(&prng, 4);
        bool fits = model.count < SLOTS && (qp_index || model_endpoints(&model) < ADDRESSES);

        if (prng_below(&prng, 3) == 0) {
            EXPECT_EQ(pop(&queue), model_pop(&model));
        } else if (qp_index > 0 && prng_below(&prng, 8) == 0) {
            control_queue_forget(&queue.control, qp_index);
            model_forget(&model, qp_index);
        } else {
            EXPECT_EQ(
                qp_index ? push(&queue, qp_index, number) : push_endpoint(&queue, number), fits);
            if (fits) {
                model.qps[model.count] = qp_index;
                model.numbers[model.count++] = number;
            }
        }
    }
    while (model.count > 0)
        EXPECT_EQ(pop(&queue), model_pop(&model));
    EXPECT_EQ(pop(&queue), 0);
}
