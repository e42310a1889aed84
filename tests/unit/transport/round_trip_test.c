/* SPDX-License-Identifier: Apache-2.0 */
/* What a round trip tells of its EV and of congestion, at the limits of what counts.
 *
 * Ages are counted in 64 ns, and a sample is one more: so are the means and times here. */
#include "by_hand.h"
#include "path/ev_table.h"
#include "spec.h"
#include "transport/nic.h"
#include "transport/round_trip.h"
#include "wire/stamp.h"

enum {
    QPN = 7,
    BASE_RTT_NS = 157 * 64 + 1,
    TARGET_NS = 16000,
    MEAN_NS = 40000,                  /* of the plane */
    CHANCE_NS = TARGET_NS * 60 / 100, /* a difference that counts as none */
    CLEAR_NS = CHANCE_NS + 157 * 64,  /* a quarter of the mean beyond it */
    SERVICE_UNITS = 100,
    OVERTAKEN_NS = BASE_RTT_NS - 1 + 4 * TARGET_NS,
};

static struct by_hand nic;

/* A QP with one packet in flight. Each path is longer than the shortest by `extra` units. */
static struct qp *open_with_longer_paths(uint8_t extra)
{
    by_hand_prepare(&nic);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        nic.entries[i].extra = extra;
    nic.config.parameters.ev_skip = EV_SKIP_DELAY;
    nic.config.parameters.target_delay = TARGET_NS;
    nic.rtt = (struct transport_rtt){ .fixed_ns = BASE_RTT_NS };
    nic.now_ns = 6400000;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, BY_HAND_PMTU_BYTES, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    return (struct qp *)(uintptr_t)nic_find(nic.transport, QPN);
}

static struct qp *open_with_packet(void)
{
    return open_with_longer_paths(0);
}

/* Of the packet, which took this long. */
static uint64_t sample_of(const struct qp *qp, uint64_t age_ns)
{
    struct packet sack = by_hand_sack(&nic, QPN, psn(BY_HAND_SQ_PSN));
    struct send_record record = send_window_record(&qp->requester->window, psn(BY_HAND_SQ_PSN));

    sack.sack.tx_timestamp = nic.sent[0].write.tx_timestamp;
    return round_trip_of_data(qp->requester, &qp->env, &sack, record, nic.now_ns + age_ns)
        .sample_ns;
}

/* The EV is in SKIP with a weight of 100 of 255, and a new round begins. */
static void make_skip(struct qp *qp, uint32_t ev)
{
    path_next_round(qp->env.paths);
    path_on_delay(qp->env.paths, ev, 256, nic.now_ns);
    ev_table_evs(qp->env.paths)[ev].weight = 100;
    path_next_round(qp->env.paths);
}

/* The weight of an EV that had 100 of 255, after a packet that took this long. */
static uint32_t weight_after(uint64_t age_ns)
{
    struct qp *qp = open_with_packet();
    uint32_t ev = path_profile_find(&nic.profile, nic.sent[0].ev);
    uint32_t plane = nic.entries[ev].plane;
    uint32_t weight;

    make_skip(qp, ev);
    qp->env.peer->planes.mean_ticks[plane] = MEAN_NS / PLANES_TICK_NS;
    qp->env.peer->planes.ev_mean_ticks[plane] = MEAN_NS / PLANES_TICK_NS;
    qp->env.peer->planes.ev_mean_count[plane] = UINT16_MAX;
    EXPECT_EQ(sample_of(qp, age_ns), age_ns + 1);
    weight = ev_table_evs(qp->env.paths)[ev].weight;
    by_hand_close(&nic);
    return weight;
}

SPEC("§14.3: differences up to 0.6 of the target are ignored, and only the excess counts")
{
    enum { AS_OTHERS = 103, FASTER = 109, SLOWER = 93 };

    EXPECT_EQ(weight_after(MEAN_NS), AS_OTHERS);
    EXPECT_EQ(weight_after(MEAN_NS - CHANCE_NS), AS_OTHERS);
    EXPECT_EQ(weight_after(MEAN_NS + CHANCE_NS), AS_OTHERS);
    EXPECT_EQ(weight_after(MEAN_NS - CLEAR_NS), FASTER);
    EXPECT_EQ(weight_after(MEAN_NS + CLEAR_NS), SLOWER);
}

/* The weight of the same EV in the mean of its plane. */
static uint32_t weight_in_mean(bool is_rough)
{
    struct qp *qp = open_with_packet();
    uint32_t ev = path_profile_find(&nic.profile, nic.sent[0].ev);
    uint32_t plane = nic.entries[ev].plane;
    uint32_t weight;

    nic.profile.is_rough = is_rough;
    make_skip(qp, ev);
    qp->env.peer->planes.mean_ticks[plane] = MEAN_NS / PLANES_TICK_NS;
    EXPECT_EQ(sample_of(qp, MEAN_NS), MEAN_NS + 1);
    EXPECT_EQ(qp->env.peer->planes.ev_count[plane], 1);
    weight = qp->env.peer->planes.ev_weights[plane];
    by_hand_close(&nic);
    return weight;
}

SPEC("§14.2: in the mean of a plane all EVs count equally or, if the plan is rough, by their turns")
{
    EXPECT_EQ(weight_in_mean(false), 1);
    EXPECT_EQ(weight_in_mean(true), 100);
}

/* The sample of a packet that the peer kept for a while, which its stamp shows. */
static uint64_t sample_with_service_time(uint64_t age_ns)
{
    struct qp *qp = open_with_packet();
    uint64_t sample_ns;

    qp->env.attributes.peer_service_time = true;
    nic.sent[0].write.tx_timestamp = (uint16_t)(nic.sent[0].write.tx_timestamp + SERVICE_UNITS);
    sample_ns = sample_of(qp, age_ns);
    by_hand_close(&nic);
    return sample_ns;
}

SPEC("§19.3: a stamp counts up to 4 ms, half of its range")
{
    uint64_t limit_ns = UINT64_C(4000000); /* a multiple of both units */

    EXPECT_EQ(sample_with_service_time(limit_ns - STAMP_UNIT_NS),
        limit_ns - (SERVICE_UNITS + 1) * (uint64_t)STAMP_UNIT_NS + 1);
    EXPECT_EQ(sample_with_service_time(limit_ns), limit_ns + 1);
}

SPEC("§19.3: a packet acknowledged before gives a sample up to four targets above the base RTT")
{
    struct qp *qp = open_with_packet();
    struct packet ack = by_hand_ack(&nic, QPN, psn(BY_HAND_SQ_PSN), 1);

    EXPECT_EQ(sample_of(qp, OVERTAKEN_NS + 64), OVERTAKEN_NS + 65); /* not acknowledged yet */
    EXPECT_EQ(by_hand_receive(&nic, &ack), DROP_NONE);
    EXPECT_EQ(sample_of(qp, OVERTAKEN_NS), OVERTAKEN_NS + 1);
    EXPECT_EQ(sample_of(qp, OVERTAKEN_NS + 64), 0);
    by_hand_close(&nic);
}

SPEC("§19.3: a packet sent twice gives a sample only if the stamp, without service time, tells "
     "which")
{
    for (uint32_t i = 0; i < 2; i++) {
        struct qp *qp = open_with_packet();
        struct parameters fair = *transport_parameters(nic.transport);

        fair.congestion_control = CONGESTION_CONTROL_FAIR; /* UET uses no stamps for this */
        transport_set_parameters(nic.transport, &fair);
        qp->requester->stamped = true;
        qp->env.attributes.peer_service_time = i == 1;
        send_window_set_flags(&qp->requester->window, psn(BY_HAND_SQ_PSN), SEND_TWICE);
        EXPECT_EQ(sample_of(qp, BASE_RTT_NS - 1) > 0, i == 0);
        by_hand_close(&nic);
    }
}

SPEC("§19.3: the planned extra delay of a path is subtracted from its round trips")
{
    struct qp *qp = open_with_longer_paths(10);

    EXPECT_EQ(sample_of(qp, 20 * PATH_EXTRA_NS), 10 * PATH_EXTRA_NS + 1);
    EXPECT_EQ(sample_of(qp, 10 * PATH_EXTRA_NS), 1);
    EXPECT_EQ(sample_of(qp, 5 * PATH_EXTRA_NS), 1); /* shorter than planned */
    by_hand_close(&nic);
}

/* The time of the next tail probe after a SACK, if it was due in a nanosecond. */
static bool restarts_tail(bool base_awaited, bool answers_probe)
{
    struct qp *qp = open_with_packet();
    struct packet sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));
    uint64_t due_ns;
    bool restarts;

    nic.now_ns += BASE_RTT_NS;
    due_ns = nic.now_ns + 1;
    qp->requester->tail_ns = due_ns;
    qp->requester->base_awaited = base_awaited;
    sack.sack.answers_probe = answers_probe;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    restarts = qp->requester->tail_ns > due_ns;
    by_hand_close(&nic);
    return restarts;
}

SPEC("§10: every SACK restarts the timer of the tail, except the answer that measures the base RTT")
{
    EXPECT(restarts_tail(false, false));
    EXPECT(restarts_tail(false, true));
    EXPECT(restarts_tail(true, false));
    EXPECT(!restarts_tail(true, true));
}

SPEC("§14.1: a SACK shows that the planes of the packets that it acknowledges deliver")
{
    struct qp *qp = open_with_packet();
    struct packet sack = by_hand_sack(&nic, QPN, psn(BY_HAND_SQ_PSN));

    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(qp->env.peer->planes.heard_mask, 0);
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(qp->env.peer->planes.heard_mask, 1 << nic.sent[0].port);
    by_hand_close(&nic);
}

/* The sample of a probe whose stamp, and whose own record, are this old. */
static uint64_t sample_of_probe(uint64_t stamp_age_ns, uint64_t probe_age_ns)
{
    struct qp *qp = open_with_packet();
    uint64_t now_ns = UINT64_C(64000000);
    struct packet_sack sack = { .answers_probe = true,
        .tx_timestamp = (uint16_t)((now_ns - stamp_age_ns) / STAMP_UNIT_NS) };
    uint64_t sample_ns;

    qp->requester->last_probe_ticks = (uint32_t)((now_ns - probe_age_ns) / SEND_WINDOW_TICK_NS);
    sample_ns = round_trip_of_probe(qp->requester, &sack, now_ns).sample_ns;
    by_hand_close(&nic);
    return sample_ns;
}

SPEC("§19.3: a probe gives a sample if neither its stamp nor the probe is 4 ms old")
{
    uint64_t limit_ns = UINT64_C(4000000); /* a multiple of all units */
    uint64_t young_ns = UINT64_C(128000);
    uint64_t last_ns = limit_ns - STAMP_UNIT_NS;

    EXPECT_EQ(sample_of_probe(young_ns, young_ns), young_ns + 1);
    EXPECT_EQ(sample_of_probe(last_ns, young_ns), last_ns + 1);
    EXPECT_EQ(sample_of_probe(limit_ns, young_ns), 0);
    EXPECT_EQ(sample_of_probe(young_ns, limit_ns - SEND_WINDOW_TICK_NS), young_ns + 1);
    EXPECT_EQ(sample_of_probe(young_ns, limit_ns), 0);
}

/* The smoothed round trip, which was twice the base RTT, after the answer to a probe that took one
 * base RTT. */
static uint32_t smoothed_after_probe(uint16_t probe_id)
{
    struct qp *qp = open_with_packet();
    struct packet sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));
    uint32_t smoothed_ns;

    sack.sack.answers_probe = true;
    sack.sack.probe_id = probe_id;
    sack.sack.tx_timestamp = (uint16_t)(nic.now_ns / STAMP_UNIT_NS);
    qp->requester->last_probe_ticks = (uint32_t)(nic.now_ns / SEND_WINDOW_TICK_NS);
    qp->requester->smoothed_rtt_ns = 2 * BASE_RTT_NS;
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    smoothed_ns = qp->requester->smoothed_rtt_ns;
    by_hand_close(&nic);
    return smoothed_ns;
}

SPEC("§19.3: a probe that tests an EV passes no queue and measures no delay")
{
    uint16_t id = requester_probe_id(3, 1);

    EXPECT_GT(2 * BASE_RTT_NS, smoothed_after_probe(id));
    EXPECT_EQ(smoothed_after_probe((uint16_t)(id | REQUESTER_PROBE_TESTS_EV)), 2 * BASE_RTT_NS);
}

SPEC("every round trip that is measured is traced, with the base RTT and the window")
{
    const struct qp *qp = open_with_packet();
    struct packet sack = by_hand_sack(&nic, QPN, psn(BY_HAND_SQ_PSN));
    const struct trace_event *trace = nic.traces;

    sack.sack.tx_timestamp = nic.sent[0].write.tx_timestamp;
    nic.now_ns += 2 * 157 * 64;
    nic.trace_count = 0;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    while (trace < nic.traces + nic.trace_count && trace->kind != EVENT_RTT)
        trace++;
    EXPECT(trace < nic.traces + nic.trace_count);
    EXPECT_EQ(trace->values[0], 2 * 157 * 64 + 1);
    EXPECT_EQ(trace->values[1], BASE_RTT_NS);
    EXPECT_EQ(trace->values[2], qp->env.peer->cc.window_bytes);
    by_hand_close(&nic);
}

/* The plan is rough, and the mean delay of a plane was measured on `ev_count` EVs. Returns the
 * weight of an EV that had 100 of 255, after a packet that took a quarter longer than the mean. */
static uint32_t rough_weight_after(uint16_t ev_count)
{
    struct qp *qp = open_with_packet();
    uint32_t ev = path_profile_find(&nic.profile, nic.sent[0].ev);
    struct planes *planes = &qp->env.peer->planes;
    uint32_t plane = nic.entries[ev].plane;
    uint32_t weight;

    nic.profile.is_rough = true;
    make_skip(qp, ev);
    planes->mean_ticks[plane] = MEAN_NS / PLANES_TICK_NS;
    planes->ev_mean_ticks[plane] = MEAN_NS / PLANES_TICK_NS;
    planes->ev_mean_count[plane] = ev_count;
    sample_of(qp, MEAN_NS + CLEAR_NS);
    weight = ev_table_evs(qp->env.paths)[ev].weight;
    by_hand_close(&nic);
    return weight;
}

SPEC("§14.3: on a rough plan, a mean of three EVs makes differences count against the target")
{
    EXPECT_LT(rough_weight_after(3), rough_weight_after(2));
}

SPEC("§14.1: a plane whose paths are longer starts with a larger share, once the base RTT is known")
{
    struct planes *planes;

    by_hand_prepare(&nic);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++) {
        nic.entries[i].weight = i % 2 ? 60 : 120;
        nic.entries[i].extra = nic.entries[i].plane ? 100 : 0;
    }
    path_profile_weigh(&nic.profile);
    nic.rtt = (struct transport_rtt){ .fixed_ns = BASE_RTT_NS };
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    planes = &nic_find(nic.transport, QPN)->env.peer->planes;
    EXPECT_GT(planes->weight[1], planes->weight[0]);
    by_hand_close(&nic);
}
