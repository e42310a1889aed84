/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §11: what a requester makes of a NACK. */
#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    BASE_RTT_NS = 10000,
};

static struct by_hand nic;
static struct packet sent[8];

static uint32_t repeats(void)
{
    by_hand_send(&nic);
    return observe_count(&nic, observe_is_repeat);
}

static enum drop_reason nack_psn(int32_t number, uint8_t reason)
{
    struct packet of = { .psn = observe_out(number) };

    return observe_nacked(&nic, &of, reason);
}

SPEC("§11.1: a NACK for a PSN that was never sent is dropped")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(nack_psn(4, NACK_TRIMMED), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(nack_psn(4, NACK_UNEXP_EVENT), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(nack_psn(-1000, NACK_TRIMMED), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(repeats(), 0);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    by_hand_close(&nic);
}

SPEC("§11.1: a NACK for an acknowledged PSN repeats nothing, but its EV feedback counts")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_sacked(&nic, &sent[1], observe_out(1)), DROP_NONE);
    EXPECT_EQ(observe_sacked(&nic, &sent[3], observe_out(1)), DROP_NONE);
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(observe_nacked(&nic, &sent[3], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(repeats(), 0);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_SKIP);
    EXPECT_EQ(observe_ev(&nic, sent[3].ev), EV_SKIP);
    by_hand_close(&nic);
}

SPEC("§11.1: UNEXP_EVENT for a PSN acknowledged before is ignored")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_sacked(&nic, &sent[1], observe_out(1)), DROP_NONE);
    observe_nacked(&nic, &sent[0], NACK_UNEXP_EVENT);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    by_hand_close(&nic);
}

static uint32_t base_rtt_after(uint8_t reason)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 2 * PMTU);
    nic.now_ns += 6400;
    EXPECT_EQ(observe_nacked(&nic, &nic.sent[0], reason), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).smoothed_rtt_ns, 0);
    return observe_status(&nic).base_rtt_ns;
}

SPEC("§11.2: the round trip of a NACK lowers the base RTT, and gives no other sample")
{
    EXPECT_LE(base_rtt_after(NACK_NO_RESOURCE), 6400 + OBSERVE_TICK_NS);
    by_hand_close(&nic);
}

SPEC(
    "§11.2: the round trip of a NACK for a trimmed packet does not lower the base RTT (decision 6)")
{
    EXPECT_EQ(base_rtt_after(NACK_TRIMMED), BASE_RTT_NS);
    by_hand_close(&nic);
}

SPEC("§11.3: TRIMMED makes the EV SKIP; every other recoverable reason leaves it alone")
{
    static const uint8_t reasons[] = { NACK_TRIMMED_LASTHOP, NACK_NO_BITMAP, NACK_NO_PKT_BUFFER,
        NACK_NO_RESOURCE, NACK_PSN_OOR_WINDOW, 0x1f };

    observe_open_sending(&nic, sent, 8);
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_SKIP);
    for (uint32_t i = 0; i < sizeof(reasons); i++) {
        EXPECT_EQ(observe_nacked(&nic, &sent[1 + i], reasons[i]), DROP_NONE);
        EXPECT_EQ(observe_ev(&nic, sent[1 + i].ev), EV_GOOD);
    }
    by_hand_close(&nic);
}

SPEC("§11.3: UNEXP_EVENT fails the QP, and the oldest request with REM_OP_ERR")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_nacked(&nic, &sent[1], NACK_UNEXP_EVENT), DROP_NONE);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_REMOTE_OPERATION));
    by_hand_close(&nic);
}

SPEC("§11.3: an unrecoverable NACK fails the oldest request that is not done")
{
    observe_open(&nic);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_SUCCESS));
    observe_post(&nic, 2, 64);
    EXPECT_EQ(observe_nacked(&nic, &nic.sent[0], NACK_UNEXP_EVENT), DROP_NONE);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 2, COMPLETION_REMOTE_OPERATION));
    by_hand_close(&nic);
}

SPEC("§11.3: an unknown reason is recoverable, and counted")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_nacked(&nic, &sent[1], 0x1e), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_NACK_UNKNOWN_REASON), 1);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    EXPECT_LT(observe_wait_for(&nic, observe_is_repeat, 100000), 100000);
    by_hand_close(&nic);
}

SPEC("§11.4: a trim takes its packet out of the window, another NACK leaves the window alone")
{
    uint32_t window_bytes;

    observe_open_sending(&nic, sent, 4);
    window_bytes = observe_status(&nic).window_bytes;
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_NO_RESOURCE), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).window_bytes, window_bytes);
    EXPECT_EQ(observe_nacked(&nic, &sent[1], NACK_TRIMMED_LASTHOP), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).window_bytes, window_bytes - PMTU - 88);
    by_hand_close(&nic);
}

SPEC("§11.5: a NACK repeats its PSN if it concerns the latest transmission, by the echoed stamp")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_nacked(&nic, &sent[1], NACK_TRIMMED), DROP_NONE);
    nic.now_ns += 5000;
    EXPECT_EQ(repeats(), 1);
    EXPECT_EQ(nic.sent[0].psn.value, sent[1].psn.value);
    EXPECT_EQ(observe_nacked(&nic, &sent[1], NACK_TRIMMED), DROP_NONE); /* the first copy again */
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 1);
    EXPECT_EQ(observe_nacked(&nic, &nic.sent[0], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(repeats(), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TRIMMED), 2);
    by_hand_close(&nic);
}

SPEC("§11.5: without stamps a NACK is taken for the latest transmission's")
{
    observe_prepare(&nic);
    nic.config.parameters.stamp = 0;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 2 * PMTU);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_EQ(nack_psn(0, NACK_TRIMMED), DROP_NONE);
        nic.now_ns += 5000;
        EXPECT_EQ(repeats(), 1);
    }
    by_hand_close(&nic);
}

SPEC("§11.6: what was trimmed is repeated at once")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_nacked(&nic, &sent[2], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(repeats(), 1);
    EXPECT_EQ(observe_nacked(&nic, &sent[3], NACK_TRIMMED_LASTHOP), DROP_NONE);
    EXPECT_EQ(repeats(), 1);
    by_hand_close(&nic);
}

SPEC("§11.6: other reasons delay the repeat by a base RTT, doubled with every NACK, up to 1 ms")
{
    static const uint8_t reasons[] = { NACK_NO_BITMAP, NACK_NO_PKT_BUFFER, NACK_NO_RESOURCE,
        NACK_PSN_OOR_WINDOW, NACK_NO_BITMAP, NACK_NO_BITMAP, NACK_NO_BITMAP, NACK_NO_BITMAP };
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 1);
    for (uint32_t i = 0; i < sizeof(reasons); i++) {
        uint64_t wanted_ns = (uint64_t)BASE_RTT_NS << i;

        EXPECT_EQ(observe_nacked(&nic, &sent[0], reasons[i]), DROP_NONE);
        wait_ns = observe_wait_for(&nic, observe_is_repeat, 10000000);
        EXPECT_AFTER(wait_ns, wanted_ns < 1000000 ? wanted_ns : 1000000);
        sent[0] = *observe_nth(&nic, observe_is_repeat, 0);
    }
    by_hand_close(&nic);
}

SPEC("§11.6: the delay of one packet does not hold back another that was trimmed")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_NO_RESOURCE), DROP_NONE);
    EXPECT_EQ(observe_nacked(&nic, &sent[2], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(repeats(), 1);
    EXPECT_EQ(nic.sent[0].psn.value, sent[2].psn.value);
    by_hand_close(&nic);
}

SPEC("§11.7: recoverable NACKs raise R, those for trimming do not")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(observe_nacked(&nic, &sent[1], NACK_TRIMMED_LASTHOP), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).timeouts, 0);
    EXPECT_EQ(observe_nacked(&nic, &sent[2], NACK_NO_RESOURCE), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).timeouts, 1);
    EXPECT_EQ(observe_sacked(&nic, &sent[3], observe_out(3)), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).timeouts, 0);
    by_hand_close(&nic);
}

SPEC("§11.7: with a parameter, trimming also uses the retry counter")
{
    observe_prepare(&nic);
    nic.config.parameters.trim_counts_as_retry = 1;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_nacked(&nic, &nic.sent[0], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).timeouts, 1);
    by_hand_close(&nic);
}

SPEC("§11.7: NACKs alone exhaust the retries")
{
    observe_open_sending(&nic, sent, 1);
    for (uint32_t i = 0; i < 10; i++) {
        EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_NO_RESOURCE), DROP_NONE);
        EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, 2000000), UINT64_MAX);
        sent[0] = *observe_nth(&nic, observe_is_repeat, 0);
    }
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_NO_RESOURCE), DROP_NONE);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_RETRY_EXCEEDED));
    by_hand_close(&nic);
}

SPEC("§11.6: progress ends the doubling: the next delay is a base RTT again")
{
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 2);
    for (uint32_t i = 0; i < 2; i++) {
        observe_nacked(&nic, &sent[0], NACK_NO_BITMAP);
        EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, 10000000), UINT64_MAX);
        sent[0] = *observe_nth(&nic, observe_is_repeat, 0);
    }
    observe_sacked(&nic, &sent[0], observe_out(0));
    observe_nacked(&nic, &sent[1], NACK_NO_BITMAP);
    wait_ns = observe_wait_for(&nic, observe_is_repeat, 10000000);
    EXPECT_AFTER(wait_ns, BASE_RTT_NS);
    by_hand_close(&nic);
}
