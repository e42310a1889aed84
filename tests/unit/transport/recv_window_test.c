/* SPDX-License-Identifier: Apache-2.0 */
/* What the responder remembers of PSNs, alone and beside a plain list of them. */
#include "spec.h"

#include <stdalign.h>
#include <string.h>

#include "base/prng.h"
#include "transport/recv_window.h"

enum { PSNS_MAX = 32768, SIZES = 9 };

struct tracker {
    struct recv_window window;
    alignas(64) uint8_t memory[RECV_WINDOW_BYTES(PSNS_MAX)];
};

static void begin(struct tracker *tracker, uint32_t psn_count, struct psn expected)
{
    struct arena arena;

    arena_init(&arena, tracker->memory, sizeof(tracker->memory));
    recv_window_init(&tracker->window, &arena, psn_count);
    EXPECT_EQ(arena.used_bytes, RECV_WINDOW_BYTES(psn_count));
    recv_window_start(&tracker->window, expected);
}

static const struct recv_window_part middle;
static const struct recv_window_part first_part = { .begins = true };
static const struct recv_window_part last_part = { .ends = true };
static const struct recv_window_part only = { .begins = true, .ends = true };

struct progress {
    uint32_t psns; /* by which cack advanced */
    uint32_t messages;
};

static struct progress take_part(
    struct tracker *tracker, struct psn psn, struct recv_window_part part)
{
    struct psn cack = tracker->window.cack;
    uint32_t messages = recv_window_take(&tracker->window, psn, part);

    return (struct progress){ .psns = (uint32_t)psn_distance(cack, tracker->window.cack),
        .messages = messages };
}

static struct progress take(struct tracker *tracker, struct psn psn)
{
    return take_part(tracker, psn, middle);
}

SPEC("a new window expects its first PSN and has received everything before it")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(0));
    EXPECT_EQ(tracker.window.cack.value, 0xffffff);
    EXPECT_EQ(tracker.window.highest.value, 0xffffff);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(0xffffff), 128), RECV_WINDOW_OLD);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(0), 128), RECV_WINDOW_NEW);
    recv_window_check(&tracker.window);
}

SPEC("§4: PSNs are new from cack + 1 to cack + range, and beyond after that")
{
    static struct tracker tracker;

    begin(&tracker, 1024, psn(0xffffff));
    EXPECT_EQ(recv_window_place(&tracker.window, psn(0xfffffe), 128), RECV_WINDOW_OLD);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(0xffffff), 128), RECV_WINDOW_NEW);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(126), 128), RECV_WINDOW_NEW);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(127), 128), RECV_WINDOW_BEYOND);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(1022), 4096), RECV_WINDOW_NEW);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(1023), 4096), RECV_WINDOW_BEYOND);
}

SPEC("§4: everything up to half the number space behind is old")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(1));
    EXPECT_EQ(
        recv_window_place(&tracker.window, psn_add(psn(0), -(1 << 23)), 128), RECV_WINDOW_OLD);
    EXPECT_EQ(recv_window_place(&tracker.window, psn_add(psn(0), (1 << 23) - 1), 128),
        RECV_WINDOW_BEYOND);
}

SPEC("a PSN above a gap is a duplicate when it comes again, one below it is old")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(10));
    take(&tracker, psn(10));
    take(&tracker, psn(12));
    EXPECT_EQ(recv_window_place(&tracker.window, psn(10), 128), RECV_WINDOW_OLD);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(11), 128), RECV_WINDOW_NEW);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(12), 128), RECV_WINDOW_DUPLICATE);
    EXPECT_EQ(tracker.window.ooo_count, 1);
    EXPECT_EQ(tracker.window.highest.value, 12);
}

SPEC("with a narrower range, PSNs outside it are beyond, received or not")
{
    static struct tracker tracker;

    begin(&tracker, 512, psn(0));
    take(&tracker, psn(200));
    EXPECT_EQ(recv_window_place(&tracker.window, psn(200), 512), RECV_WINDOW_DUPLICATE);
    EXPECT_EQ(recv_window_place(&tracker.window, psn(200), 128), RECV_WINDOW_BEYOND);
}

SPEC("a packet that fills a gap moves cack past the packets behind it")
{
    static struct tracker tracker;
    struct progress progress;

    begin(&tracker, 128, psn(0xfffff0));
    for (int32_t i = 1; i < 100; i++)
        EXPECT_EQ(take(&tracker, psn_add(psn(0xfffff0), i)).psns, 0);
    EXPECT_EQ(tracker.window.ooo_count, 99);
    progress = take(&tracker, psn(0xfffff0));
    EXPECT_EQ(progress.psns, 100);
    EXPECT_EQ(progress.messages, 0);
    EXPECT_EQ(tracker.window.cack.value, psn_add(psn(0xfffff0), 99).value);
    EXPECT_EQ(tracker.window.ooo_count, 0);
    recv_window_check(&tracker.window);
}

SPEC("messages count when cack passes their last packet, wherever that is")
{
    static struct tracker tracker;
    struct progress progress;

    begin(&tracker, 128, psn(62));
    recv_window_take(&tracker.window, psn(63), last_part);
    recv_window_take(&tracker.window, psn(64), first_part);
    recv_window_take(&tracker.window, psn(65), last_part);
    recv_window_take(&tracker.window, psn(67), last_part);
    progress = take(&tracker, psn(62));
    EXPECT_EQ(progress.psns, 4);
    EXPECT_EQ(progress.messages, 2);
    progress = take(&tracker, psn(66));
    EXPECT_EQ(progress.psns, 2);
    EXPECT_EQ(progress.messages, 1);
}

SPEC("a window with all but the oldest PSN is emptied at once, for any size")
{
    static struct tracker tracker;

    for (uint32_t psn_count = 128; psn_count <= PSNS_MAX; psn_count *= 2) {
        struct psn first = psn(0xffffff - psn_count / 3);
        struct progress progress;

        begin(&tracker, psn_count, first);
        for (uint32_t i = psn_count; i-- > 1;)
            recv_window_take(&tracker.window, psn_add(first, (int32_t)i), only);
        progress = take_part(&tracker, first, only);
        EXPECT_EQ(progress.psns, psn_count);
        EXPECT_EQ(progress.messages, psn_count);
        EXPECT_EQ(tracker.window.ooo_count, 0);
        recv_window_check(&tracker.window);
    }
}

SPEC("a bitmap shows what was received from its base on, up to the highest")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(0xfffffe));
    take(&tracker, psn(0xffffff));
    take(&tracker, psn(2));
    EXPECT_EQ(recv_window_bitmap(&tracker.window, psn(0xfffffe)), 1 << 1 | 1 << 4);
    EXPECT_EQ(recv_window_bitmap(&tracker.window, psn(2)), 1);
    EXPECT_EQ(recv_window_bitmap(&tracker.window, psn(3)), 0);
}

SPEC("a bitmap near the end of a small window does not show its beginning again")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(0));
    for (uint32_t i = 1; i < 128; i++)
        take(&tracker, psn(i));
    EXPECT_EQ(recv_window_bitmap(&tracker.window, psn(127)), 1);
    EXPECT_EQ(recv_window_bitmap(&tracker.window, psn(65)), (UINT64_C(1) << 63) - 1);
    EXPECT_EQ(recv_window_bitmap(&tracker.window, psn(64)), UINT64_MAX);
    EXPECT_EQ(recv_window_bitmap(&tracker.window, psn(0)), UINT64_MAX - 1);
}

/* ---- messages ------------------------------------------------------------------------------- */

static bool fits(const struct tracker *tracker, uint32_t value, struct recv_window_part part)
{
    return recv_window_fits(&tracker->window, psn(value), part);
}

SPEC("the first packet begins a message")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(7));
    EXPECT(fits(&tracker, 7, first_part));
    EXPECT(fits(&tracker, 7, only));
    EXPECT(!fits(&tracker, 7, middle));
    EXPECT(!fits(&tracker, 7, last_part));
    EXPECT(fits(&tracker, 8, middle)); /* what came before it is not known yet */
}

SPEC("in order, a message begins where the one before has ended and nowhere else")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(7));
    recv_window_take(&tracker.window, psn(7), first_part);
    EXPECT(!fits(&tracker, 8, first_part));
    EXPECT(!fits(&tracker, 8, only));
    EXPECT(fits(&tracker, 8, middle));
    EXPECT(fits(&tracker, 8, last_part));
    recv_window_take(&tracker.window, psn(8), last_part);
    EXPECT(fits(&tracker, 9, first_part));
    EXPECT(!fits(&tracker, 9, middle));
}

SPEC("among gaps, both neighbours determine where messages begin and end")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(0));
    recv_window_take(&tracker.window, psn(10), last_part);
    recv_window_take(&tracker.window, psn(12), first_part);
    EXPECT(fits(&tracker, 11, only));
    EXPECT(!fits(&tracker, 11, first_part)); /* 12 begins a message, so 11 ends one */
    EXPECT(!fits(&tracker, 11, last_part));  /* 10 ended one, so 11 begins one */
    EXPECT(!fits(&tracker, 11, middle));
    EXPECT(fits(&tracker, 13, middle));
    EXPECT(!fits(&tracker, 13, only));
    EXPECT(fits(&tracker, 9, middle));
    EXPECT(!fits(&tracker, 9, last_part));
}

SPEC("the end of a message is kept when the window moves over a gap")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(0));
    recv_window_take(&tracker.window, psn(1), last_part);
    recv_window_take(&tracker.window, psn(0), first_part);
    EXPECT(fits(&tracker, 2, only));
    EXPECT(!fits(&tracker, 2, last_part));
    recv_window_take(&tracker.window, psn(3), middle);
    recv_window_take(&tracker.window, psn(2), first_part);
    EXPECT(fits(&tracker, 4, last_part));
    EXPECT(!fits(&tracker, 4, first_part));
}

SPEC("a slot is not mistaken for the one a whole window later")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(0));
    recv_window_take(&tracker.window, psn(5), middle);
    EXPECT(fits(&tracker, 128 + 4, last_part)); /* 133 has the slot of 5 and has not arrived */
    EXPECT(fits(&tracker, 128 + 6, first_part));
}

SPEC("starting again clears the window")
{
    static struct tracker tracker;

    begin(&tracker, 128, psn(0));
    for (uint32_t i = 1; i < 128; i++)
        recv_window_take(&tracker.window, psn(i), only);
    recv_window_start(&tracker.window, psn(5));
    EXPECT_EQ(tracker.window.ooo_count, 0);
    EXPECT_EQ(tracker.window.cack.value, 4);
    EXPECT_EQ(tracker.window.highest.value, 4);
    for (uint32_t i = 5; i < 133; i++)
        EXPECT_EQ(recv_window_place(&tracker.window, psn(i), 128), RECV_WINDOW_NEW);
    EXPECT(fits(&tracker, 5, first_part));
    take(&tracker, psn(6));
    EXPECT_EQ(take(&tracker, psn(5)).messages, 0);
    recv_window_check(&tracker.window);
}

SPEC("a measuring arena counts the bytes of every size of window")
{
    for (uint32_t psn_count = 128; psn_count <= PSNS_MAX; psn_count *= 2) {
        struct arena arena;

        arena_init(&arena, NULL, 0);
        recv_window_init(NULL, &arena, psn_count);
        EXPECT_EQ(arena.used_bytes, RECV_WINDOW_BYTES(psn_count));
    }
}

/* ---- beside the model ----------------------------------------------------------------------- */

enum { ARRIVALS_MAX = 4 * PSNS_MAX };

/* By distance from the first PSN. `cack` counts those received without a gap. */
struct model {
    struct psn first;
    uint32_t cack;
    uint32_t end; /* the highest received, plus 1 */
    uint32_t ooo_count;
    bool received[ARRIVALS_MAX];
    bool ends[ARRIVALS_MAX];
    bool begins[ARRIVALS_MAX];
};

static struct progress model_take(
    struct model *model, uint32_t distance, struct recv_window_part part)
{
    struct progress progress = { .psns = 0 };

    model->received[distance] = true;
    model->ends[distance] = part.ends;
    model->begins[distance] = part.begins;
    model->ooo_count++;
    if (distance >= model->end)
        model->end = distance + 1;
    for (; model->received[model->cack]; model->cack++) {
        progress.psns++;
        progress.messages += model->ends[model->cack];
        model->ooo_count--;
    }
    return progress;
}

/* Whether a message begins exactly where the one before it ended, as far as that has arrived. */
static bool model_fits(const struct model *model, uint32_t distance, struct recv_window_part part)
{
    bool before_arrived = distance == 0 || model->received[distance - 1];
    bool before_ended = distance == 0 || model->ends[distance - 1];

    return (!before_arrived || part.begins == before_ended) &&
           (!model->received[distance + 1] || part.ends == model->begins[distance + 1]);
}

static enum recv_window_place model_place(
    const struct model *model, int32_t distance, uint32_t range_psns)
{
    if (distance < (int32_t)model->cack)
        return RECV_WINDOW_OLD;
    if (distance >= (int32_t)(model->cack + range_psns))
        return RECV_WINDOW_BEYOND;
    return model->received[distance] ? RECV_WINDOW_DUPLICATE : RECV_WINDOW_NEW;
}

static uint64_t model_bitmap(const struct model *model, uint32_t base)
{
    uint64_t bitmap = 0;

    for (uint32_t i = 0; i < 64 && base + i < model->end; i++)
        bitmap |= (uint64_t)model->received[base + i] << i;
    return bitmap;
}

static struct psn at(const struct model *model, uint32_t distance)
{
    return psn_add(model->first, (int32_t)distance);
}

static void expect_progress(const struct progress *found, const struct progress *expected)
{
    EXPECT_EQ(found->psns, expected->psns);
    EXPECT_EQ(found->messages, expected->messages);
}

static void expect_equal(const struct recv_window *window, const struct model *model)
{
    EXPECT_EQ(window->cack.value, psn_add(at(model, model->cack), -1).value);
    EXPECT_EQ(window->highest.value, psn_add(at(model, model->end), -1).value);
    EXPECT_EQ(window->ooo_count, model->ooo_count);
}

/* The next PSN to arrive: the expected one, one not far from it, or any admitted. */
static uint32_t random_distance(
    const struct model *model, uint32_t psn_count, uint32_t order, struct prng *prng)
{
    uint32_t near = psn_count < 150 ? psn_count : 150;

    if (prng_below(prng, 100) < order)
        return model->cack;
    return model->cack + prng_below(prng, prng_below(prng, 4) ? near : psn_count);
}

static void clear(struct model *model, struct psn first)
{
    memset(model, 0, sizeof(*model));
    model->first = first;
}

PROPERTY("windows of every size, across the wrap, receive the same as a plain list of PSNs", 450)
{
    static struct tracker tracker;
    static struct model model;
    struct prng prng = prng_stream(seed, 0);
    uint32_t psn_count = UINT32_C(128) << seed % SIZES;
    uint32_t order = prng_below(&prng, 100); /* how often the expected one comes, in percent */

    clear(&model, psn_add(psn(0), -(int32_t)prng_below(&prng, 2 * psn_count)));
    begin(&tracker, psn_count, model.first);
    for (uint32_t i = 0; i < 3000 && model.end + psn_count < ARRIVALS_MAX; i++) {
        uint32_t distance = random_distance(&model, psn_count, order, &prng);
        uint32_t range_psns = 128 * (1 + prng_below(&prng, psn_count / 128));
        struct recv_window_part part = { .begins = prng_below(&prng, 3) == 0,
            .ends = prng_below(&prng, 3) == 0 };

        EXPECT_EQ(recv_window_place(&tracker.window, at(&model, distance), range_psns),
            model_place(&model, (int32_t)distance, range_psns));
        if (!model.received[distance]) {
            EXPECT_EQ(recv_window_fits(&tracker.window, at(&model, distance), part),
                model_fits(&model, distance, part));
            struct progress expected = model_take(&model, distance, part);
            struct progress progress = take_part(&tracker, at(&model, distance), part);

            expect_progress(&progress, &expected);
        }
        expect_equal(&tracker.window, &model);
        if (model.end > model.cack) {
            uint32_t base = model.cack + prng_below(&prng, model.end - model.cack);

            EXPECT_EQ(
                recv_window_bitmap(&tracker.window, at(&model, base)), model_bitmap(&model, base));
        }
    }
    recv_window_check(&tracker.window);
}

PROPERTY("packets in order leave the window in the same state as the general case", 300)
{
    static struct tracker quick;
    static struct tracker thorough;
    struct prng prng = prng_stream(seed, 0);
    struct psn first = psn_add(psn(0), -(int32_t)prng_below(&prng, 1000));
    uint32_t taken = 0;

    begin(&quick, 128, first);
    begin(&thorough, 128, first);
    for (uint32_t i = 0; i < 500; i++) {
        /* In order for a while, then one ahead of its turn. */
        uint32_t ahead = prng_below(&prng, 10) ? 0 : prng_below(&prng, 128);
        struct psn psn = psn_add(quick.window.cack, 1 + (int32_t)ahead);
        struct recv_window_part part = { .begins = prng_below(&prng, 2),
            .ends = prng_below(&prng, 2) };
        uint32_t messages;

        if (recv_window_place(&quick.window, psn, 128) != RECV_WINDOW_NEW)
            continue;
        messages = recv_window_take(&quick.window, psn, part);
        recv_window_mark(&thorough.window, psn, part);
        EXPECT_EQ(messages, ahead == 0 ? recv_window_advance(&thorough.window) : 0);
        EXPECT_EQ(quick.window.cack.value, thorough.window.cack.value);
        EXPECT_EQ(quick.window.highest.value, thorough.window.highest.value);
        EXPECT_EQ(quick.window.ooo_count, thorough.window.ooo_count);
        EXPECT_EQ(quick.window.ended, thorough.window.ended);
        EXPECT_MEM_EQ(quick.memory, thorough.memory, RECV_WINDOW_BYTES(128));
        taken++;
    }
    EXPECT_GT(taken, 100);
}
