/* SPDX-License-Identifier: Apache-2.0 */
/* The default wire format. */
#include "wire/format.h"

const struct wire_format format_default = {
    .udp_port = FORMAT_UDP_PORT_ROCE,
    .udp_port_also = FORMAT_UDP_PORT_PRINTED,
    .nak_write_imm_limit = 0x65,
    .uplink_bits = 8,
    .dscp = {
        [DSCP_NO_TRIM] = 0,
        [DSCP_TRIMMABLE] = 4,
        [DSCP_TRIMMABLE_RETX] = 8,
        [DSCP_TRIMMED] = 12,
        [DSCP_TRIMMED_LASTHOP] = 16,
        [DSCP_CONTROL] = 46,
    },
};

enum dscp_class format_dscp_class(const struct wire_format *format, uint8_t dscp)
{
    int class = 0;

    while (class < DSCP_OTHER && format->dscp[class] != dscp)
        class ++;
    return (enum dscp_class) class;
}
