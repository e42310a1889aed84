/* SPDX-License-Identifier: Apache-2.0 */
/* Writes with a timeout that is meant for hardware:
 *
 *     hasty ATTRIBUTES FROM TO SECONDS
 *
 * Two processes open the devices FROM and TO; one writes 64 KiB at a time to the other, which makes
 * no call. ATTRIBUTES of both QPs: `verbs7` (timeout 7, retry count 7), `verbs14` (timeout 7, retry
 * count 14) or `mrc` (timeout 7, seven linear retries, none exponential). Prints how many writes
 * completed, and the timeout that the QP says is in force. */
#include "end.h"

#include <sys/socket.h>
#include <time.h>

enum { OUTSTANDING = 8 };

static bool find_attributes(const char *name, struct end_more *out)
{
    *out = (struct end_more){ .verbs = { .timeout = 7, .retry_cnt = 7 },
        .verbs_mask = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT };
    if (strcmp(name, "verbs14") == 0)
        out->verbs.retry_cnt = 14;
    else if (strcmp(name, "mrc") == 0)
        *out = (struct end_more){ .mrc = { .timeout = 7, .retry = { .linear_cnt = 7 } },
            .mrc_mask = MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT };
    else if (strcmp(name, "verbs7") != 0)
        return false;
    return true;
}

static struct end_card meet(
    struct end *end, const char *device, int peer, const struct end_more *attributes)
{
    struct end_card mine = end_open(end, device);
    struct end_card theirs = end_swap(peer, mine);

    end_connect(end, &theirs, attributes);
    end_swap(peer, mine);
    return theirs;
}

/* Until the sender has no more to write. */
static void receive(const char *device, int peer, const struct end_more *attributes)
{
    static struct end end;
    char byte;

    meet(&end, device, peer, attributes);
    end_must(read(peer, &byte, 1) == 0, "sender");
}

static uint64_t write_for(struct end *end, const struct end_card *peer, time_t seconds)
{
    time_t until = time(NULL) + seconds;
    uint64_t count = 0;

    for (uint32_t i = 0; i < OUTSTANDING; i++)
        end_post(end, peer, END_BYTES, IBV_WR_RDMA_WRITE);
    for (; time(NULL) < until; count++) {
        end_must_be(end_next_status(end), IBV_WC_SUCCESS, "sender");
        end_post(end, peer, END_BYTES, IBV_WR_RDMA_WRITE);
    }
    for (uint32_t i = 0; i < OUTSTANDING; i++, count++)
        end_must_be(end_next_status(end), IBV_WC_SUCCESS, "sender");
    return count;
}

int main(int argument_count, char **arguments)
{
    static struct end end;
    struct end_more attributes;
    struct mrc_qp_attr now;
    struct end_card peer;
    int sockets[2];
    pid_t child;

    if (argument_count != 5 || !find_attributes(arguments[1], &attributes)) {
        fprintf(stderr, "usage: hasty verbs7|verbs14|mrc FROM TO SECONDS\n");
        return 2;
    }
    end_must(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets");
    child = fork();
    end_must(child >= 0, "fork");
    if (child == 0) {
        close(sockets[0]);
        receive(arguments[3], sockets[1], &attributes);
        return 0;
    }
    close(sockets[1]);
    peer = meet(&end, arguments[2], sockets[0], &attributes);
    end_must(mrc_query_qp(end.qp, NULL, 0, &now, MRC_QP_TIMEOUT, NULL) == 0, "query");
    printf("%llu writes",
        (unsigned long long)write_for(&end, &peer, (time_t)strtol(arguments[4], NULL, 10)));
    printf(", timeout in force %u\n", now.timeout);
    close(sockets[0]);
    end_must(waitpid(child, NULL, 0) == child, "child");
    return 0;
}
