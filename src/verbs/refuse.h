/* SPDX-License-Identifier: Apache-2.0 */
/* What MRC does not have is refused from the call that asks for it: an errno for the program, one
 * line for the person behind it. */
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

/* Sets errno to EOPNOTSUPP and yields it. The first time in a process it says so as a warning. */
int refuse(enum refusal);
void *refuse_null(enum refusal);
/* Without the line: a program asks in order to know. */
int refuse_silently(void);

/* The warning alone, for what works but does not do what its caller may think. */
void refuse_receive_buffer(void);
