/* SPDX-License-Identifier: Apache-2.0 */
/* QPs that borrow their records. */
#include "by_hand.h"
#include "spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { QPN = 7, OTHER_QPN = 8, JUNK = 0xa5 };

static struct by_hand nic;
static void *records;

static void open_without_records(void)
{
    by_hand_prepare(&nic);
    nic.config.parameters.ev_state_scope = EV_STATE_SCOPE_DESTINATION;
    nic.init.borrows = true;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    records = malloc(transport_qp_records_bytes(&nic.init));
    EXPECT(records);
}

static void lend_used_records(uint32_t qpn)
{
    memset(records, JUNK, transport_qp_records_bytes(&nic.init));
    transport_qp_lend(nic.transport, qpn, records);
}

static void close_all(void)
{
    by_hand_close(&nic);
    free(records);
}

static void acknowledge(uint32_t qpn)
{
    struct packet ack = by_hand_ack(&nic, qpn, psn(BY_HAND_SQ_PSN), 1);

    EXPECT_EQ(by_hand_receive(&nic, &ack), DROP_NONE);
}

/* Sends a message of one packet and gets its acknowledgement. */
static void write_once(uint32_t qpn)
{
    EXPECT_EQ(by_hand_post(&nic, qpn, 1, 10, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    acknowledge(qpn);
}

SPEC("without records a QP is connected, and sends nothing")
{
    open_without_records();
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_RTS);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 10, 0), -EINVAL);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT(!transport_qp_paths(nic.transport, QPN));
    EXPECT(!transport_qp_reclaim(nic.transport, QPN, 0));
    transport_check(nic.transport);
    close_all();
}

SPEC("records take most of the memory of a QP that sends")
{
    struct qp_init own;

    open_without_records();
    own = nic.init;
    own.borrows = false;
    EXPECT_LE(transport_qp_bytes(&nic.init) + transport_qp_records_bytes(&nic.init),
        transport_qp_bytes(&own) + 2 * sizeof(uint64_t));
    close_all();
}

SPEC("with records, whatever they held before, a QP sends the same packets as with its own")
{
    struct packet lent;

    open_without_records();
    lend_used_records(QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 10, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    lent = nic.sent[0];
    close_all();

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 10, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(lent.ev, nic.sent[0].ev);
    EXPECT_EQ(lent.port, nic.sent[0].port);
    EXPECT_EQ(lent.psn.value, nic.sent[0].psn.value);
    by_hand_close(&nic);
}

SPEC("records are returned when all work is done and reported")
{
    open_without_records();
    lend_used_records(QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 10, WORK_SIGNALED), 0);
    EXPECT(!transport_qp_reclaim(nic.transport, QPN, nic.now_ns));
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT(!transport_qp_reclaim(nic.transport, QPN, nic.now_ns));
    acknowledge(QPN);
    EXPECT(!transport_qp_reclaim(nic.transport, QPN, nic.now_ns));
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_SUCCESS));
    by_hand_discard_events(&nic);
    path_deny(transport_qp_paths(nic.transport, QPN), 0, nic.now_ns);
    EXPECT(!transport_qp_reclaim(nic.transport, QPN, nic.now_ns)); /* this would be forgotten */
    path_allow(transport_qp_paths(nic.transport, QPN), 0, nic.now_ns);
    EXPECT(transport_qp_reclaim(nic.transport, QPN, nic.now_ns) == records);
    transport_check(nic.transport);
    close_all();
}

SPEC("feedback for a QP that has returned its records is dropped")
{
    struct packet late;

    open_without_records();
    lend_used_records(QPN);
    write_once(QPN);
    by_hand_discard_events(&nic);
    EXPECT(transport_qp_reclaim(nic.transport, QPN, nic.now_ns) == records);
    late = by_hand_sack(&nic, QPN, psn(BY_HAND_SQ_PSN));
    EXPECT_EQ(by_hand_receive(&nic, &late), DROP_QP_STATE);
    close_all();
}

SPEC("records go from one QP to the next, and back")
{
    open_without_records();
    nic.peer = 2;
    by_hand_connect(&nic, OTHER_QPN);
    lend_used_records(QPN);
    write_once(QPN);
    by_hand_discard_events(&nic);
    EXPECT(transport_qp_reclaim(nic.transport, QPN, nic.now_ns) == records);
    lend_used_records(OTHER_QPN);
    write_once(OTHER_QPN);
    by_hand_discard_events(&nic);
    EXPECT(transport_qp_reclaim(nic.transport, OTHER_QPN, nic.now_ns) == records);
    lend_used_records(QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 2, 10, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].psn.value, BY_HAND_SQ_PSN + 1);
    close_all();
}

SPEC("QPs that share the states of EVs keep their records")
{
    open_without_records();
    EXPECT(transport_qp_owns_paths(nic.transport, QPN));
    nic.init.borrows = false;
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT(!transport_qp_owns_paths(nic.transport, QPN));
    lend_used_records(QPN);
    EXPECT(transport_qp_paths(nic.transport, QPN) == transport_qp_paths(nic.transport, OTHER_QPN));
    EXPECT(!transport_qp_reclaim(nic.transport, QPN, nic.now_ns));
    transport_qp_destroy(nic.transport, OTHER_QPN);
    EXPECT(transport_qp_reclaim(nic.transport, QPN, nic.now_ns) == records);
    close_all();
}

SPEC("a QP that borrows is not reset, and keeps its EVs")
{
    static uint8_t memory[4096];

    open_without_records();
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_RESET), -EINVAL);
    EXPECT_EQ(transport_qp_set_paths(nic.transport, QPN, &nic.profile, memory, 0), -EINVAL);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    close_all();
}
