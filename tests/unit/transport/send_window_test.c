/* SPDX-License-Identifier: Apache-2.0 */
/* What the requester remembers of PSNs in flight, alone and beside a plain list of them. */
#include "spec.h"

#include <stdalign.h>
#include <string.h>

#include "base/prng.h"
#include "transport/send_window.h"

enum { PSNS_MAX = 32768, SIZES = 9 };

enum fate { IN_FLIGHT, ACKED, LOST };

/* Of each PSN ever sent, by its distance from the first. */
struct sent {
    struct send_record record;
    enum fate fate;
};

enum { SENT_MAX = 4 * PSNS_MAX };

struct fixture {
    struct send_window window;
    struct psn first;
    uint32_t oldest; /* the model: distances from `first` */
    uint32_t next;
    struct sent sent[SENT_MAX];
    alignas(64) uint8_t memory[SEND_WINDOW_BYTES(PSNS_MAX)];
};

static struct fixture fixture;

static void begin(uint32_t psn_count, struct psn first)
{
    struct arena arena;

    arena_init(&arena, fixture.memory, sizeof(fixture.memory));
    send_window_init(&fixture.window, &arena, psn_count);
    EXPECT_EQ(arena.used_bytes, SEND_WINDOW_BYTES(psn_count));
    send_window_start(&fixture.window, first);
    fixture.first = first;
    fixture.oldest = fixture.next = 0;
}

static struct psn at(uint32_t distance)
{
    return psn_add(fixture.first, (int32_t)distance);
}

static uint32_t bytes_of(struct psn psn)
{
    return 100 + psn.value % 1000;
}

static uint32_t bytes_for_check(const void *context, struct psn psn)
{
    EXPECT(context == &fixture);
    return bytes_of(psn);
}

static void send_copy(uint32_t distance, struct send_record record)
{
    if (psn_equal(at(distance), fixture.window.next))
        send_window_sent(&fixture.window, record, bytes_of(at(distance)));
    else
        send_window_sent_again(&fixture.window, at(distance), record, bytes_of(at(distance)));
    fixture.sent[distance] = (struct sent){ .record = record };
    if (distance == fixture.next)
        fixture.next++;
}

static void send_new(uint32_t count)
{
    while (count-- > 0)
        send_copy(fixture.next, (struct send_record){ .ticks = fixture.next });
}

static void lose(uint32_t distance)
{
    send_window_lose(&fixture.window, at(distance), bytes_of(at(distance)));
    fixture.sent[distance].fate = LOST;
}

static void acknowledge(uint32_t distance)
{
    uint64_t in_flight = fixture.sent[distance].fate != LOST;

    EXPECT_EQ(send_window_acknowledge(&fixture.window, at(distance), 1), in_flight);
    if (in_flight)
        send_window_shrink(&fixture.window, bytes_of(at(distance)));
    fixture.sent[distance].fate = ACKED;
}

static void advance(void)
{
    uint32_t before = fixture.oldest;

    while (fixture.oldest < fixture.next && fixture.sent[fixture.oldest].fate == ACKED)
        fixture.oldest++;
    EXPECT_EQ(send_window_advance(&fixture.window), fixture.oldest != before);
}

/* ---- time ----------------------------------------------------------------------------------- */

SPEC("send times count 64 ns and wrap after 2^24 of them")
{
    EXPECT_EQ(send_window_ticks(0), 0);
    EXPECT_EQ(send_window_ticks(63), 0);
    EXPECT_EQ(send_window_ticks(64), 1);
    EXPECT_EQ(send_window_ticks(UINT64_C(64) << 24), 0);
    EXPECT_EQ(send_window_ticks((UINT64_C(64) << 24) - 1), 0xffffff);
}

SPEC("an age is right across the wrap of send times")
{
    uint64_t wrap_ns = UINT64_C(64) << 24;
    uint32_t ticks = send_window_ticks(wrap_ns - 640);

    EXPECT_EQ(send_window_age_ns(ticks, wrap_ns - 640), 0);
    EXPECT_EQ(send_window_age_ns(ticks, wrap_ns - 640 + 64), 64);
    EXPECT_EQ(send_window_age_ns(ticks, wrap_ns + 1000), 640 + 1000 / 64 * 64);
    EXPECT_EQ(send_window_age_ns(ticks, 2 * wrap_ns - 640 - 64), wrap_ns - 64);
}

SPEC("of two send times the later is the one less than half a turn ahead")
{
    EXPECT(!send_window_later(5, 5));
    EXPECT(send_window_later(6, 5));
    EXPECT(!send_window_later(5, 6));
    EXPECT(send_window_later(2, 0xfffffe));
    EXPECT(!send_window_later(0xfffffe, 2));
    EXPECT(send_window_later(0x7fffff, 0));
    EXPECT(!send_window_later(0x800001, 0));
}

/* ---- records -------------------------------------------------------------------------------- */

SPEC("a record keeps 24 bits of time, 10 bits of EV and the flags")
{
    struct send_record all = { .ticks = 0xffffff,
        .ev_index = 1023,
        .flags = SEND_ODD_SIZE | SEND_TWICE | SEND_OFTEN | SEND_DEMOTED | SEND_HELD };
    struct send_record record;

    begin(128, psn(0));
    for (uint32_t ev_index = 0; ev_index < 128; ev_index++)
        send_copy(
            ev_index, (struct send_record){ .ticks = 0xabcdef, .ev_index = ev_index * 8 + 7 });
    for (uint32_t i = 0; i < 128; i++) {
        record = send_window_record(&fixture.window, at(i));
        EXPECT_EQ(record.ticks, 0xabcdef);
        EXPECT_EQ(record.ev_index, i * 8 + 7);
        EXPECT_EQ(record.flags, 0);
    }
    lose(5);
    send_copy(5, all);
    record = send_window_record(&fixture.window, at(5));
    EXPECT_EQ(record.ticks, all.ticks);
    EXPECT_EQ(record.ev_index, all.ev_index);
    EXPECT_EQ(record.flags, all.flags);
}

SPEC("flags are added to those a record has, and its EV stays")
{
    begin(128, psn(0));
    send_copy(0, (struct send_record){ .ev_index = 1000, .flags = SEND_ODD_SIZE });
    send_window_set_flags(&fixture.window, at(0), SEND_DEMOTED);
    EXPECT_EQ(send_window_record(&fixture.window, at(0)).flags, SEND_ODD_SIZE | SEND_DEMOTED);
    EXPECT_EQ(send_window_record(&fixture.window, at(0)).ev_index, 1000);
}

SPEC("a record is remembered until the PSN one window later takes its slot")
{
    begin(128, psn(0xffffc0));
    send_new(128);
    for (uint32_t i = 0; i < 128; i++)
        acknowledge(i);
    advance();
    EXPECT(send_window_remembers(&fixture.window, at(0)));
    EXPECT(!send_window_holds(&fixture.window, at(0)));
    EXPECT(!send_window_remembers(&fixture.window, psn_add(at(0), -1)));
    EXPECT(!send_window_remembers(&fixture.window, at(128)));
    send_new(1);
    EXPECT(!send_window_remembers(&fixture.window, at(0)));
    EXPECT(send_window_remembers(&fixture.window, at(1)));
    EXPECT(send_window_remembers(&fixture.window, at(128)));
}

/* ---- in flight, acknowledged, lost ---------------------------------------------------------- */

SPEC("a packet is in flight from sending until it is acknowledged or lost")
{
    begin(128, psn(7));
    send_new(3);
    EXPECT_EQ(fixture.window.inflight_bytes, 107 + 108 + 109);
    acknowledge(1);
    EXPECT_EQ(fixture.window.inflight_bytes, 107 + 109);
    lose(0);
    EXPECT_EQ(fixture.window.inflight_bytes, 109);
    EXPECT_EQ(fixture.window.lost_count, 1);
    EXPECT(send_window_is_lost(&fixture.window, at(0)));
    EXPECT(send_window_is_acked(&fixture.window, at(1)));
    EXPECT(!send_window_is_acked(&fixture.window, at(2)));
}

SPEC("a lost packet that is acknowledged later does not change the bytes in flight")
{
    begin(128, psn(0));
    send_new(2);
    lose(0);
    acknowledge(0);
    EXPECT_EQ(fixture.window.lost_count, 0);
    EXPECT(!send_window_is_lost(&fixture.window, at(0)));
    EXPECT_EQ(fixture.window.inflight_bytes, bytes_of(at(1)));
    advance();
    EXPECT_EQ(fixture.window.oldest.value, 1);
}

SPEC("a lost packet that is retransmitted is in flight again")
{
    begin(128, psn(0));
    send_new(2);
    lose(0);
    send_copy(0, (struct send_record){ .ticks = 99 });
    EXPECT_EQ(fixture.window.lost_count, 0);
    EXPECT_EQ(fixture.window.inflight_bytes, bytes_of(at(0)) + bytes_of(at(1)));
    EXPECT_EQ(fixture.window.next.value, 2);
    EXPECT_EQ(send_window_record(&fixture.window, at(0)).ticks, 99);
}

SPEC("only packets acknowledged without a gap leave the window")
{
    begin(128, psn(0xfffffe));
    send_new(5);
    acknowledge(1);
    acknowledge(2);
    advance();
    EXPECT_EQ(fixture.window.oldest.value, 0xfffffe);
    acknowledge(0);
    advance();
    EXPECT_EQ(fixture.window.oldest.value, 1);
    EXPECT_EQ(send_window_count(&fixture.window), 2);
    advance();
}

SPEC("a full window, wholly acknowledged, is empty after one advance, from any PSN")
{
    for (uint32_t start = 0; start < 128; start += 7) {
        begin(128, psn(0xffff80 + start));
        send_new(128);
        for (uint32_t i = 128; i-- > 0;)
            acknowledge(i);
        advance();
        EXPECT_EQ(send_window_count(&fixture.window), 0);
        EXPECT_EQ(fixture.window.oldest.value, at(128).value);
        send_window_check(&fixture.window, bytes_for_check, &fixture);
    }
}

SPEC("the search for the first PSN in flight begins at the given PSN and skips acknowledged and "
     "lost ones")
{
    begin(128, psn(60));
    send_new(100);
    EXPECT_EQ(send_window_next_in_flight(&fixture.window, at(0)).value, at(0).value);
    for (uint32_t i = 0; i < 70; i++)
        i % 2 ? lose(i) : acknowledge(i);
    EXPECT_EQ(send_window_next_in_flight(&fixture.window, at(0)).value, at(70).value);
    EXPECT_EQ(send_window_next_in_flight(&fixture.window, at(71)).value, at(71).value);
    EXPECT_EQ(send_window_next_in_flight(&fixture.window, at(100)).value, at(100).value);
}

SPEC("with nothing in flight the search ends at the next PSN, in an empty and in a full window")
{
    begin(128, psn(30));
    EXPECT_EQ(send_window_next_in_flight(&fixture.window, at(0)).value, at(0).value);
    send_new(128);
    for (uint32_t i = 0; i < 128; i++)
        lose(i);
    EXPECT_EQ(send_window_next_in_flight(&fixture.window, at(0)).value, at(128).value);
    EXPECT_EQ(send_window_next_in_flight(&fixture.window, at(127)).value, at(128).value);
}

SPEC("the oldest lost PSN is the oldest by sequence, not by slot")
{
    begin(128, psn(0xffffff));
    send_new(128);
    lose(100);
    lose(0); /* slot 127 */
    EXPECT_EQ(send_window_oldest_lost(&fixture.window).value, 0xffffff);
    acknowledge(0);
    EXPECT_EQ(send_window_oldest_lost(&fixture.window).value, at(100).value);
}

SPEC("starting again clears the window")
{
    begin(128, psn(5));
    send_new(100);
    lose(1);
    acknowledge(2);
    send_window_start(&fixture.window, psn(1000));
    EXPECT_EQ(send_window_count(&fixture.window), 0);
    EXPECT_EQ(fixture.window.inflight_bytes, 0);
    EXPECT_EQ(fixture.window.lost_count, 0);
    fixture.first = psn(1000);
    fixture.oldest = fixture.next = 0;
    send_new(128);
    for (uint32_t i = 0; i < 128; i++)
        EXPECT(!send_window_is_acked(&fixture.window, at(i)) &&
               !send_window_is_lost(&fixture.window, at(i)));
    send_window_check(&fixture.window, bytes_for_check, &fixture);
}

SPEC("a measuring arena counts the bytes of every size of window")
{
    for (uint32_t psn_count = 128; psn_count <= PSNS_MAX; psn_count *= 2) {
        struct arena arena;

        arena_init(&arena, NULL, 0);
        send_window_init(NULL, &arena, psn_count);
        EXPECT_EQ(arena.used_bytes, SEND_WINDOW_BYTES(psn_count));
    }
}

/* ---- beside the model ----------------------------------------------------------------------- */

static struct send_record random_record(struct prng *prng)
{
    return (struct send_record){ .ticks = prng_below(prng, 1 << 24),
        .ev_index = prng_below(prng, 1024),
        .flags = (uint8_t)prng_below(prng, 64) };
}

static void expect_equal_at(uint32_t distance)
{
    const struct sent *sent = &fixture.sent[distance];
    struct send_record record = send_window_record(&fixture.window, at(distance));
    bool held = distance >= fixture.oldest && distance < fixture.next;

    EXPECT(send_window_remembers(&fixture.window, at(distance)));
    EXPECT_EQ(send_window_holds(&fixture.window, at(distance)), held);
    EXPECT_EQ(record.ticks, sent->record.ticks);
    EXPECT_EQ(record.ev_index, sent->record.ev_index);
    EXPECT_EQ(record.flags, sent->record.flags);
    if (held) {
        EXPECT_EQ(send_window_is_acked(&fixture.window, at(distance)), sent->fate == ACKED);
        EXPECT_EQ(send_window_is_lost(&fixture.window, at(distance)), sent->fate == LOST);
    }
}

static uint32_t model_first(enum fate fate, uint32_t from)
{
    while (from < fixture.next && fixture.sent[from].fate != fate)
        from++;
    return from;
}

static void expect_equal(struct prng *prng)
{
    uint32_t remembered =
        fixture.next < fixture.window.psn_count ? fixture.next : fixture.window.psn_count;
    uint32_t from = fixture.oldest + prng_below(prng, fixture.next - fixture.oldest + 1);
    uint32_t lost = model_first(LOST, fixture.oldest);

    EXPECT_EQ(fixture.window.oldest.value, at(fixture.oldest).value);
    EXPECT_EQ(fixture.window.next.value, at(fixture.next).value);
    EXPECT_EQ(send_window_count(&fixture.window), fixture.next - fixture.oldest);
    EXPECT_EQ(send_window_next_in_flight(&fixture.window, at(from)).value,
        at(model_first(IN_FLIGHT, from)).value);
    EXPECT_EQ(fixture.window.lost_count > 0, lost < fixture.next);
    if (lost < fixture.next)
        EXPECT_EQ(send_window_oldest_lost(&fixture.window).value, at(lost).value);
    if (remembered > 0)
        expect_equal_at(fixture.next - 1 - prng_below(prng, remembered));
    EXPECT(!send_window_remembers(&fixture.window, at(fixture.next)));
    EXPECT(!send_window_holds(&fixture.window, at(fixture.next)));
    EXPECT(!send_window_holds(&fixture.window, psn_add(at(fixture.oldest), -1)));
}

/* One PSN of the window: often near one of its ends, where words are partly used. */
static uint32_t random_held(struct prng *prng)
{
    uint32_t count = fixture.next - fixture.oldest;
    uint32_t near = count < 70 ? count : 70;

    switch (prng_below(prng, 3)) {
    case 0:
        return fixture.oldest + prng_below(prng, near);
    case 1:
        return fixture.next - 1 - prng_below(prng, near);
    default:
        return fixture.oldest + prng_below(prng, count);
    }
}

/* One after another, so that whole words fill. */
static void happen_to_run(struct prng *prng, uint32_t distance)
{
    uint32_t count = 1 + prng_below(prng, 200);
    enum fate fate = prng_below(prng, 4) ? ACKED : LOST;

    for (; count > 0 && distance < fixture.next; count--, distance++)
        if (fate == ACKED && fixture.sent[distance].fate != ACKED)
            acknowledge(distance);
        else if (fate == LOST && fixture.sent[distance].fate == IN_FLIGHT)
            lose(distance);
}

static void step(struct prng *prng)
{
    uint32_t room = fixture.window.psn_count - (fixture.next - fixture.oldest);

    switch (prng_below(prng, 4)) {
    case 0:
        if (room > SENT_MAX - fixture.next)
            room = SENT_MAX - fixture.next;
        for (uint32_t count = prng_below(prng, room + 1); count > 0; count--)
            send_copy(fixture.next, random_record(prng));
        break;
    case 1:
        if (fixture.oldest < fixture.next)
            happen_to_run(prng, random_held(prng));
        break;
    case 2:
        if (fixture.window.lost_count > 0)
            send_copy(model_first(LOST, fixture.oldest), random_record(prng));
        break;
    default:
        if (fixture.oldest < fixture.next)
            happen_to_run(prng, fixture.oldest);
        advance();
        break;
    }
}

PROPERTY("windows of every size, across the wrap, hold the same as a plain list of PSNs", 450)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t psn_count = UINT32_C(128) << seed % SIZES;

    begin(psn_count, psn_add(psn(0), -(int32_t)prng_below(&prng, 2 * psn_count)));
    for (uint32_t i = 0; i < 200 && fixture.next < SENT_MAX; i++) {
        step(&prng);
        expect_equal(&prng);
    }
    send_window_check(&fixture.window, bytes_for_check, &fixture);
}
