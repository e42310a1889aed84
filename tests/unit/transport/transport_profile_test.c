/* SPDX-License-Identifier: Apache-2.0 */
/* Other profiles for a QP that is in use. */
#include <errno.h>
#include <stdalign.h>
#include <string.h>

#include "by_hand.h"
#include "path/ev_table.h"
#include "spec.h"
#include "transport/nic.h"
#include "wire/opcode.h"

enum { QPN = 7, NEW_EVS = 3 };

static struct by_hand nic;
static struct path_profile other;
static struct path_entry entries[NEW_EVS];
static alignas(64) uint8_t memory[PATH_SET_BYTES(PATH_PLANE_COUNT_MAX, NEW_EVS) + 64];
static alignas(64) uint8_t all_memory[PATH_SET_BYTES(PATH_PLANE_COUNT_MAX, BY_HAND_EVS) + 64];

/* One EV that the QP has already, on the second plane, and one new on each. */
static void open_prepared_with_other(void)
{
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    entries[0] = (struct path_entry){ .ev = 0x55, .plane = 0 };
    entries[1] = (struct path_entry){ .ev = 0x155, .plane = 1 };
    entries[2] = (struct path_entry){ .ev = 0x101, .plane = 1 };
    EXPECT(path_profile_explicit(&other, entries, NEW_EVS, BY_HAND_PLANES));
    EXPECT_LE(transport_paths_bytes(&other), sizeof(memory));
}

static void open_with_other(void)
{
    by_hand_prepare(&nic);
    open_prepared_with_other();
}

static int set_paths(const struct path_profile *profile)
{
    int err = transport_qp_set_paths(nic.transport, QPN, profile, memory, nic.now_ns);

    transport_check(nic.transport);
    return err;
}

static bool is_of(const struct path_profile *profile, const struct packet *packet)
{
    uint32_t index = path_profile_find(profile, packet->ev);

    return index != PATH_NONE && profile->entries[index].plane == packet->port;
}

SPEC("after the change packets use the new EVs, and old packets are still acknowledged")
{
    struct packet sack;

    open_with_other();
    by_hand_post(&nic, QPN, 1, 4 * BY_HAND_PMTU_BYTES, WORK_SIGNALED);
    EXPECT_EQ(by_hand_send(&nic), 4);
    EXPECT_EQ(set_paths(&other), 0);
    by_hand_post(&nic, QPN, 2, 8 * BY_HAND_PMTU_BYTES, WORK_SIGNALED);
    EXPECT_EQ(by_hand_send(&nic), 8);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        EXPECT(is_of(&other, &nic.sent[i]));
    sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 11));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    sack = by_hand_ack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 11), 2);
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_SUCCESS));
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 2, COMPLETION_SUCCESS));
    by_hand_close(&nic);
}

static void expect_answers_of_new_evs(uint8_t port)
{
    struct packet data;

    open_with_other();
    for (int32_t i = 0; i < 2; i++) {
        const struct path_profile *profile = i == 0 ? &nic.profile : &other;

        EXPECT_EQ(i == 0 ? 0 : set_paths(profile), 0);
        data = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn_add(psn(BY_HAND_RQ_PSN), i), 1024);
        data.flags |= PACKET_ACK_REQUEST;
        data.port = port;
        EXPECT_EQ(by_hand_receive(&nic, &data), DROP_NONE);
        by_hand_send(&nic);
        EXPECT_EQ(by_hand_sent(&nic, OPCODE_SACK), 1);
        EXPECT_EQ(by_hand_first(&nic, OPCODE_SACK)->port, port);
        EXPECT(is_of(profile, by_hand_first(&nic, OPCODE_SACK)));
    }
    by_hand_close(&nic);
}

SPEC("after the change answers use the new EVs, on each plane")
{
    for (uint8_t port = 0; port < BY_HAND_PLANES; port++)
        expect_answers_of_new_evs(port);
}

/* Acknowledges `count` packets from the `first` one on, nothing before. */
static void acknowledge_behind(uint32_t first, uint32_t count)
{
    struct packet sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));

    sack.sack.sack_offset = (int16_t)(first + 1);
    sack.sack.bitmap = (UINT64_C(1) << count) - 1;
    sack.sack.ack_psn_offset = (int16_t)(first + count);
    sack.sack.entropy = nic.sent[count - 1].ev;
    sack.sack.received_units = count * BY_HAND_PMTU_BYTES / 256;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
}

SPEC("lost packets of the old profile do not count against the new EVs")
{
    const struct path_set *paths;

    open_with_other();
    by_hand_post(&nic, QPN, 1, 16 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 16);
    nic.now_ns += 1000;
    EXPECT_EQ(set_paths(&other), 0);
    nic.now_ns += 1000;
    by_hand_post(&nic, QPN, 2, 8 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 8);
    nic.now_ns += 1000000;
    acknowledge_behind(16, 8);
    while (by_hand_count(&nic, COUNTER_DATA_RETRANSMITTED) == 0) { /* until the others are late */
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
    }
    for (uint32_t i = 0; i < nic.sent_count; i++)
        EXPECT(is_of(&other, &nic.sent[i]));
    paths = transport_qp_paths(nic.transport, QPN);
    for (uint32_t i = 0; i < NEW_EVS; i++)
        EXPECT_EQ(path_state_of(paths, i), EV_GOOD);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_TURNED_BAD), 0);
    by_hand_close(&nic);
}

SPEC("work that waits is sent with the new congestion control, without a further event")
{
    static struct cc_profile same;

    open_with_other();
    same = nic.cc;
    by_hand_post(&nic, QPN, 1, 4 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(transport_qp_set_cc(nic.transport, QPN, &same, nic.now_ns), 0);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(by_hand_send(&nic), 4);
    by_hand_close(&nic);
}

SPEC("a QP that changes its congestion control leaves the destination that it shared before")
{
    static struct cc_profile same;
    uint32_t qps = 0;

    open_with_other();
    same = nic.cc;
    by_hand_post(&nic, QPN, 1, 4 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 4);
    EXPECT_EQ(transport_qp_set_cc(nic.transport, QPN, &same, nic.now_ns), 0);
    for (uint32_t i = 0; i < BY_HAND_QPS_MAX; i++) {
        const struct peer *peer = &nic.transport->peers[i];

        qps += peer->qp_count;
        EXPECT_EQ(peer->inflight_bytes > 0, peer->qp_count > 0);
    }
    EXPECT_EQ(qps, 1);
    by_hand_close(&nic);
}

SPEC("a QP that leaves a shared path set knows the base RTT of its paths")
{
    static struct cc_profile same;

    by_hand_prepare(&nic);
    nic.config.parameters.ev_state_scope = EV_STATE_SCOPE_DESTINATION;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    by_hand_connect(&nic, QPN + 1);
    same = nic.cc;
    EXPECT(transport_qp_paths(nic.transport, QPN) == transport_qp_paths(nic.transport, QPN + 1));
    EXPECT_EQ(transport_qp_set_cc(nic.transport, QPN + 1, &same, nic.now_ns), 0);
    EXPECT(transport_qp_paths(nic.transport, QPN) != transport_qp_paths(nic.transport, QPN + 1));
    EXPECT_EQ(transport_qp_paths(nic.transport, QPN + 1)->timing.base_rtt_ns,
        transport_qp_paths(nic.transport, QPN)->timing.base_rtt_ns);
    by_hand_close(&nic);
}

SPEC("the paths of a new profile know the base RTT")
{
    uint32_t base_rtt_ns;

    open_with_other();
    base_rtt_ns = transport_qp_paths(nic.transport, QPN)->timing.base_rtt_ns;
    EXPECT_GT(base_rtt_ns, 0);
    EXPECT_EQ(set_paths(&other), 0);
    EXPECT_EQ(transport_qp_paths(nic.transport, QPN)->timing.base_rtt_ns, base_rtt_ns);
    by_hand_close(&nic);
}

SPEC("work that waits for a usable EV is sent as soon as the new profile has one")
{
    struct path_set *paths;

    open_with_other();
    paths = transport_qp_paths(nic.transport, QPN);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        path_deny(paths, i, nic.now_ns);
    by_hand_post(&nic, QPN, 1, 4 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(set_paths(&other), 0);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(by_hand_send(&nic), 4);
    by_hand_close(&nic);
}

SPEC("profiles of other planes, without EVs or for no QP are refused, and nothing changes")
{
    struct path_profile wrong;

    open_with_other();
    wrong = other;
    wrong.plane_count = BY_HAND_PLANES - 1;
    EXPECT_EQ(set_paths(&wrong), -EINVAL);
    wrong = other;
    wrong.entry_count = 0;
    EXPECT_EQ(set_paths(&wrong), -EINVAL);
    EXPECT_EQ(transport_qp_set_paths(nic.transport, QPN + 1, &other, memory, 0), -ENOENT);
    EXPECT_EQ(transport_qp_set_cc(nic.transport, QPN + 1, &nic.cc, 0), -ENOENT);
    by_hand_post(&nic, QPN, 1, 8 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 8);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        EXPECT(is_of(&nic.profile, &nic.sent[i]));
    by_hand_close(&nic);
}

SPEC("a QP in RESET can change its profile")
{
    open_with_other();
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_RESET), 0);
    EXPECT_EQ(set_paths(&other), 0);
    by_hand_reconnect(&nic, QPN);
    by_hand_post(&nic, QPN, 1, 8 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 8);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        EXPECT(is_of(&other, &nic.sent[i]));
    by_hand_close(&nic);
}

SPEC("another congestion control starts with its own window, for any bytes in flight")
{
    struct cc_profile small;
    struct cc_settings settings;
    struct qp_status status;

    open_with_other();
    by_hand_post(&nic, QPN, 1, 64 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 64);
    transport_cc_settings(transport_parameters(nic.transport), nic.config.port_count, &settings);
    settings.max_window_bytes = 20000;
    EXPECT(cc_profile_init(&small, &settings));
    EXPECT_EQ(transport_qp_set_cc(nic.transport, QPN, &small, nic.now_ns), 0);
    transport_check(nic.transport);
    EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), 0);
    EXPECT_LE(status.window_bytes, 20000);
    by_hand_post(&nic, QPN, 2, BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("packets of a plane that has lost all its EVs count for the plane of their successor")
{
    struct packet sack;

    by_hand_prepare(&nic);
    nic.config.parameters.plane_share = PLANE_SHARE_DELIVERED;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    entries[0] = (struct path_entry){ .ev = 0x55, .plane = 0 };
    EXPECT(path_profile_explicit(&other, entries, 1, BY_HAND_PLANES));
    by_hand_post(&nic, QPN, 1, 16 * BY_HAND_PMTU_BYTES, WORK_SIGNALED);
    EXPECT_EQ(by_hand_send(&nic), 16);
    EXPECT_EQ(set_paths(&other), 0);
    nic.now_ns += 10000;
    sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 15));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    by_hand_post(&nic, QPN, 2, 16 * BY_HAND_PMTU_BYTES, WORK_SIGNALED);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 32);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        EXPECT_EQ(nic.sent[i].port, 0);
    by_hand_close(&nic);
}

static uint32_t window_bytes(void)
{
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), 0);
    return status.window_bytes;
}

SPEC("another congestion control for a QP that has failed changes nothing at its peer")
{
    static struct cc_profile same;
    uint32_t fresh_bytes;
    struct packet nack;

    open_with_other();
    same = nic.cc;
    fresh_bytes = window_bytes();
    by_hand_post(&nic, QPN, 1, 4 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 4);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    EXPECT_LT(window_bytes(), fresh_bytes);
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_ERR), 0);
    EXPECT_EQ(transport_qp_set_cc(nic.transport, QPN, &same, nic.now_ns), 0);
    EXPECT_EQ(transport_qp_set_cc(nic.transport, QPN, &nic.cc, nic.now_ns), 0);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    for (uint32_t i = 0; i < 2; i++) { /* by whichever place it knows its peer */
        nic.peer = 2 + i;
        by_hand_connect(&nic, QPN);
        EXPECT_EQ(window_bytes(), fresh_bytes);
        by_hand_post(&nic, QPN, 1, 4 * BY_HAND_PMTU_BYTES, 0);
        EXPECT_EQ(by_hand_send(&nic), 4);
        nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
        EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
        EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    }
    by_hand_close(&nic);
}

SPEC("packets under way stay on their plane, whichever EV replaces theirs")
{
    open_with_other();
    by_hand_post(&nic, QPN, 1, 8 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 8);
    EXPECT_EQ(set_paths(&other), 0);
    transport_ports_changed(nic.transport, 1, nic.now_ns); /* what took plane 1 is lost */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_PORT_DOWN), 4);
    by_hand_close(&nic);
}

SPEC("§15: with one scope for a destination, QPs of another profile share nothing")
{
    static struct path_profile same;

    by_hand_prepare(&nic);
    nic.config.parameters.ev_state_scope = EV_STATE_SCOPE_DESTINATION;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    path_on_mark(transport_qp_paths(nic.transport, QPN), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    same = nic.profile;
    nic.init.paths = &same;
    by_hand_connect(&nic, QPN + 1);
    path_deny(transport_qp_paths(nic.transport, QPN), 5, nic.now_ns);
    EXPECT_EQ(path_usable_count(transport_qp_paths(nic.transport, QPN)), BY_HAND_EVS - 2);
    EXPECT_EQ(path_usable_count(transport_qp_paths(nic.transport, QPN + 1)), BY_HAND_EVS);
    by_hand_close(&nic);
}

SPEC("§15: a QP that gets the profile of another shares the state of its EVs")
{
    static struct path_profile mine;

    by_hand_prepare(&nic);
    nic.config.parameters.ev_state_scope = EV_STATE_SCOPE_DESTINATION;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN + 1);
    path_on_mark(
        transport_qp_paths(nic.transport, QPN + 1), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    entries[0] = (struct path_entry){ .ev = 0x55, .plane = 0 };
    EXPECT(path_profile_explicit(&mine, entries, 1, BY_HAND_PLANES));
    nic.init.paths = &mine;
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(path_bad_count(transport_qp_paths(nic.transport, QPN)), 0);
    EXPECT_EQ(transport_qp_set_paths(nic.transport, QPN, &nic.profile, all_memory, nic.now_ns), 0);
    EXPECT_EQ(path_state_of(transport_qp_paths(nic.transport, QPN), 2), EV_ASSUMED_BAD);
    by_hand_close(&nic);
}

/* A probe of a bad EV is due, and its port is busy. */
static void open_with_waiting_probe(void)
{
    by_hand_prepare(&nic);
    nic.config.qp_count_max = 2; /* few timers: each ends to the nanosecond */
    nic.config.parameters.ev_probe_first = 100000;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    path_on_mark(transport_qp_paths(nic.transport, QPN), 7, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    nic.ready_ports = 1; /* it is on plane 1 */
    by_hand_wait(&nic, 200000);
}

SPEC("a probe of a bad EV that waits for its port is not sent once there are other EVs")
{
    static struct path_entry eight[BY_HAND_EVS];

    open_with_waiting_probe();
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        eight[i] = (struct path_entry){ .ev = 0x50 + i, .plane = nic.entries[i].plane };
    EXPECT(path_profile_explicit(&other, eight, BY_HAND_EVS, BY_HAND_PLANES));
    EXPECT_EQ(transport_qp_set_paths(nic.transport, QPN, &other, all_memory, nic.now_ns), 0);
    nic.ready_ports = UINT32_MAX;
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_PROBES), 0);
    by_hand_close(&nic);
}

SPEC("a probe of a bad EV that waits for its port is not sent once the port is down")
{
    open_with_waiting_probe();
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    nic.ready_ports = UINT32_MAX;
    memset(nic.sent, 0, sizeof(nic.sent));
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_ENDPOINT_REQUEST); /* tells of the port */
    by_hand_close(&nic);
}

SPEC("a probe of a bad EV that waited for its port has its whole time after it is sent")
{
    uint64_t timeout_ns;
    uint64_t left_ns;

    open_with_waiting_probe();
    timeout_ns = transport_qp_paths(nic.transport, QPN)->timing.probe_timeout_ns;
    by_hand_wait(&nic, timeout_ns / 2);
    nic.ready_ports = UINT32_MAX;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_PROBES), 1);
    left_ns = transport_deadline_ns(nic.transport) - nic.now_ns;
    EXPECT_GE(left_ns, timeout_ns);
    EXPECT_LE(left_ns, timeout_ns + 2048); /* two ticks of the clock of probes */
    by_hand_wait(&nic, 10 * timeout_ns);
    EXPECT_GE(by_hand_count(&nic, COUNTER_EV_PROBES), 2);
    by_hand_close(&nic);
}

SPEC("§15: a QP that changes its profile leaves the EV state to the QPs that shared it")
{
    const struct path_set *shared;

    by_hand_prepare(&nic);
    nic.config.parameters.ev_state_scope = EV_STATE_SCOPE_DESTINATION;
    open_prepared_with_other();
    by_hand_connect(&nic, QPN + 1);
    shared = transport_qp_paths(nic.transport, QPN);
    EXPECT(transport_qp_paths(nic.transport, QPN + 1) == shared);
    path_on_mark(transport_qp_paths(nic.transport, QPN), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    EXPECT_EQ(set_paths(&other), 0);
    EXPECT(transport_qp_paths(nic.transport, QPN + 1) != shared); /* which is the first QP's */
    EXPECT_EQ(path_state_of(transport_qp_paths(nic.transport, QPN + 1), 2), EV_ASSUMED_BAD);
    EXPECT_EQ(path_bad_count(transport_qp_paths(nic.transport, QPN)), 0);
    by_hand_close(&nic);
}

SPEC("packets that leave at the moment of the change count for the new EVs")
{
    enum { TICKS_NS = 64 * 20000 }; /* of send times: they are exact */

    open_with_other();
    nic.now_ns = TICKS_NS;
    EXPECT_EQ(set_paths(&other), 0);
    by_hand_post(&nic, QPN, 1, 2 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 2);
    nic.sent[0] = nic.sent[1];
    for (uint32_t i = 0; i < 2; i++) {
        nic.now_ns += TICKS_NS;
        acknowledge_behind(1, 1);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_TURNED_BAD), 1);
    by_hand_close(&nic);
}

SPEC("a QP that only receives can change its profile")
{
    by_hand_prepare(&nic);
    nic.init.window_psns_max = 0;
    open_prepared_with_other();
    EXPECT_EQ(set_paths(&other), 0);
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_RTS);
    by_hand_close(&nic);
}
