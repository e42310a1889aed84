/* SPDX-License-Identifier: Apache-2.0 */
/* The work of an end: writes, receives, completions, bytes. */
#include "conform/api_side.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

int api_side_write(struct api_side *side, const struct api_write *write)
{
    struct ibv_sge sge = { .addr = (uintptr_t)side->memory + write->offset,
        .length = write->bytes,
        .lkey = write->lkey ? write->lkey : side->mr->lkey };
    struct ibv_send_wr wr = { .wr_id = write->id,
        .sg_list = &sge,
        .num_sge = write->bytes > 0,
        .opcode = write->with_immediate ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
        .send_flags = write->flags,
        .imm_data = htonl(write->immediate),
        .wr.rdma = { .remote_addr = write->remote, .rkey = write->rkey } };
    struct ibv_send_wr *bad = NULL;

    return api_run_error_number(API(side->run, post_send)(side->qp, &wr, &bad));
}

int api_side_receive(struct api_side *side, uint64_t first_id, uint32_t count)
{
    int err = 0;

    for (uint32_t i = 0; i < count && !err; i++) {
        struct ibv_recv_wr wr = { .wr_id = first_id + i };
        struct ibv_recv_wr *bad = NULL;

        err = API(side->run, post_recv)(side->qp, &wr, &bad);
    }
    return err == -1 ? errno : err;
}

struct ibv_wc api_side_next(struct api_side *side, struct mrc_cq *cq)
{
    struct api_run *run = side->run;
    struct api_wait wait = api_run_wait(run);
    struct ibv_wc wc = { .wr_id = 0 };
    int count = 0;

    while (count == 0) {
        count = API(run, poll_cq)(cq, 1, &wc);
        if (count == 0 && !api_run_goes_on(&wait))
            api_run_silent(run, "no completion of a %s after %lu s",
                cq == side->send_cq ? "write" : "receive", run->patience_ms / 1000);
    }
    api_run_must(run, count == 1, "mrc_poll_cq for one completion returned %d", count);
    return wc;
}

struct ibv_wc api_side_succeed(struct api_side *side, struct mrc_cq *cq)
{
    struct ibv_wc wc = api_side_next(side, cq);

    api_run_must(side->run, wc.status == IBV_WC_SUCCESS, "a %s completed with status %d",
        cq == side->send_cq ? "write" : "receive", wc.status);
    return wc;
}

int api_side_extra(struct api_side *side, struct mrc_cq *cq)
{
    struct ibv_wc wc;
    int sum = 0;

    for (int i = 0; i < 64; i++) {
        int count = API(side->run, poll_cq)(cq, 1, &wc);

        api_run_must(side->run, count >= 0 && count <= 1,
            "mrc_poll_cq for one completion returned %d", count);
        sum += count;
    }
    return sum;
}

static uint8_t pattern_byte(uint32_t offset, uint8_t seed)
{
    return (uint8_t)(offset * 31u + (offset >> 8) * 7u + seed);
}

void api_side_fill(struct api_side *side, uint32_t offset, uint32_t bytes, uint8_t seed)
{
    for (uint32_t i = 0; i < bytes; i++)
        side->memory[offset + i] = pattern_byte(i, seed);
}

uint32_t api_side_differs(
    const struct api_side *side, uint32_t offset, uint32_t bytes, uint8_t seed)
{
    const volatile uint8_t *memory = side->memory + offset;
    uint32_t i = 0;

    while (i < bytes && memory[i] == pattern_byte(i, seed))
        i++;
    return i;
}
