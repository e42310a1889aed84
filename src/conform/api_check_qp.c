/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the creation of QPs. */
#include <errno.h>
#include <string.h>

#include "conform/api_side.h"
#include "conform/api_suite.h"

enum { NUMBERS = 16, LIMIT_MAX = 1024 }; /* up to which the limit is tried */

static struct mrc_qp_init_attr init_of(const struct api_side *side)
{
    return (struct mrc_qp_init_attr){ .qp_context = (void *)(uintptr_t)side,
        .send_cq = side->send_cq,
        .recv_cq = side->recv_cq,
        .pd = side->pd,
        .cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1 } };
}

static void expect_refused(
    struct api_side *side, const struct mrc_qp_init_attr *init, const char *what)
{
    struct mrc_qp_init_attr copy = *init;
    struct mrc_qp *qp = API(side->run, create_qp)(side->mrc, &copy);

    api_run_ends(side->run, api_run_error_null(qp), EINVAL, what);
    if (qp)
        API(side->run, destroy_qp)(qp);
}

void api_suite_qp(struct api_run *run)
{
    struct mrc_qp_init_attr init;
    struct api_side side;
    struct mrc_qp *qp;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 16 });
    api_run_expect(run, api_side_state(&side) == IBV_QPS_RESET, "a new QP is in state %d",
        api_side_state(&side));
    init = init_of(&side);
    init.cap = (struct ibv_qp_cap){ .max_send_wr = 5,
        .max_recv_wr = 7,
        .max_send_sge = 3,
        .max_recv_sge = 1,
        .max_inline_data = 16 };
    qp = API(run, create_qp)(side.mrc, &init);
    api_run_must(run, qp, "mrc_create_qp: %s", strerror(errno));
    api_run_expect(run, init.cap.max_send_wr >= 5 && init.cap.max_recv_wr >= 7,
        "of 5 writes and 7 receives, %u and %u are granted", init.cap.max_send_wr,
        init.cap.max_recv_wr);
    api_run_expect(run, init.cap.max_send_sge >= 3 && init.cap.max_inline_data >= 16,
        "of 3 pieces and 16 inline bytes, %u and %u are granted", init.cap.max_send_sge,
        init.cap.max_inline_data);
    api_run_ends(run, api_run_error_number(API(run, destroy_qp)(qp)), 0, "mrc_destroy_qp");
    api_side_close(&side);
}

void api_suite_qp_number(struct api_run *run)
{
    struct mrc_qp *qps[NUMBERS];
    uint32_t numbers[NUMBERS];
    struct api_side side;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 1 });
    for (int i = 0; i < NUMBERS; i++) {
        struct mrc_qp_init_attr init = init_of(&side);
        int err;

        qps[i] = API(run, create_qp)(side.mrc, &init);
        api_run_must(run, qps[i], "mrc_create_qp of QP %d: %s", i, strerror(errno));
        err = api_run_error_minus(API(run, get_qpn)(qps[i], &numbers[i]));
        api_run_must(run, err == 0, "mrc_get_qpn: %s", api_run_error_text(err));
        api_run_expect(run, numbers[i] > 1 && numbers[i] <= 0xffffff, "the number of a QP is 0x%x",
            numbers[i]);
        for (int j = 0; j < i; j++)
            api_run_expect(
                run, numbers[i] != numbers[j], "two QPs have the number 0x%x", numbers[i]);
    }
    for (int i = 0; i < NUMBERS; i++)
        API(run, destroy_qp)(qps[i]);
    api_side_close(&side);
}

void api_suite_qp_limits(struct api_run *run)
{
    struct ibv_device_attr limits = { .max_qp_wr = 0 };
    struct mrc_qp_init_attr init;
    struct api_side side;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 1 });
    api_run_must(run, VERB(run, query_device)(side.verbs, &limits) == 0, "ibv_query_device fails");
    api_run_must(run, limits.max_qp_wr > 0 && limits.max_sge > 0,
        "ibv_query_device reports max_qp_wr %d and max_sge %d", limits.max_qp_wr, limits.max_sge);
    init = init_of(&side);
    init.cap.max_send_wr = (uint32_t)limits.max_qp_wr + 1;
    expect_refused(&side, &init, "mrc_create_qp with max_qp_wr + 1 writes");
    init = init_of(&side);
    init.cap.max_recv_wr = (uint32_t)limits.max_qp_wr + 1;
    expect_refused(&side, &init, "mrc_create_qp with max_qp_wr + 1 receives");
    init = init_of(&side);
    init.cap.max_send_sge = (uint32_t)limits.max_sge + 1;
    expect_refused(&side, &init, "mrc_create_qp with max_sge + 1 pieces");
    init = init_of(&side);
    init.cap.max_inline_data = UINT32_MAX;
    expect_refused(&side, &init, "mrc_create_qp with 4 GiB of inline data");
    if (!run->has_failed)
        api_side_close(&side);
}

/* One QP is that of the end. */
void api_suite_qp_most(struct api_run *run)
{
    struct ibv_device_attr limits = { .max_qp = 0 };
    struct api_side side;
    int count = 1;

    api_side_open(&side, run, run->is_private ? "mrc2" : run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 1 });
    api_run_must(run, VERB(run, query_device)(side.verbs, &limits) == 0, "ibv_query_device fails");
    if (limits.max_qp < 1 || limits.max_qp > LIMIT_MAX)
        api_run_skip(run, "max_qp is %d", limits.max_qp);
    while (count <= limits.max_qp) {
        struct mrc_qp_init_attr init = init_of(&side);

        if (!API(run, create_qp)(side.mrc, &init))
            break;
        count++;
    }
    api_run_expect(run, count == limits.max_qp, "max_qp is %d, and %s%d QPs can be created",
        limits.max_qp, count > limits.max_qp ? "at least " : "", count);
}

void api_suite_qp_arguments(struct api_run *run)
{
    struct mrc_qp_init_attr init;
    struct api_side side;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 1 });
    if (!api_run_lacks(run, API_NULL_CHECKS)) {
        init = init_of(&side);
        init.send_cq = NULL;
        expect_refused(&side, &init, "mrc_create_qp without a send queue");
        init = init_of(&side);
        init.pd = NULL;
        expect_refused(&side, &init, "mrc_create_qp without a protection domain");
    }
    init = init_of(&side);
    init.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ;
    expect_refused(&side, &init, "mrc_create_qp for reads");
    init = init_of(&side);
    init.protocol_version = (enum mrc_protocol_version)(1 << 7);
    expect_refused(&side, &init, "mrc_create_qp with an unknown protocol version");
    api_side_close(&side);
}

void api_suite_qp_foreign(struct api_run *run)
{
    struct mrc_qp_init_attr init;
    struct api_side side;
    struct api_side other;

    if (!run->second)
        api_run_skip(run, "the library has only one device (--device)");
    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 1 });
    api_side_open(&other, run, run->second);
    api_side_make(&other, &(struct api_side_wants){ .depth = 1 });
    init = init_of(&side);
    init.send_cq = other.send_cq;
    expect_refused(&side, &init, "mrc_create_qp with the send queue of another device");
    init = init_of(&side);
    init.recv_cq = other.recv_cq;
    expect_refused(&side, &init, "mrc_create_qp with the receive queue of another device");
    init = init_of(&side);
    init.pd = other.pd;
    expect_refused(&side, &init, "mrc_create_qp with the domain of another device");
    if (run->has_failed)
        return;
    api_side_close(&other);
    api_side_close(&side);
}

void api_suite_qp_query(struct api_run *run)
{
    struct mrc_qp_init_attr init = { .sq_sig_all = -1 };
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };
    struct api_side side;
    int err;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 16 });
    err = api_run_error_number(
        API(run, query_qp)(side.qp, &attr, IBV_QP_STATE | IBV_QP_CAP, NULL, 0, &init));
    api_run_must(run, err == 0, "mrc_query_qp: %s", api_run_error_text(err));
    api_run_expect(run, init.qp_context == &side, "qp_context differs");
    api_run_expect(
        run, init.send_cq == side.send_cq && init.recv_cq == side.recv_cq, "the queues differ");
    api_run_expect(run, init.pd == side.pd, "the protection domain differs");
    api_run_expect(run, init.sq_sig_all != 0 && init.sq_sig_all != -1, "sq_sig_all differs");
    api_run_expect(run, memcmp(&init.cap, &side.cap, sizeof(side.cap)) == 0,
        "the capacities differ from those that were granted");
    if (!api_run_lacks(run, API_NULL_CHECKS)) {
        api_run_ends(run,
            api_run_error_number(API(run, query_qp)(side.qp, NULL, IBV_QP_STATE, NULL, 0, NULL)),
            EINVAL, "mrc_query_qp with a mask and no structure");
        api_run_ends(run, api_run_error_number(API(run, destroy_qp)(NULL)), EINVAL,
            "mrc_destroy_qp of no QP");
    }
    api_side_close(&side);
}
