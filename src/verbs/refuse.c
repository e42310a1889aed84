/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals, with alternatives. */
#include "verbs/refuse.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "mrc_private.h"

static const struct {
    const char *verb;
    const char *instead;
} refusals[REFUSAL_COUNT] = {
    [REFUSE_SEND] = { "SEND", "use RDMA WRITE, with immediate to notify the peer" },
    [REFUSE_READ] = { "RDMA READ", "let the peer use RDMA WRITE" },
    [REFUSE_ATOMIC] = { "an atomic operation", "use RDMA WRITE and keep the value on one side" },
    [REFUSE_INVALIDATE] = { "remote or local invalidation", "deregister the memory" },
    [REFUSE_TSO] = { "TCP segmentation offload", "use a socket" },
    [REFUSE_UC] = { "a QP of type UC", "use RC (reliable connection)" },
    [REFUSE_UD] = { "a QP or an address of type UD",
        "use RC (reliable connection), and a socket to exchange addresses" },
    [REFUSE_OTHER_QP] = { "a QP of this type", "use RC (reliable connection)" },
    [REFUSE_QP_FEATURE] = { "an optional feature of a QP", "create the QP without it" },
    [REFUSE_SRQ] = { "a shared receive queue", "post receives to each QP" },
    [REFUSE_MEMORY_WINDOW] = { "a memory window", "register the memory with a separate key" },
    [REFUSE_MULTICAST] = { "multicast", "write to each peer" },
    [REFUSE_DEVICE_MEMORY] = { "memory of the device", "register memory of the process" },
    [REFUSE_DMABUF] = { "memory of another device (dma-buf)",
        "copy through memory of the process" },
    [REFUSE_LARGER_CQ] = { "a larger completion queue", "create the queue large enough" },
    [REFUSE_CQ_FEATURE] = { "an optional feature of a completion queue",
        "create the queue without it" },
    [REFUSE_IMPORT] = { "an object of another process", "open the device in this process" },
    [REFUSE_ECE] = { "enhanced connection establishment", "connect without it" },
    [REFUSE_COUNTER] = { "a counter of completions", "use a completion queue" },
    [REFUSE_ETHERNET_ADDRESS] = { "an Ethernet address for a GID", "use the GID itself" },
};

static void warn_of_refusal(const char *what, const char *instead)
{
    char text[256];

    snprintf(text, sizeof(text), "%s: %s: not supported by MRC; %s (docs/clients.md)",
        program_invocation_short_name, what, instead);
    mrc_private_warn(text);
}

int refuse_silently(void)
{
    errno = EOPNOTSUPP;
    return EOPNOTSUPP;
}

int refuse(enum refusal refusal)
{
    static atomic_flag said[REFUSAL_COUNT];

    if (!atomic_flag_test_and_set(&said[refusal]))
        warn_of_refusal(refusals[refusal].verb, refusals[refusal].instead);
    return refuse_silently();
}

void *refuse_null(enum refusal refusal)
{
    refuse(refusal);
    return NULL;
}

void refuse_receive_buffer(void)
{
    static atomic_flag said;
    int number = errno;

    if (!atomic_flag_test_and_set(&said))
        warn_of_refusal("a receive with a buffer, as for SEND",
            "the buffer is not used, and only a write with immediate completes the receive");
    errno = number;
}
