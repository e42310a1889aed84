/* SPDX-License-Identifier: Apache-2.0 */
/* Incast: senders that never run dry into one trimming port that does not mark.
 *
 * 100 Gb/s, a round trip of 10 us or less, a queue of 1.5 BDP; measured in the second half of 20
 * ms. The senders start within 10 us or one after the other. The receiver acknowledges every few
 * packets, at once where asked to, and after half a round trip of silence; what was trimmed is sent
 * again. */
#include "spec.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/prng.h"
#include "cc/cc.h"
#include "switch/switch.h"

#define END_PS      UINT64_C(20000000000)
#define BASE_RTT_PS UINT64_C(10000000)
#define PACKET_PS   (PACKET_BYTES * UINT64_C(80))

enum {
    RATE_GBPS = 100,
    BDP_BYTES = 125000,
    PACKET_BYTES = 4184,
    SACK_THRESHOLD_BYTES = 16384,
    SENDERS_MAX = 128,
    EVENTS_MAX = 16384,
    SLOTS = 4096,
};

enum event_kind {
    WIRE_FREE, /* a sender may start its next packet */
    ARRIVAL,   /* at the port */
    SACK,
    NACK,
    SILENCE, /* the receiver has waited half a round trip */
    PACE,    /* the gap after the last packet is over */
};

struct event {
    uint64_t at_ps;
    uint64_t order;   /* among events of the same time */
    uint64_t sent_ps; /* of the packet it is about; 0: no sample of the round trip */
    uint32_t sender;
    uint32_t bytes;
    enum event_kind kind;
    bool ack_request;
};

struct sender {
    struct cc cc;
    uint64_t base_rtt_ps;
    uint64_t pace_ps; /* when the next packet may go */
    uint32_t inflight_bytes;
    uint32_t lost_packets;
    bool wire_is_busy;
    /* the receiver's side */
    uint32_t unreported_packets;
    uint64_t last_arrival_ps;
    uint64_t delivered_packets; /* in the second half */
};

struct setting {
    const char *name;
    const char *algorithm;
    enum cc_unmarked_delay unmarked_delay;
};

struct incast {
    const struct setting *setting;
    uint32_t sender_count;
    uint32_t packets_per_sack;
    uint32_t jitter_ps;      /* at most, each way */
    uint64_t start_apart_ps; /* between one sender and the next; 0: at random within 10 us */
    uint64_t nearest_rtt_ps; /* of the first sender; those of the others grow evenly to 10 us */
    uint32_t engine_count;   /* the first senders, engines of one NIC; 0: none is */
    struct cc_profile profile;
    struct sender senders[SENDERS_MAX];
    struct prng prng;

    struct port port;
    struct port_profile port_profile;
    struct port_pool pool;
    struct port_counters counters;
    uint64_t seldom[PORT_COUNTERS_SELDOM]; /* of the counters */
    _Alignas(16) uint8_t pool_memory[SLOTS * 16];
    struct event packets[SLOTS]; /* at the port, by handle */
    uint32_t packet_count;
    uint64_t arrivals[2]; /* by half */
    uint64_t trims[2];

    struct event events[EVENTS_MAX]; /* a binary heap, the earliest first */
    uint32_t event_count;
    uint64_t event_order;

    double jain;
    double trimmed_share;
    double utilisation;
};

static const struct setting by_default = { .name = "fair", .algorithm = "fair" };
static const struct setting literal = {
    .name = "NSCC, literal Table 8-1", .algorithm = "nscc", .unmarked_delay = CC_UNMARKED_FAIR
};
static const struct setting decreasing = {
    .name = "NSCC, decrease", .algorithm = "nscc", .unmarked_delay = CC_UNMARKED_DECREASE
};

/* ---- events --------------------------------------------------------------------------------- */

static bool comes_before(const struct event *a, const struct event *b)
{
    return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->order < b->order;
}

static void push(struct incast *incast, struct event event)
{
    uint32_t at = incast->event_count++;

    EXPECT_LE(incast->event_count, EVENTS_MAX);
    event.order = incast->event_order++;
    for (; at > 0 && comes_before(&event, &incast->events[(at - 1) / 2]); at = (at - 1) / 2)
        incast->events[at] = incast->events[(at - 1) / 2];
    incast->events[at] = event;
}

static struct event pop(struct incast *incast)
{
    struct event *events = incast->events;
    struct event first = events[0];
    struct event last = events[--incast->event_count];
    uint32_t at = 0;

    for (uint32_t child = 1; child < incast->event_count; child = 2 * at + 1) {
        if (child + 1 < incast->event_count && comes_before(&events[child + 1], &events[child]))
            child++;
        if (!comes_before(&events[child], &last))
            break;
        events[at] = events[child];
        at = child;
    }
    events[at] = last;
    return first;
}

/* Puts an event on a link. */
static void travel(struct incast *incast, struct event event, enum event_kind kind)
{
    event.kind = kind;
    event.at_ps += incast->senders[event.sender].base_rtt_ps / 2 - PACKET_PS +
                   prng_below(&incast->prng, incast->jitter_ps + 1);
    push(incast, event);
}

/* ---- the sender ----------------------------------------------------------------------------- */

static void pace(struct incast *incast, uint32_t index, uint64_t now_ps)
{
    struct sender *sender = &incast->senders[index];
    uint64_t gap_ns = cc_gap_ns(&sender->cc, PACKET_BYTES);

    sender->pace_ps = now_ps + 1000 * gap_ns;
    if (gap_ns > 0)
        push(incast, (struct event){ .kind = PACE, .sender = index, .at_ps = sender->pace_ps });
}

static void send_if_allowed(struct incast *incast, uint32_t index, uint64_t now_ps)
{
    struct sender *sender = &incast->senders[index];
    struct event sent = { .sender = index, .sent_ps = now_ps, .at_ps = now_ps + PACKET_PS };

    if (sender->wire_is_busy || now_ps < sender->pace_ps ||
        !cc_can_send(&sender->cc, sender->inflight_bytes))
        return;
    pace(incast, index, now_ps);
    sender->inflight_bytes += PACKET_BYTES;
    sent.ack_request = sender->lost_packets > 0 || sender->cc.window_bytes < SACK_THRESHOLD_BYTES ||
                       sender->cc.window_bytes < sender->inflight_bytes + PACKET_BYTES;
    sender->lost_packets -= sender->lost_packets > 0;
    sender->wire_is_busy = true;
    push(incast, sent); /* WIRE_FREE */
    travel(incast, sent, ARRIVAL);
}

static void on_sack(struct sender *sender, const struct event *event)
{
    uint64_t rtt_ns = event->sent_ps ? (event->at_ps - event->sent_ps) / 1000 : 0;

    sender->inflight_bytes -= event->bytes;
    cc_on_ack(&sender->cc, &(struct cc_ack){ .now_ns = event->at_ps / 1000,
                               .rtt_ns = rtt_ns,
                               .received_bytes = event->bytes,
                               .inflight_bytes = sender->inflight_bytes });
    cc_check(&sender->cc);
}

static void on_nack(struct sender *sender, const struct event *event)
{
    sender->inflight_bytes -= PACKET_BYTES;
    sender->lost_packets++;
    cc_on_nack(&sender->cc, &(struct cc_nack){ .now_ns = event->at_ps / 1000,
                                .rtt_ns = (event->at_ps - event->sent_ps) / 1000,
                                .packet_bytes = PACKET_BYTES,
                                .inflight_bytes = sender->inflight_bytes,
                                .trimmed = true });
    cc_check(&sender->cc);
}

/* ---- port and receiver ---------------------------------------------------------------------- */

static void on_arrival(struct incast *incast, const struct event *packet)
{
    struct port_entry entry = { .handle = incast->packet_count++ % SLOTS,
        .length_bytes = PACKET_BYTES,
        .class = DSCP_TRIMMABLE,
        .ecn = ECN_ECT0 };
    bool is_second_half = packet->at_ps >= END_PS / 2;
    struct port_outcome outcome = port_enqueue(&incast->port, entry, packet->at_ps);

    EXPECT_NE(outcome.verdict, PORT_DROPPED);
    incast->packets[entry.handle] = *packet;
    incast->arrivals[is_second_half]++;
    incast->trims[is_second_half] += outcome.verdict != PORT_QUEUED;
}

static void acknowledge(struct incast *incast, struct event trigger)
{
    struct sender *sender = &incast->senders[trigger.sender];

    trigger.bytes = sender->unreported_packets * PACKET_BYTES;
    sender->unreported_packets = 0;
    travel(incast, trigger, SACK);
}

static void on_delivery(struct incast *incast, struct event packet)
{
    struct sender *sender = &incast->senders[packet.sender];

    sender->delivered_packets += packet.at_ps >= END_PS / 2;
    sender->unreported_packets++;
    sender->last_arrival_ps = packet.at_ps;
    if (packet.ack_request || sender->unreported_packets >= incast->packets_per_sack)
        acknowledge(incast, packet);
    else
        push(incast, (struct event){ .kind = SILENCE,
                         .sender = packet.sender,
                         .at_ps = packet.at_ps + BASE_RTT_PS / 2 });
}

static void on_silence(struct incast *incast, struct event event)
{
    const struct sender *sender = &incast->senders[event.sender];

    if (sender->unreported_packets > 0 && event.at_ps - sender->last_arrival_ps >= BASE_RTT_PS / 2)
        acknowledge(incast, event);
}

static void on_transmission(struct incast *incast, const struct port_transmission *sent)
{
    struct event packet = incast->packets[sent->entry.handle];

    packet.at_ps = sent->end_ps;
    if (dscp_is_trimmed((enum dscp_class)sent->entry.class))
        travel(incast, packet, NACK);
    else
        on_delivery(incast, packet);
}

/* ---- the experiment ------------------------------------------------------------------------- */

static void start_sender(struct incast *incast, uint32_t index)
{
    struct sender *sender = &incast->senders[index];
    uint64_t farther_ps = (BASE_RTT_PS - incast->nearest_rtt_ps) * index / incast->sender_count;

    sender->base_rtt_ps = incast->nearest_rtt_ps + farther_ps;
    cc_init(&sender->cc, &incast->profile);
    if (index < incast->engine_count)
        cc_set_sharers(&sender->cc, incast->engine_count - 1);
    if (incast->nearest_rtt_ps < BASE_RTT_PS)
        cc_set_path(&sender->cc, (uint32_t)(sender->base_rtt_ps / 1000), PACKET_PS / 1000);
    push(incast,
        (struct event){ .kind = PACE,
            .sender = index,
            .at_ps = incast->start_apart_ps ? incast->start_apart_ps * index
                                            : prng_below(&incast->prng, (uint32_t)BASE_RTT_PS) });
}

static void set_up(struct incast *incast, uint64_t seed)
{
    struct cc_settings cc = { .algorithm = incast->setting->algorithm,
        .link_bps = RATE_GBPS * UINT64_C(1000000000),
        .base_rtt_ns = BASE_RTT_PS / 1000,
        .mtu_bytes = PACKET_BYTES,
        .packet_ns = PACKET_PS / 1000,
        .network_trims = true,
        .unmarked_delay = incast->setting->unmarked_delay };
    struct port_config port = { .rate_bps = cc.link_bps,
        .data = { .bytes = BDP_BYTES * 3 / 2 },
        .trimmed_bytes = 64,
        .trims = true,
        .faces_host = true };
    struct arena arena;

    EXPECT(cc_profile_init(&incast->profile, &cc));
    arena_init(&arena, incast->pool_memory, sizeof(incast->pool_memory));
    port_pool_init(&incast->pool, &arena, SLOTS);
    port_profile_init(&incast->port_profile, &port, &incast->pool);
    incast->counters.seldom = incast->seldom;
    port_init(&incast->port, &incast->port_profile, &incast->counters, prng_stream(seed, 2));
    incast->prng = prng_stream(seed, 1);
    for (uint32_t i = 0; i < incast->sender_count; i++)
        start_sender(incast, i);
}

static void happen(struct incast *incast, struct event event)
{
    struct sender *sender = &incast->senders[event.sender];

    switch (event.kind) {
    case ARRIVAL:
        on_arrival(incast, &event);
        return;
    case SILENCE:
        on_silence(incast, event);
        return;
    case WIRE_FREE:
        sender->wire_is_busy = false;
        break;
    case PACE:
        break;
    case SACK:
        on_sack(sender, &event);
        break;
    case NACK:
        on_nack(sender, &event);
        break;
    }
    send_if_allowed(incast, event.sender, event.at_ps);
}

/* Over hosts: engines of one NIC count as one. */
static void measure(struct incast *incast)
{
    uint32_t engine_count = incast->engine_count ? incast->engine_count : 1;
    uint32_t host_count = incast->sender_count + 1 - engine_count;
    double packets = 0;
    double squares = 0;
    double delivered = 0;

    for (uint32_t i = 0; i < incast->sender_count; i++) {
        delivered += (double)incast->senders[i].delivered_packets;
        if (i + 1 < engine_count)
            continue;
        packets += delivered;
        squares += delivered * delivered;
        delivered = 0;
    }
    incast->jain = packets * packets / squares / host_count;
    incast->trimmed_share = (double)incast->trims[1] / (double)incast->arrivals[1];
    incast->utilisation = packets * (double)PACKET_PS / (double)(END_PS / 2);
}

static void run(struct incast *incast, uint64_t seed)
{
    set_up(incast, seed);
    for (;;) {
        bool is_over = incast->event_count == 0 || incast->events[0].at_ps >= END_PS;
        uint64_t now_ps = is_over ? END_PS : incast->events[0].at_ps;
        struct port_transmission sent;

        if (port_transmit(&incast->port, now_ps, &sent))
            on_transmission(incast, &sent);
        else if (is_over)
            break;
        else
            happen(incast, pop(incast));
    }
    measure(incast);
}

static void run_and_print(struct incast *incast, uint64_t seed)
{
    run(incast, seed);
    printf(
        "# %2u to 1, a SACK for %u, %s: Jain %.3f, %.2f %% trimmed, link %.3f, %u trims before\n",
        incast->sender_count, incast->packets_per_sack, incast->setting->name, incast->jain,
        100 * incast->trimmed_share, incast->utilisation, (uint32_t)incast->trims[0]);
}

/* ---- what must hold ------------------------------------------------------------------------- */

static struct incast *incast_of(
    const struct setting *setting, uint32_t sender_count, uint32_t packets_per_sack)
{
    static struct incast incast;

    memset(&incast, 0, sizeof(incast));
    incast.setting = setting;
    incast.sender_count = sender_count;
    incast.packets_per_sack = packets_per_sack;
    incast.nearest_rtt_ps = BASE_RTT_PS;
    return &incast;
}

static void expect_equal_shares(struct incast *incast, double least_jain, uint64_t seed)
{
    incast->jitter_ps = seed % 2 ? 0 : 300000;
    if (seed <= 2)
        run_and_print(incast, seed);
    else
        run(incast, seed);
    EXPECT(incast->jain >= least_jain);
    EXPECT(incast->trimmed_share < 0.02);
    EXPECT(incast->utilisation > 0.99);
}

SPEC("§19: a lone sender reaches line rate and nothing is trimmed")
{
    static const struct setting *const settings[] = { &by_default, &decreasing };

    for (uint32_t i = 0; i < 2; i++) {
        struct incast *incast = incast_of(settings[i], 1, 4);

        run_and_print(incast, 1);
        EXPECT(incast->utilisation > 0.99);
        EXPECT_EQ(incast->trims[0] + incast->trims[1], 0);
    }
}

PROPERTY("§19.6: 2 to 15 senders share a full link equally with under 2 % trimmed", 20)
{
    static const uint32_t sender_counts[] = { 2, 7, 15 };

    for (uint32_t i = 0; i < 6; i++)
        expect_equal_shares(
            incast_of(&by_default, sender_counts[i / 2], i % 2 ? 4 : 1), 0.97, seed);
}

PROPERTY("§19.6: senders that come one after the other get equal shares", 20)
{
    struct incast *incast = incast_of(&by_default, 2 + (uint32_t)(seed % 15), 1 + seed % 4);

    incast->start_apart_ps = UINT64_C(100000000);
    expect_equal_shares(incast, 0.95, seed);
}

PROPERTY("§19.6: near and far senders get equal shares", 20)
{
    struct incast *incast = incast_of(&by_default, 2 + (uint32_t)(seed % 15), 1 + seed % 4);

    incast->nearest_rtt_ps = 3 * BASE_RTT_PS / 10;
    expect_equal_shares(incast, 0.9, seed);
}

PROPERTY("§19.6: a host with two or four engines and hosts with one get equal shares", 20)
{
    struct incast *incast = incast_of(&by_default, 0, 1 + seed % 4);

    incast->engine_count = seed % 2 ? 4 : 2;
    incast->sender_count = incast->engine_count + 1 + (uint32_t)(seed / 2 % 3);
    expect_equal_shares(incast, 0.95, seed);
}

SPEC("§19.6: windows of less than two packets fill the link; shares and trims are recorded")
{
    static const uint32_t sender_counts[] = { 32, 64, 128 };

    for (uint32_t i = 0; i < 6; i++) {
        struct incast *incast = incast_of(&by_default, sender_counts[i / 2], i % 2 ? 4 : 1);

        run_and_print(incast, 1);
        EXPECT(incast->utilisation > 0.98);
        EXPECT(incast->jain > 0.5);
        EXPECT(incast->trimmed_share < 0.25);
    }
}

SPEC("§19.5: NSCC fills the link too; shares and trims are recorded, not judged")
{
    static const struct setting *const settings[] = { &literal, &decreasing };
    static const uint32_t sender_counts[] = { 2, 7, 15, 32 };

    for (uint32_t i = 0; i < 16; i++) {
        struct incast *incast = incast_of(settings[i / 8], sender_counts[i / 2 % 4], i % 2 ? 4 : 1);

        run_and_print(incast, 1);
        EXPECT(incast->utilisation > 0.97);
    }
}
