/* SPDX-License-Identifier: Apache-2.0 */
/* Posts that meet a QP whose state has changed. */
#include "endpoint.h"
#include "host/qp_table.h"

static const struct pair_port_config perfect;

enum { DEPTH = 128, WRITE_BYTES = 64 };

/* As a thread does that looked at the state before the reset and stores its work after it. */
static void post_late(struct endpoint_pair *pair, uint32_t count)
{
    atomic_store(&pair->qps[0]->accepts_sends, true);
    atomic_store(&pair->qps[0]->accepts_receives, true);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(
            endpoint_write(&pair->ends[0], pair->qps[0], &pair->addresses[1], 0, WRITE_BYTES), 0);
        EXPECT_EQ(host_qp_post_recv(pair->qps[0], i), 0);
    }
    host_progress(pair->ends[0].nic);
    atomic_store(&pair->qps[0]->accepts_sends, false);
    atomic_store(&pair->qps[0]->accepts_receives, false);
}

SPEC("work posted before a reset is discarded, and the queues keep their depth")
{
    struct endpoint_pair pair;
    struct host_completion completion;

    endpoint_pair_open_alone(&pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 0);
    for (uint32_t end = 0; end < 2; end++)
        EXPECT_EQ(host_qp_modify(
                      pair.qps[end], &(struct qp_attributes){ .state = QP_RESET }, QP_ATTR_STATE),
            0);
    post_late(&pair, DEPTH);
    endpoint_pair_connect(&pair, 0);
    for (uint32_t i = 0; i < DEPTH; i++) {
        EXPECT_EQ(host_qp_post_recv(pair.qps[0], i), 0);
        EXPECT_EQ(
            endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, WRITE_BYTES), 0);
    }
    for (uint32_t came = 0; came < DEPTH;) {
        host_progress(pair.ends[1].nic);
        came += (uint32_t)host_cq_poll(pair.ends[0].cq, &completion, 1);
    }
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    endpoint_pair_close(&pair);
}
