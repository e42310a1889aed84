/* SPDX-License-Identifier: Apache-2.0 */
/* The six code points that MRC names, by meaning, and the ECN field. The operator chooses the
 * numbers: struct wire_format. */
#pragma once

enum dscp_class {
    DSCP_NO_TRIM,         /* data that must be dropped instead of trimmed */
    DSCP_TRIMMABLE,       /* data */
    DSCP_TRIMMABLE_RETX,  /* retransmitted data */
    DSCP_TRIMMED,         /* set by a switch that trimmed the packet */
    DSCP_TRIMMED_LASTHOP, /* set by the last switch, at the port to the destination */
    DSCP_CONTROL,         /* SACK, NACK, ACK, Endpoint Response */
    DSCP_OTHER,           /* any other number: other traffic, treated as NO_TRIM data */
    DSCP_CLASS_COUNT,
};

enum ecn {
    ECN_NOT_ECT = 0,
    ECN_ECT1 = 1,
    ECN_ECT0 = 2,
    ECN_CE = 3,
};

static inline _Bool dscp_is_trimmed(enum dscp_class class)
{
    return class == DSCP_TRIMMED || class == DSCP_TRIMMED_LASTHOP;
}
