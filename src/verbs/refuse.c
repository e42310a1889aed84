/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals, and what to use instead. */
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
    [REFUSE_SEND] = { "SEND", "use RDMA WRITE, with immediate where the peer must be told" },
    [REFUSE_READ] = { "RDMA READ", "let the peer use RDMA WRITE" },
    [REFUSE_ATOMIC] = { "an atomic operation", "use RDMA WRITE, and let one side count" },
    [REFUSE_INVALIDATE] = { "remote or local invalidation", "deregister the memory" },
    [REFUSE_TSO] = { "segmentation of Ethernet frames", "use a socket" },
    [REFUSE_UC] = { "a QP of type UC", "use RC (reliable connection)" },
    [REFUSE_UD] = { "a QP or an address of type UD",
        "use RC (reliable connection), and a socket to exchange addresses" },
    [REFUSE_OTHER_QP] = { "a QP of this type", "use RC (reliable connection)" },
    [REFUSE_QP_FEATURE] = { "an extra property of a QP", "create it without" },
    [REFUSE_SRQ] = { "a shared receive queue", "post receives to each QP" },
    [REFUSE_MEMORY_WINDOW] = { "a memory window", "register the memory under a key of its own" },
    [REFUSE_MULTICAST] = { "multicast", "write to each peer" },
    [REFUSE_DEVICE_MEMORY] = { "memory of the device", "register memory of the process" },
    [REFUSE_DMABUF] = { "memory of another device (dma-buf)",
        "copy through memory of the process" },
    [REFUSE_LARGER_CQ] = { "a larger completion queue", "create it large enough" },
    [REFUSE_CQ_FEATURE] = { "an extra property of a completion queue", "create it without" },
    [REFUSE_IMPORT] = { "an object of another process", "open the device in this process" },
    [REFUSE_ECE] = { "enhanced connection establishment", "connect without" },
    [REFUSE_COUNTER] = { "a counter of completions", "use a completion queue" },
    [REFUSE_ETHERNET_ADDRESS] = { "an Ethernet address for a GID", "use the GID itself" },
};

static void warn(const char *what, const char *instead)
{
    char text[256];

    snprintf(text, sizeof(text), "%s: %s: MRC does not have it; %s (docs/clients.md)",
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
        warn(refusals[refusal].verb, refusals[refusal].instead);
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
        warn("a receive with a buffer (for SEND?)",
            "the buffer stays as it is, and only a write with immediate completes the receive");
    errno = number;
}
