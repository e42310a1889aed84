/* SPDX-License-Identifier: Apache-2.0 */
/* Which packets ask for an acknowledgement before the window closes (docs/protocol.md §3). */
#include "transport/requester_ask.h"

#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"

enum { QPN = 7 };

static struct by_hand nic;

/* Whether a packet asks that comes `unasked` packets after the last that did. The longest round
 * trip of late was the base RTT and this many target delays. */
static bool asks_after(
    uint64_t algorithm, uint32_t window_packets, uint32_t unasked, uint32_t delays)
{
    struct psn psn = { .value = BY_HAND_SQ_PSN };
    struct qp *qp;
    bool does;

    by_hand_prepare(&nic);
    nic.config.parameters.congestion_control = algorithm;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    qp = nic_find(nic.transport, QPN);
    qp->env.peer->cc.window_bytes = window_packets * qp->requester->full_bytes;
    qp->requester->asked_psn = (uint16_t)(psn.value - unasked);
    qp->requester->longest_ticks =
        (uint16_t)((qp->env.peer->cc.base_rtt_ns + delays * qp->env.peer->cc.target_delay_ns) /
                   SEND_WINDOW_TICK_NS);
    does = requester_ask_before_closing(qp->requester, &qp->env, psn);
    by_hand_close(&nic);
    return does;
}

static bool asks(uint64_t algorithm, uint32_t window_packets, uint32_t unasked)
{
    return asks_after(algorithm, window_packets, unasked, 0);
}

SPEC("§3.6: one packet in 4 KiB asks while round trips are so long that losses are in doubt")
{
    EXPECT(!asks_after(CONGESTION_CONTROL_FAIR, 20, 4, 3)); /* packets of 1 KiB */
    EXPECT(asks_after(CONGESTION_CONTROL_FAIR, 20, 4, 4));
    EXPECT(!asks_after(CONGESTION_CONTROL_FAIR, 20, 3, 4));
}

SPEC("§3.6: one packet in a quarter of the window asks, and one in half of a small window")
{
    EXPECT(!asks(CONGESTION_CONTROL_FAIR, 20, 4));
    EXPECT(asks(CONGESTION_CONTROL_FAIR, 20, 5));
    EXPECT(!asks(CONGESTION_CONTROL_FAIR, 3, 1)); /* below the threshold of four packets */
    EXPECT(asks(CONGESTION_CONTROL_FAIR, 3, 2));
}

SPEC("§3.6: with NSCC every packet of a small window asks")
{
    EXPECT(!asks(CONGESTION_CONTROL_NSCC, 20, 4));
    EXPECT(asks(CONGESTION_CONTROL_NSCC, 20, 5));
    EXPECT(asks(CONGESTION_CONTROL_NSCC, 3, 1));
}
