/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a QP: creation, states, attributes, destruction (docs/protocol.md §2, §22). */
#include "by_hand.h"
#include "spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "transport/nic.h"

enum { QPN = 7, OTHER_QPN = 8 };

static struct by_hand nic;

static void open_nic(void)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
}

/* A QP that has just reached this state. */
static void open_in(enum qp_state state)
{
    open_nic();
    EXPECT_EQ(by_hand_create(&nic, QPN), 0);
    for (enum qp_state next = QP_INIT; next <= state && next <= QP_RTS; next++)
        EXPECT_EQ(by_hand_step(&nic, QPN, next), 0);
    if (state == QP_ERR)
        EXPECT_EQ(by_hand_move(&nic, QPN, QP_ERR), 0);
    EXPECT_EQ(by_hand_state(&nic, QPN), state);
}

/* ---- creation ------------------------------------------------------------------------------- */

SPEC("§2: a QP starts in RESET")
{
    open_nic();
    EXPECT_EQ(by_hand_create(&nic, QPN), 0);
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_RESET);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC("a QP number is above 2 and below 2^24")
{
    open_nic();
    EXPECT_EQ(by_hand_create(&nic, 0), -EINVAL);
    EXPECT_EQ(by_hand_create(&nic, 1), -EINVAL);
    EXPECT_EQ(by_hand_create(&nic, 2), -EINVAL);
    EXPECT_EQ(by_hand_create(&nic, 3), 0);
    EXPECT_EQ(by_hand_create(&nic, (1 << 24) - 1), 0);
    EXPECT_EQ(by_hand_create(&nic, 1 << 24), -EINVAL);
    EXPECT_EQ(by_hand_create(&nic, UINT32_MAX), -EINVAL);
    by_hand_close(&nic);
}

SPEC("a window is a power of two from 128 to 32768 PSNs, or none")
{
    static const struct {
        uint32_t psns;
        int result;
    } cases[] = { { 0, 0 }, { 128, 0 }, { 1024, 0 }, { 32768, 0 }, { 1, -EINVAL }, { 64, -EINVAL },
        { 127, -EINVAL }, { 192, -EINVAL }, { 1000, -EINVAL }, { 65536, -EINVAL } };

    open_nic();
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        void *memory = malloc(1 << 20);

        nic.init.window_psns_max = cases[i].psns;
        nic.init.window_psns_max_dest = 128;
        EXPECT_EQ(transport_qp_create(nic.transport, 10 + i, &nic.init, memory), cases[i].result);
        if (cases[i].result == 0)
            transport_qp_destroy(nic.transport, 10 + i);
        nic.init.window_psns_max = 128;
        nic.init.window_psns_max_dest = cases[i].psns;
        EXPECT_EQ(transport_qp_create(nic.transport, 10 + i, &nic.init, memory), cases[i].result);
        if (cases[i].result == 0)
            transport_qp_destroy(nic.transport, 10 + i);
        free(memory);
    }
    by_hand_close(&nic);
}

SPEC("a QP without memory, paths, congestion control or room for its work is refused")
{
    struct path_profile empty = { .entry_count = 0, .plane_count = 1 };
    struct path_profile vast;
    struct qp_init good;
    struct qp_init bad;
    char memory[1];

    open_nic();
    vast = nic.profile;
    vast.entry_count = PATH_EV_COUNT_MAX + 1;
    good = nic.init;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &good, NULL), -EINVAL);
    bad = good;
    bad.paths = NULL;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &bad, memory), -EINVAL);
    bad.paths = &empty;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &bad, memory), -EINVAL);
    bad.paths = &vast;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &bad, memory), -EINVAL);
    bad = good;
    bad.cc = NULL;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &bad, memory), -EINVAL);
    bad = good;
    bad.send_depth = 0;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &bad, memory), -EINVAL);
    by_hand_close(&nic);
}

SPEC("a QP may have 1,024 EVs")
{
    static struct path_entry entries[PATH_EV_COUNT_MAX];
    struct path_profile profile;

    for (uint32_t i = 0; i < PATH_EV_COUNT_MAX; i++)
        entries[i] = (struct path_entry){ .ev = i, .plane = (uint8_t)(i % BY_HAND_PLANES) };
    open_nic();
    EXPECT(path_profile_explicit(&profile, entries, PATH_EV_COUNT_MAX, BY_HAND_PLANES));
    nic.init.paths = &profile;
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(path_usable_count(transport_qp_paths(nic.transport, QPN)), PATH_EV_COUNT_MAX);
    by_hand_close(&nic);
}

SPEC("a QP that only receives needs no send queue, one that only sends no receive queue")
{
    open_nic();
    nic.init.window_psns_max = nic.init.send_depth = 0;
    EXPECT_EQ(by_hand_create(&nic, QPN), 0);
    nic.init.window_psns_max = 128;
    nic.init.send_depth = 1;
    nic.init.window_psns_max_dest = nic.init.recv_depth = nic.init.write_imm_max_dest = 0;
    EXPECT_EQ(by_hand_create(&nic, OTHER_QPN), 0);
    EXPECT_EQ(by_hand_step(&nic, QPN, QP_INIT), 0);
    EXPECT_EQ(by_hand_step(&nic, QPN, QP_RTR), 0);
    EXPECT_EQ(by_hand_step(&nic, QPN, QP_RTS), 0);
    by_hand_close(&nic);
}

SPEC("a QP number that is in use is refused, and its QP is unaffected")
{
    open_nic();
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(by_hand_create(&nic, QPN), -EEXIST);
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_RTS);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    EXPECT_EQ(by_hand_create(&nic, QPN), 0);
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_RESET);
    by_hand_close(&nic);
}

SPEC("a QP beyond the limit is refused, until one is destroyed")
{
    by_hand_prepare(&nic);
    nic.config.qp_count_max = 3;
    by_hand_open(&nic);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(by_hand_create(&nic, QPN + i), 0);
    EXPECT_EQ(by_hand_create(&nic, QPN + 3), -ENOMEM);
    EXPECT_EQ(by_hand_create(&nic, QPN), -EEXIST);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN + 1), 0);
    EXPECT_EQ(by_hand_create(&nic, QPN + 3), 0);
    EXPECT_EQ(by_hand_create(&nic, QPN + 1), -ENOMEM);
    by_hand_close(&nic);
}

SPEC("a QP of 256 EVs and 1,024 PSNs each way takes 8 KiB at most, its work queues aside")
{
    static struct path_entry entries[256];
    struct path_profile profile;
    size_t with_four; /* requests of each kind */
    size_t four;

    open_nic();
    for (uint32_t i = 0; i < 256; i++)
        entries[i] = (struct path_entry){ .ev = i, .plane = (uint8_t)(i % BY_HAND_PLANES) };
    EXPECT(path_profile_explicit(&profile, entries, 256, BY_HAND_PLANES));
    nic.init.paths = &profile;
    nic.init.window_psns_max = nic.init.window_psns_max_dest = 1024;
    nic.init.send_depth = nic.init.recv_depth = nic.init.write_imm_max_dest = 4;
    with_four = transport_qp_bytes(&nic.init);
    nic.init.send_depth = nic.init.recv_depth = nic.init.write_imm_max_dest = 8;
    four = transport_qp_bytes(&nic.init) - with_four;
    EXPECT_LE(with_four - four, 8192);
    by_hand_close(&nic);
}

SPEC("§4.1: by default the window of PSNs is four congestion windows and a unit, at least 8 units")
{
    struct parameters parameters;
    struct cc_profile cc = { 0 };

    parameters_init(&parameters, TIMERS_HARDWARE);
    cc.settings.max_window_bytes = 5 * 128 * 4096;
    EXPECT_EQ(transport_mpr(&parameters, &cc), 21);
    cc.settings.max_window_bytes = 128 * 4096;
    EXPECT_EQ(transport_mpr(&parameters, &cc), 8);
    cc.settings.max_window_bytes = 64 * 128 * 4096;
    EXPECT_EQ(transport_mpr(&parameters, &cc), 255);
    parameters.mpr = 3;
    EXPECT_EQ(transport_mpr(&parameters, &cc), 3);
}

SPEC("§2: attributes that are not set have the values of the parameters")
{
    struct qp_attributes attributes;

    by_hand_prepare(&nic);
    nic.config.parameters.pmtu = 2048;
    nic.config.parameters.mpr = 5;
    nic.config.parameters.max_wimm = 50;
    nic.config.parameters.timeout = 9;
    nic.config.parameters.retry_linear = 2;
    nic.config.parameters.retry_exponential = 4;
    by_hand_open(&nic);
    EXPECT_EQ(by_hand_create(&nic, QPN), 0);
    EXPECT_EQ(transport_qp_query(nic.transport, QPN, &attributes), 0);
    EXPECT_EQ(attributes.pmtu_bytes, 2048);
    EXPECT_EQ(attributes.mpr, 5);
    EXPECT_EQ(attributes.mpr_dest, 5);
    EXPECT_EQ(attributes.max_wimm, 50);
    EXPECT_EQ(attributes.max_wimm_dest, 32); /* what the QP can hold is less */
    EXPECT_EQ(attributes.timeout, 9);
    EXPECT_EQ(attributes.retry_linear, 2);
    EXPECT_EQ(attributes.retry_exponential, 4);
    EXPECT_EQ(attributes.peer_ports, (1 << BY_HAND_PLANES) - 1);
    EXPECT(!attributes.dynamic_mpr);
    EXPECT(attributes.trim_nack && attributes.peer_trim_nack);
    EXPECT(!attributes.service_time && !attributes.peer_service_time);
    nic.init.write_imm_max_dest = 100;
    EXPECT_EQ(by_hand_create(&nic, OTHER_QPN), 0);
    EXPECT_EQ(transport_qp_query(nic.transport, OTHER_QPN, &attributes), 0);
    EXPECT_EQ(attributes.max_wimm_dest, 50);
    by_hand_close(&nic);
}

SPEC("§13: other retries leave the timeout of the parameters as it is")
{
    struct qp_attributes attributes = { .retry_linear = 6, .retry_exponential = 6 };

    by_hand_prepare(&nic);
    nic.config.parameters.timeout = 15;
    by_hand_open(&nic);
    EXPECT_EQ(by_hand_create(&nic, QPN), 0);
    EXPECT_EQ(transport_qp_modify(nic.transport, QPN, &attributes, QP_ATTR_RETRY, nic.now_ns), 0);
    EXPECT_EQ(transport_qp_query(nic.transport, QPN, &attributes), 0);
    EXPECT_EQ(attributes.retry_linear, 6);
    EXPECT_EQ(attributes.timeout, 15);
    by_hand_close(&nic);
}

SPEC("an unknown QP cannot be changed, queried or destroyed")
{
    struct qp_attributes attributes;
    struct qp_status status;

    open_nic();
    by_hand_create(&nic, QPN);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), -ENOENT);
    EXPECT_EQ(transport_qp_modify(nic.transport, QPN, &attributes, 0, 0), -ENOENT);
    EXPECT_EQ(transport_qp_query(nic.transport, QPN, &attributes), -ENOENT);
    EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), -ENOENT);
    EXPECT(!transport_qp_paths(nic.transport, QPN));
    by_hand_close(&nic);
}

/* ---- states --------------------------------------------------------------------------------- */

SPEC("a change of state is traced once, with both states")
{
    static const enum qp_state path[] = { QP_INIT, QP_RTR, QP_RTS, QP_ERR, QP_RESET };
    enum qp_state from = QP_RESET;

    open_nic();
    by_hand_create(&nic, QPN);
    for (uint32_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
        nic.trace_count = 0;
        EXPECT_EQ(by_hand_move(&nic, QPN, path[i]), 0);
        EXPECT_EQ(by_hand_move(&nic, QPN, path[i]), 0); /* no change */
        EXPECT_EQ(nic.trace_count, 1);
        EXPECT_EQ(nic.traces[0].kind, EVENT_QP_STATE);
        EXPECT_EQ(nic.traces[0].subject, QPN);
        EXPECT_EQ(nic.traces[0].time_ns, nic.now_ns);
        EXPECT_EQ(nic.traces[0].values[0], from);
        EXPECT_EQ(nic.traces[0].values[1], path[i]);
        from = path[i];
    }
    by_hand_close(&nic);
}

SPEC("a QP without a responder takes no data, one without a requester no feedback")
{
    struct packet packet;

    open_nic();
    nic.init.window_psns_max = 0;
    by_hand_connect(&nic, QPN);
    nic.init.window_psns_max = 128;
    nic.init.window_psns_max_dest = 0;
    by_hand_connect(&nic, OTHER_QPN);
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 8);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    packet.dest_qpn = OTHER_QPN;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_QP_STATE);
    packet = by_hand_ack(&nic, OTHER_QPN, psn(BY_HAND_SQ_PSN - 1), 0);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    packet.dest_qpn = QPN;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_QP_STATE);
    EXPECT(!transport_qp_paths(nic.transport, QPN));
    EXPECT(transport_qp_paths(nic.transport, OTHER_QPN));
    by_hand_close(&nic);
}

SPEC("a packet for another address, an unknown QP, of another peer or with a foreign opcode is "
     "dropped and counted")
{
    struct packet good;
    struct packet bad;

    open_in(QP_RTS);
    good = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 8);
    bad = good;
    bad.dst.octets[15] ^= 1;
    EXPECT_EQ(by_hand_receive(&nic, &bad), DROP_ADDRESS);
    bad = good;
    bad.dest_qpn = OTHER_QPN;
    EXPECT_EQ(by_hand_receive(&nic, &bad), DROP_UNKNOWN_QP);
    bad = good;
    bad.src.octets[0] ^= 1;
    EXPECT_EQ(by_hand_receive(&nic, &bad), DROP_PEER);
    bad = good;
    bad.opcode = OPCODE_ROCE_ACK;
    EXPECT_EQ(by_hand_receive(&nic, &bad), DROP_OPCODE);
    EXPECT_EQ(nic.placed_count, 0);
    EXPECT_EQ(by_hand_receive(&nic, &good), DROP_NONE);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_ADDRESS], 1);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_UNKNOWN_QP], 1);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_PEER], 1);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_OPCODE], 1);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_NONE], 1);
    by_hand_close(&nic);
}

/* ---- attributes ----------------------------------------------------------------------------- */

static int modify(uint32_t mask, struct qp_attributes attributes)
{
    return transport_qp_modify(nic.transport, QPN, &attributes, mask, nic.now_ns);
}

static struct qp_attributes query(void)
{
    struct qp_attributes attributes;

    EXPECT_EQ(transport_qp_query(nic.transport, QPN, &attributes), 0);
    return attributes;
}

#define ATTRIBUTE(...)                                                                             \
    (struct qp_attributes)                                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

SPEC("an attribute out of range is refused and changes nothing")
{
    struct qp_attributes before;
    struct qp_attributes after;

    open_in(QP_INIT);
    before = query();
    EXPECT_EQ(modify(QP_ATTR_PMTU, ATTRIBUTE(.pmtu_bytes = 0)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_PMTU, ATTRIBUTE(.pmtu_bytes = 128)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_PMTU, ATTRIBUTE(.pmtu_bytes = 1000)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_PMTU, ATTRIBUTE(.pmtu_bytes = 8192)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_MPR, ATTRIBUTE(.mpr = 0)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_MPR_DEST, ATTRIBUTE(.mpr_dest = 0)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_MAX_WIMM, ATTRIBUTE(.max_wimm = 0)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_MAX_WIMM_DEST, ATTRIBUTE(.max_wimm_dest = 33)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_TIMEOUT, ATTRIBUTE(.timeout = 25)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_RETRY, ATTRIBUTE(.retry_linear = 8)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_RETRY, ATTRIBUTE(.retry_exponential = 26)), -EINVAL);
    /* Not even the good part of a bad change. */
    EXPECT_EQ(modify(QP_ATTR_TIMEOUT | QP_ATTR_MPR, ATTRIBUTE(.timeout = 3, .mpr = 0)), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_STATE | QP_ATTR_MPR, ATTRIBUTE(.state = QP_RTR, .mpr = 0)), -EINVAL);
    after = query();
    EXPECT_MEM_EQ(&after, &before, sizeof(before));

    for (uint32_t pmtu_bytes = 256; pmtu_bytes <= 4096; pmtu_bytes *= 2)
        EXPECT_EQ(modify(QP_ATTR_PMTU, ATTRIBUTE(.pmtu_bytes = pmtu_bytes)), 0);
    EXPECT_EQ(modify(QP_ATTR_MPR, ATTRIBUTE(.mpr = 1)), 0);
    EXPECT_EQ(modify(QP_ATTR_MPR, ATTRIBUTE(.mpr = 255)), 0);
    EXPECT_EQ(modify(QP_ATTR_MPR_DEST, ATTRIBUTE(.mpr_dest = 255)), 0);
    EXPECT_EQ(modify(QP_ATTR_MAX_WIMM, ATTRIBUTE(.max_wimm = 1)), 0);
    EXPECT_EQ(modify(QP_ATTR_MAX_WIMM_DEST, ATTRIBUTE(.max_wimm_dest = 32)), 0);
    EXPECT_EQ(modify(QP_ATTR_MAX_WIMM_DEST, ATTRIBUTE(.max_wimm_dest = 0)), 0);
    EXPECT_EQ(modify(QP_ATTR_TIMEOUT, ATTRIBUTE(.timeout = 24)), 0);
    EXPECT_EQ(modify(QP_ATTR_RETRY, ATTRIBUTE(.retry_linear = 7, .retry_exponential = 25)), 0);
    by_hand_close(&nic);
}

SPEC("a QP that only receives may do without WriteImm of its own")
{
    open_nic();
    nic.init.window_psns_max = 0;
    by_hand_create(&nic, QPN);
    EXPECT_EQ(modify(QP_ATTR_MAX_WIMM, ATTRIBUTE(.max_wimm = 0)), 0);
    by_hand_close(&nic);
}

SPEC("a QP that only receives accepts attributes of a requester, and one that only sends of a "
     "responder")
{
    open_nic();
    nic.init.window_psns_max = 0;
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(modify(QP_ATTR_MPR | QP_ATTR_TIMEOUT, ATTRIBUTE(.mpr = 3, .timeout = 9)), 0);
    EXPECT_EQ(query().mpr, 3);
    nic.init.window_psns_max = 128;
    nic.init.window_psns_max_dest = 0;
    by_hand_connect(&nic, QPN + 1);
    EXPECT_EQ(transport_qp_modify(nic.transport, QPN + 1, &(struct qp_attributes){ .mpr_dest = 3 },
                  QP_ATTR_MPR_DEST, nic.now_ns),
        0);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN + 1), 0);
    by_hand_close(&nic);
}

SPEC("PSNs are taken modulo 2^24")
{
    open_in(QP_INIT);
    EXPECT_EQ(modify(QP_ATTR_RQ_PSN | QP_ATTR_SQ_PSN,
                  ATTRIBUTE(.rq_psn = { 0x1000005 }, .sq_psn = { 0xff000006 })),
        0);
    EXPECT_EQ(query().rq_psn.value, 5);
    EXPECT_EQ(query().sq_psn.value, 6);
    by_hand_close(&nic);
}

SPEC("from RTR on, the peer, its PMTU and its first PSN are fixed; our own first PSN may still be "
     "set")
{
    open_in(QP_RTR);
    EXPECT_EQ(modify(QP_ATTR_PEER, query()), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_PMTU, query()), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_RQ_PSN, query()), -EINVAL);
    EXPECT_EQ(modify(QP_ATTR_SQ_PSN, ATTRIBUTE(.sq_psn = psn(77))), 0);
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_RTS), 0);
    EXPECT_EQ(query().sq_psn.value, 77);
    by_hand_close(&nic);
}

SPEC("queues deeper than 2^20 requests and more than 2^15 WriteImm are refused")
{
    open_nic();
    nic.init.send_depth = (1 << 20) + 1;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &nic.init, &nic), -EINVAL);
    nic.init.send_depth = 16;
    nic.init.recv_depth = UINT32_MAX;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &nic.init, &nic), -EINVAL);
    nic.init.recv_depth = 16;
    nic.init.write_imm_max_dest = (1 << 15) + 1;
    EXPECT_EQ(transport_qp_create(nic.transport, QPN, &nic.init, &nic), -EINVAL);
    nic.init.write_imm_max_dest = 1 << 15;
    nic.init.send_depth = 1 << 20;
    nic.init.recv_depth = 1 << 20;
    EXPECT_EQ(by_hand_create(&nic, QPN), 0);
    EXPECT_EQ(path_ev_count(transport_qp_paths(nic.transport, QPN)), BY_HAND_EVS);
    by_hand_close(&nic);
}

SPEC("attributes that traffic relies on are fixed in RTS and ERR")
{
    static const uint32_t fixed[] = { QP_ATTR_PEER, QP_ATTR_PMTU, QP_ATTR_RQ_PSN, QP_ATTR_SQ_PSN };

    for (enum qp_state state = QP_RTS; state <= QP_ERR; state++) {
        open_in(state);
        for (uint32_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
            EXPECT_EQ(modify(fixed[i], query()), -EINVAL);
        EXPECT_EQ(
            modify(QP_ATTR_ALL & ~(QP_ATTR_PEER | QP_ATTR_PMTU | QP_ATTR_RQ_PSN | QP_ATTR_SQ_PSN),
                query()),
            0);
        EXPECT_EQ(by_hand_state(&nic, QPN), state);
        by_hand_close(&nic);
    }
}

static struct qp_attributes random_attributes(struct prng *prng)
{
    return (struct qp_attributes){ .state = QP_INIT,
        .peer_address = by_hand_address(prng_below(prng, 1000)),
        .peer_qpn = prng_below(prng, 1 << 24),
        .peer_ports = prng_below(prng, 4),
        .pmtu_bytes = UINT32_C(256) << prng_below(prng, 5),
        .rq_psn = psn(prng_below(prng, 1 << 24)),
        .sq_psn = psn(prng_below(prng, 1 << 24)),
        .mpr = (uint8_t)(1 + prng_below(prng, 255)),
        .mpr_dest = (uint8_t)(1 + prng_below(prng, 255)),
        .max_wimm = (uint16_t)(1 + prng_below(prng, 65535)),
        .max_wimm_dest = (uint16_t)prng_below(prng, 33),
        .timeout = (uint8_t)prng_below(prng, 25),
        .retry_linear = (uint8_t)prng_below(prng, 8),
        .retry_exponential = (uint8_t)prng_below(prng, 26),
        .dynamic_mpr = prng_below(prng, 2),
        .peer_trim_nack = prng_below(prng, 2),
        .trim_nack = prng_below(prng, 2),
        .peer_service_time = prng_below(prng, 2),
        .service_time = prng_below(prng, 2) };
}

#define EXPECT_MEMBER(bit, member)                                                                 \
    EXPECT_EQ(after.member, mask &(bit) ? wanted.member : before.member)

PROPERTY("a change sets the attributes of its mask, and no others", 300)
{
    struct prng prng = prng_stream(seed, 0);
    struct qp_attributes before = random_attributes(&prng);
    struct qp_attributes wanted = random_attributes(&prng);
    struct qp_attributes after;
    uint32_t mask = prng_below(&prng, QP_ATTR_ALL + 1);

    open_nic();
    by_hand_create(&nic, QPN);
    EXPECT_EQ(modify(QP_ATTR_ALL, before), 0);
    after = query();
    EXPECT_MEM_EQ(&after.peer_address, &before.peer_address, 16);
    EXPECT_EQ(modify(mask, wanted), 0);
    after = query();
    EXPECT_MEM_EQ(
        &after.peer_address, mask & QP_ATTR_PEER ? &wanted.peer_address : &before.peer_address, 16);
    EXPECT_MEMBER(QP_ATTR_PEER, peer_qpn);
    EXPECT_MEMBER(QP_ATTR_PEER, peer_ports);
    EXPECT_MEMBER(QP_ATTR_PMTU, pmtu_bytes);
    EXPECT_MEMBER(QP_ATTR_RQ_PSN, rq_psn.value);
    EXPECT_MEMBER(QP_ATTR_SQ_PSN, sq_psn.value);
    EXPECT_MEMBER(QP_ATTR_MPR, mpr);
    EXPECT_MEMBER(QP_ATTR_MPR_DEST, mpr_dest);
    EXPECT_MEMBER(QP_ATTR_MAX_WIMM, max_wimm);
    EXPECT_MEMBER(QP_ATTR_MAX_WIMM_DEST, max_wimm_dest);
    EXPECT_MEMBER(QP_ATTR_TIMEOUT, timeout);
    EXPECT_MEMBER(QP_ATTR_RETRY, retry_linear);
    EXPECT_MEMBER(QP_ATTR_RETRY, retry_exponential);
    EXPECT_MEMBER(QP_ATTR_CAPABILITIES, dynamic_mpr);
    EXPECT_MEMBER(QP_ATTR_CAPABILITIES, peer_trim_nack);
    EXPECT_MEMBER(QP_ATTR_CAPABILITIES, trim_nack);
    EXPECT_MEMBER(QP_ATTR_CAPABILITIES, peer_service_time);
    EXPECT_MEMBER(QP_ATTR_CAPABILITIES, service_time);
    by_hand_close(&nic);
}

/* ---- what an observer sees ------------------------------------------------------------------ */

SPEC("the status of a new connection shows its first PSN, window, range and planes")
{
    struct qp_status status;

    open_in(QP_RTS);
    EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), 0);
    EXPECT_EQ(status.state, QP_RTS);
    EXPECT_EQ(status.next_psn.value, BY_HAND_SQ_PSN);
    EXPECT_EQ(status.unacked_psn.value, BY_HAND_SQ_PSN);
    EXPECT_EQ(status.inflight_bytes, 0);
    EXPECT_EQ(status.window_bytes, nic.cc.settings.max_window_bytes);
    EXPECT_EQ(status.base_rtt_ns, 10000);
    EXPECT_EQ(status.smoothed_rtt_ns, 0);
    EXPECT_EQ(status.reorder_window_ns, 10000);
    EXPECT_EQ(status.mpr_psns, 128); /* the window, which is less than MPR 8 */
    EXPECT_EQ(status.timeouts, 0);
    EXPECT_EQ(status.plane_mask, 3);
    EXPECT_EQ(status.control_plane_mask, 3);
    by_hand_close(&nic);
}

SPEC("§4.1: a responder may narrow its range while it runs, and widen it again up to its window")
{
    static const struct {
        uint8_t mpr_dest;
        uint32_t admitted_psns;
    } changes[] = { { 8, 1024 }, { 1, 128 }, { 3, 384 }, { 255, 1024 } };

    open_nic();
    nic.init.window_psns_max_dest = 1024;
    by_hand_connect(&nic, QPN);
    for (uint32_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct psn last = psn_add(psn(BY_HAND_RQ_PSN), (int32_t)changes[i].admitted_psns - 1);
        struct packet packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn_add(last, 1), 8);

        EXPECT_EQ(modify(QP_ATTR_MPR_DEST, ATTRIBUTE(.mpr_dest = changes[i].mpr_dest)), 0);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_BEYOND_WINDOW);
        packet.psn = last;
        EXPECT_EQ(by_hand_receive(&nic, &packet), i == 3 ? DROP_DUPLICATE : DROP_NONE);
    }
    by_hand_close(&nic);
}

SPEC("the status shows the bytes in flight, and none for a QP that only receives")
{
    struct qp_status status;

    open_in(QP_RTS);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 2048, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 2);
    EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), 0);
    EXPECT_EQ(status.next_psn.value, BY_HAND_SQ_PSN + 2);
    EXPECT_EQ(status.unacked_psn.value, BY_HAND_SQ_PSN);
    EXPECT_EQ(status.inflight_bytes,
        packet_nominal_bytes(&nic.sent[0]) + packet_nominal_bytes(&nic.sent[1]));
    nic.init.window_psns_max = 0;
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(transport_qp_status(nic.transport, OTHER_QPN, &status), 0);
    EXPECT_EQ(status.inflight_bytes, 0);
    EXPECT_EQ(status.plane_mask, 3);
    by_hand_close(&nic);
}

SPEC("§2: there is no state after ERR")
{
    open_in(QP_ERR);
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_STATE_COUNT), -EINVAL);
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_ERR);
    by_hand_close(&nic);
}

static uint32_t timeout_in_force(void)
{
    struct qp_attributes attributes;

    EXPECT_EQ(transport_qp_query(nic.transport, QPN, &attributes), 0);
    return attributes.timeout;
}

SPEC("§13: a raised timeout follows the number of retries, and stays when others are changed")
{
    by_hand_prepare(&nic);
    nic.config.parameters.timeout_floor = 10;
    nic.config.parameters.give_up_floor = UINT64_C(1024) << 14;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(modify(QP_ATTR_TIMEOUT | QP_ATTR_RETRY,
                  ATTRIBUTE(.timeout = 4, .retry_linear = 1, .retry_exponential = 0)),
        0);
    EXPECT_EQ(timeout_in_force(), 13); /* two intervals */
    EXPECT_EQ(modify(QP_ATTR_MPR, ATTRIBUTE(.mpr = 2)), 0);
    EXPECT_EQ(timeout_in_force(), 13);
    EXPECT_EQ(modify(QP_ATTR_RETRY, ATTRIBUTE(.retry_linear = 7, .retry_exponential = 0)), 0);
    EXPECT_EQ(timeout_in_force(), 11); /* eight */
    EXPECT_EQ(modify(QP_ATTR_RETRY, ATTRIBUTE(.retry_linear = 7, .retry_exponential = 10)), 0);
    EXPECT_EQ(timeout_in_force(), 10); /* the floor */
    by_hand_close(&nic);
}

SPEC("§4.1: a wider range of the requester takes effect at once")
{
    open_nic();
    nic.init.window_psns_max = 1024;
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(modify(QP_ATTR_MPR, ATTRIBUTE(.mpr = 1)), 0);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 200 * BY_HAND_PMTU_BYTES, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 128);
    EXPECT(!transport_wants_to_send(nic.transport));
    EXPECT_EQ(modify(QP_ATTR_MPR, ATTRIBUTE(.mpr = 2)), 0);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(by_hand_send(&nic), 72);
    by_hand_close(&nic);
}

SPEC("§4.1: a change of the range of the responder takes effect before the next packet arrives")
{
    struct qp *qp;

    open_nic();
    nic.init.window_psns_max_dest = 1024;
    by_hand_connect(&nic, QPN);
    qp = nic_find(nic.transport, QPN);
    EXPECT_EQ(qp->responder->range_psns, 1024);
    EXPECT_EQ(modify(QP_ATTR_MPR_DEST, ATTRIBUTE(.mpr_dest = 3)), 0);
    EXPECT_EQ(qp->responder->range_psns, 384);
    by_hand_close(&nic);
}
