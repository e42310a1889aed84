/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of the wire format that the specification leaves to the operator or leaves
 * open. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/dscp.h"

#define FORMAT_UDP_PORT_ROCE    4791 /* port of RoCEv2 */
#define FORMAT_UDP_PORT_PRINTED 4971 /* port that MRC 1.0 §7.5.5.2 is reported to state */

struct wire_format {
    uint16_t udp_port;      /* destination port of sent and received packets */
    uint16_t udp_port_also; /* also accepted; 0: none */
    bool m_before_se;       /* BTH byte 1 begins with M, SE instead of SE, M as in InfiniBand */
    bool source_port_high;  /* EV bits 31:16 are in the UDP source port, not in the flow label */
    uint8_t nak_write_imm_limit; /* AETH syndrome for "too many WriteImm in flight" */
    uint8_t uplink_bits;      /* width of the uplink in fabric-generated EVs, see plan/plan_ev.h */
    uint8_t dscp[DSCP_OTHER]; /* code point of each named class, < 64 */
};

/* The defaults of docs/wire.md. */
extern const struct wire_format format_default;

enum dscp_class format_dscp_class(const struct wire_format *, uint8_t dscp);
