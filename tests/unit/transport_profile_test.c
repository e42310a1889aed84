/* SPDX-License-Identifier: Apache-2.0 */
/* Other profiles for a QP that is in use. */
#include <errno.h>
#include <stdalign.h>

#include "by_hand.h"
#include "spec.h"
#include "wire/opcode.h"

enum { QPN = 7, NEW_EVS = 3 };

static struct by_hand nic;
static struct path_profile other;
static struct path_entry entries[NEW_EVS];
static alignas(64) uint8_t memory[PATH_SET_BYTES(NEW_EVS) + 64];

/* One EV that the QP has already, on the second plane, and one new on each. */
static void open_with_other(void)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    entries[0] = (struct path_entry){ .ev = 0x55, .plane = 0 };
    entries[1] = (struct path_entry){ .ev = 0x155, .plane = 1 };
    entries[2] = (struct path_entry){ .ev = 0x101, .plane = 1 };
    EXPECT(path_profile_explicit(&other, entries, NEW_EVS, BY_HAND_PLANES));
    EXPECT_LE(transport_paths_bytes(nic.transport, &other), sizeof(memory));
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

SPEC("from the change on packets take the new EVs, and the old ones are acknowledged as ever")
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

SPEC("packets that were under way and got lost speak against none of the new EVs")
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

SPEC("a QP in RESET may get another profile, too")
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

SPEC("another congestion control begins with its own window, whatever is in flight")
{
    struct cc_profile small;
    struct cc_settings settings;
    struct qp_status status;

    open_with_other();
    by_hand_post(&nic, QPN, 1, 64 * BY_HAND_PMTU_BYTES, 0);
    EXPECT_EQ(by_hand_send(&nic), 64);
    transport_cc_settings(transport_parameters(nic.transport), &settings);
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
