/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses calls for features that MRC does not have: with an errno for the program, and with a line
 * in the log for its user. */
#pragma once

enum refusal {
    REFUSE_SEND,
    REFUSE_READ,
    REFUSE_ATOMIC,
    REFUSE_INVALIDATE,
    REFUSE_TSO,
    REFUSE_UC,
    REFUSE_UD,
    REFUSE_OTHER_QP,
    REFUSE_QP_FEATURE,
    REFUSE_SRQ,
    REFUSE_MEMORY_WINDOW,
    REFUSE_MULTICAST,
    REFUSE_DEVICE_MEMORY,
    REFUSE_DMABUF,
    REFUSE_LARGER_CQ,
    REFUSE_CQ_FEATURE,
    REFUSE_IMPORT,
    REFUSE_ECE,
    REFUSE_COUNTER,
    REFUSE_ETHERNET_ADDRESS,
    REFUSAL_COUNT,
};

/* Sets errno to EOPNOTSUPP and returns it. Logs a warning the first time in a process. */
int refuse(enum refusal);
void *refuse_null(enum refusal);
/* Logs nothing: for calls with which programs test for a feature. */
int refuse_silently(void);

/* Only logs a warning: for a call that succeeds but may not do what its caller expects. */
void refuse_receive_buffer(void);
