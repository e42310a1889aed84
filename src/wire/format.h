/* SPDX-License-Identifier: Apache-2.0 */
/* What the specification leaves to the operator or leaves open: every knob of the wire in one
 * struct. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/dscp.h"

#define FORMAT_UDP_PORT_ROCE    4791 /* what RoCEv2 uses */
#define FORMAT_UDP_PORT_PRINTED 4971 /* what MRC 1.0 §7.5.5.2 is reported to print */

struct wire_format {
    uint16_t udp_port;      /* sent to, and accepted */
    uint16_t udp_port_also; /* accepted too; 0: no other */
    bool m_before_se;       /* BTH byte 1 begins M, SE instead of InfiniBand's SE, M */
    bool source_port_high;  /* EV bits 31:16 travel in the UDP source port, not the flow label */
    uint8_t nak_write_imm_limit; /* AETH syndrome for "too many WriteImm in flight" */
    uint8_t uplink_bits; /* width of the uplink in fabric-generated EVs; plan/plan_ev.h reads it */
    uint8_t dscp[DSCP_OTHER]; /* code point of each named class, < 64 */
};

/* The defaults of docs/wire.md. */
extern const struct wire_format format_default;

enum dscp_class format_dscp_class(const struct wire_format *, uint8_t dscp);
