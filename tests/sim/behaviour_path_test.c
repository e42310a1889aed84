/* SPDX-License-Identifier: Apache-2.0 */
/* What dead and bad paths cost: one QP, 8 planes of 32 paths, 400 Gb/s, 10 us; 1 MiB writes, 32
 * outstanding; measured after 10 ms of warm-up. */
#include "scenario.h"

#include <stdio.h>

#include "spec.h"

#define WARM_UP   MS(10)
#define LINE_BPS  (GBPS(400) / 4184 * 4096) /* the payload that full packets leave room for */
#define THOUSANDS 1000
#define RTT_PS    US(10)

enum {
    SENDS_MAX = 64,
    HEARD_MAX = 4096,
};

/* ---- watching one EV ------------------------------------------------------------------------ */

struct send {
    struct psn psn;
    bool arrived;
};

struct heard {
    uint64_t time_ps;
    struct psn highest;
};

/* What left by an EV, what of it arrived, and the highest PSN that each SACK reported. */
struct watch {
    uint32_t ev;
    uint64_t from_ps;
    struct send sends[SENDS_MAX];
    struct heard heard[HEARD_MAX];
    uint32_t send_count;
    uint32_t heard_count;
};

static void on_send(void *context, const struct network_sight *sight, struct fault_effect *effect)
{
    struct watch *watch = context;
    const struct packet *packet = sight->packet;

    (void)effect;
    if (sight->from != HOST_A || !opcode_is_write(packet->opcode) || packet->ev != watch->ev ||
        packet->flags & PACKET_RETRANSMISSION || sight->time_ps < watch->from_ps ||
        watch->send_count == SENDS_MAX)
        return;
    watch->sends[watch->send_count++] = (struct send){ .psn = packet->psn };
}

static void note_arrival(struct watch *watch, const struct packet *packet)
{
    for (uint32_t i = 0; i < watch->send_count; i++)
        if (psn_equal(watch->sends[i].psn, packet->psn))
            watch->sends[i].arrived = true;
}

static struct psn highest_reported(const struct packet_sack *sack)
{
    struct psn highest = psn_add(sack->cack_psn, sack->ack_psn_offset);

    for (int32_t i = 0; i < 64; i++) {
        struct psn psn = psn_add(sack->cack_psn, sack->sack_offset + i);

        if (sack->bitmap >> i & 1 && psn_before(highest, psn))
            highest = psn;
    }
    return highest;
}

static void on_deliver(void *context, const struct network_sight *sight)
{
    struct watch *watch = context;
    const struct packet *packet = sight->packet;

    if (opcode_is_write(packet->opcode))
        note_arrival(watch, packet);
    if (packet->opcode == OPCODE_SACK && sight->time_ps >= watch->from_ps &&
        watch->heard_count < HEARD_MAX)
        watch->heard[watch->heard_count++] =
            (struct heard){ .time_ps = sight->time_ps, .highest = highest_reported(&packet->sack) };
}

/* When A first heard of a packet that had left after the first one lost; 0: never. */
static uint64_t first_evidence_ps(const struct watch *watch)
{
    uint32_t lost = 0;

    while (lost < watch->send_count && watch->sends[lost].arrived)
        lost++;
    for (uint32_t i = 0; i < watch->heard_count && lost < watch->send_count; i++)
        if (psn_before(watch->sends[lost].psn, watch->heard[i].highest))
            return watch->heard[i].time_ps;
    return 0;
}

/* ---- scenarios ------------------------------------------------------------------------------ */

static struct scenario watched(uint64_t seed, struct watch *watch)
{
    struct network_config config = network_config_usual(seed);

    config.payload = NETWORK_LENGTHS;
    if (watch)
        config.filter = (struct network_filter){
            .on_send = on_send, .on_deliver = on_deliver, .context = watch
        };
    return scenario_of(&config);
}

/* A stream, warm; returns the index of an EV that is in use. */
static uint32_t begin(struct scenario *s, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0xdead);
    const struct path_set *paths;
    uint32_t ev_index;

    scenario_stream(s, HOST_A, HOST_B, MIB(1), 32);
    scenario_run_until(s, WARM_UP);
    paths = scenario_paths(s, HOST_A, HOST_B);
    do
        ev_index = prng_below(&prng, 128);
    while (!path_is_active(paths, ev_index));
    return ev_index;
}

static struct fault_where way_of(const struct scenario *s, uint32_t ev_index)
{
    uint32_t ev = path_ev_of(scenario_paths(s, HOST_A, HOST_B), ev_index);

    return fault_on_path(ev >> 8, ev & 0xff);
}

static bool is_active(const struct scenario *s, uint32_t ev_index)
{
    return path_is_active(scenario_paths(s, HOST_A, HOST_B), ev_index);
}

static uint64_t share_of_line(struct scenario *s, uint64_t duration_ps)
{
    return scenario_goodput_bps(s, HOST_A, HOST_B, duration_ps) * THOUSANDS / LINE_BPS;
}

static void expect_no_timeout(const struct scenario *s)
{
    EXPECT_EQ(scenario_failures(s, HOST_A), 0);
    EXPECT_EQ(scenario_counter(s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
}

PROPERTY("a path that dies is out of use within two round trips of the first evidence", 20)
{
    struct watch watch = { .from_ps = WARM_UP };
    struct scenario s = watched(seed, &watch);
    uint32_t ev_index = begin(&s, seed);
    uint64_t late_ps;

    watch.ev = path_ev_of(scenario_paths(&s, HOST_A, HOST_B), ev_index);
    scenario_fail_way(&s, way_of(&s, ev_index), WARM_UP + US(20), MS(100));
    while (is_active(&s, ev_index) && network_now_ps(s.network) < WARM_UP + MS(1))
        scenario_run_for(&s, NS(50));

    EXPECT(!is_active(&s, ev_index));
    EXPECT_GT(first_evidence_ps(&watch), 0);
    late_ps = network_now_ps(s.network) - first_evidence_ps(&watch);
    EXPECT_LE(late_ps, 2 * RTT_PS);
    if (seed <= 3)
        printf("# out of use %.2f us after the first evidence\n", (double)late_ps / 1e6);
}

PROPERTY("a path that dies costs nothing: the rest carries line rate, and no timeout fires", 2)
{
    struct scenario s = watched(seed, NULL);
    uint32_t ev_index = begin(&s, seed);

    scenario_fail_way(&s, way_of(&s, ev_index), WARM_UP, MS(100));
    EXPECT_GE(share_of_line(&s, MS(10)), 999);
    EXPECT(!is_active(&s, ev_index));
    expect_no_timeout(&s);
}

PROPERTY("a plane that dies costs its eighth, no more, and no timeout fires", 2)
{
    struct scenario s = watched(seed, NULL);
    uint32_t plane = begin(&s, seed) % 8;
    uint64_t at_once;
    uint64_t later;

    scenario_fail_plane(&s, plane, WARM_UP);
    at_once = share_of_line(&s, MS(1));
    later = share_of_line(&s, MS(50));
    printf("# a dead plane leaves %llu permille in the first ms, %llu in the next 50\n",
        (unsigned long long)at_once, (unsigned long long)later);
    EXPECT_GE(at_once, 820);
    EXPECT_GE(later, 873);
    EXPECT_LE(later, 876);
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).plane_mask, 0xff & ~(1u << plane));
    expect_no_timeout(&s);
}

PROPERTY(
    "seven planes that die together leave one eighth, and no timeout of 26 round trips fires", 3)
{
    struct network_config config = network_config_usual(seed);
    uint32_t left = (uint32_t)seed % 8;
    struct scenario s;
    uint64_t share;

    config.payload = NETWORK_LENGTHS;
    config.parameters.timeout = 8;
    s = scenario_of(&config);
    scenario_lose(&s, fault_everywhere(), FAULT_PERMILLE(1));
    begin(&s, seed);
    for (uint32_t plane = 0; plane < 8; plane++)
        if (plane != left)
            scenario_fail_plane(&s, plane, WARM_UP);
    scenario_run_for(&s, MS(1));
    share = share_of_line(&s, MS(20));
    printf("# one plane of eight leaves %llu permille\n", (unsigned long long)share);
    EXPECT_GE(share, 120);
    expect_no_timeout(&s);
}

PROPERTY("a plane that dies on the way there costs its eighth, on the way back nothing", 2)
{
    struct scenario there = watched(seed, NULL);
    struct scenario back = watched(seed, NULL);
    uint32_t plane = begin(&there, seed) % 8;
    uint64_t share;

    begin(&back, seed);
    scenario_fail_way(&there, fault_from(fault_on_plane(plane), HOST_A), WARM_UP, MS(100));
    scenario_fail_way(&back, fault_from(fault_on_plane(plane), HOST_B), WARM_UP, MS(100));
    share = share_of_line(&there, MS(20));
    EXPECT_GE(share, 873);
    EXPECT_LE(share, 876);
    share = share_of_line(&back, MS(20));
    printf("# a plane dead on the way back leaves %llu permille\n", (unsigned long long)share);
    EXPECT_GE(share, 990);
    expect_no_timeout(&there);
    expect_no_timeout(&back);
}

PROPERTY("a NIC port that goes down costs its eighth, no more, and no timeout fires", 2)
{
    struct scenario s = watched(seed, NULL);
    uint32_t port = begin(&s, seed) % 8;
    uint64_t share;

    scenario_fail_port(&s, (uint32_t)seed % 2, port, WARM_UP, MS(1000));
    scenario_run_for(&s, US(100));
    share = share_of_line(&s, MS(20));
    printf("# a port down leaves %llu permille\n", (unsigned long long)share);
    EXPECT_GE(share, 873);
    EXPECT_LE(share, 876);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_EV_TURNED_BAD), 0);
    expect_no_timeout(&s);
}

static void expect_eviction(uint64_t seed, bool trims, uint64_t within_ps)
{
    struct network_config config = network_config_usual(seed);
    struct scenario s;
    uint32_t ev_index;

    config.payload = NETWORK_LENGTHS;
    config.trims = trims;
    s = scenario_of(&config);
    ev_index = begin(&s, seed);
    scenario_lose(&s, way_of(&s, ev_index), FAULT_PERCENT(20));
    while (is_active(&s, ev_index) && network_now_ps(s.network) < WARM_UP + within_ps)
        scenario_run_for(&s, US(10));
    EXPECT(!is_active(&s, ev_index));
    EXPECT_GE(share_of_line(&s, MS(20)), 999);
    expect_no_timeout(&s);
}

PROPERTY("20 % loss on one EV drives it out within 1 ms and keeps line rate", 2)
{
    expect_eviction(seed, true, MS(1));
}

PROPERTY("§24: without trimming, too, within 5 ms", 2)
{
    expect_eviction(seed, false, MS(5));
}

PROPERTY("a path that comes back is eligible again after an answered probe", 3)
{
    struct scenario s = watched(seed, NULL);
    uint32_t ev_index = begin(&s, seed);
    const struct path_set *paths = scenario_paths(&s, HOST_A, HOST_B);

    scenario_fail_way(&s, way_of(&s, ev_index), WARM_UP, WARM_UP + US(200));
    scenario_run_for(&s, US(180));
    EXPECT_EQ(path_state_of(paths, ev_index), EV_ASSUMED_BAD);
    while (path_state_of(paths, ev_index) == EV_ASSUMED_BAD && network_now_ps(s.network) < MS(50))
        scenario_run_for(&s, US(10));
    printf("# back after %llu probes, %.1f ms\n",
        (unsigned long long)scenario_counter(&s, HOST_A, COUNTER_PROBES_ANSWERED),
        (double)(network_now_ps(s.network) - WARM_UP) / 1e9);
    EXPECT_EQ(path_state_of(paths, ev_index), EV_GOOD);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_EV_RECOVERED), 1);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_PROBES_ANSWERED), 1);
    expect_no_timeout(&s);
}

PROPERTY("a plane that comes back carries its eighth again", 2)
{
    struct scenario s = watched(seed, NULL);
    uint32_t plane = begin(&s, seed) % 8;

    scenario_fail_way(&s, fault_on_plane(plane), WARM_UP, WARM_UP + MS(1));
    scenario_run_for(&s, MS(100));
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).plane_mask, 0xff);
    EXPECT_GE(share_of_line(&s, MS(10)), 999);
    expect_no_timeout(&s);
}
