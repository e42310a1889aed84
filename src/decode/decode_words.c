/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the numbers of the wire format. */
#include "decode/decode_words.h"

#include <stdio.h>

#include "plan/plan.h"
#include "wire/ack.h"
#include "wire/stamp.h"

const char *decode_words_class(enum dscp_class class)
{
    static const char *const words[DSCP_CLASS_COUNT] = {
        [DSCP_NO_TRIM] = "no_trim",
        [DSCP_TRIMMABLE] = "trimmable",
        [DSCP_TRIMMABLE_RETX] = "trimmable_retx",
        [DSCP_TRIMMED] = "trimmed",
        [DSCP_TRIMMED_LASTHOP] = "trimmed_lasthop",
        [DSCP_CONTROL] = "control",
        [DSCP_OTHER] = "other",
    };

    return words[class];
}

const char *decode_words_ecn(uint8_t ecn)
{
    static const char *const words[] = {
        [ECN_NOT_ECT] = "Not-ECT",
        [ECN_ECT1] = "ECT(1)",
        [ECN_ECT0] = "ECT(0)",
        [ECN_CE] = "CE",
    };

    return words[ecn & 3];
}

const char *decode_words_encapsulation(enum frame_encapsulation encapsulation)
{
    static const char *const words[] = {
        [FRAME_PLAIN] = "none",
        [FRAME_SRV6] = "srv6",
        [FRAME_SRV6_SRH] = "srv6+srh",
    };

    return words[encapsulation];
}

const char *decode_words_syndrome(const struct wire_format *format, uint8_t syndrome)
{
    if (syndrome == format->nak_write_imm_limit)
        return "NAK too many WriteImm in flight";
    switch (syndrome) {
    case ACK_SYNDROME_ACK:
        return "ACK";
    case ACK_SYNDROME_INVALID_REQUEST:
        return "NAK invalid request";
    case ACK_SYNDROME_REMOTE_ACCESS:
        return "NAK remote access error";
    case ACK_SYNDROME_REMOTE_OPERATION:
        return "NAK remote operational error";
    default:
        return ack_is_nak(syndrome) ? "NAK of an unknown kind" : "ACK with a credit count";
    }
}

const char *decode_words_nack(uint8_t reason)
{
    switch (reason) {
#define NACK_REASON(identifier, code, help)                                                        \
    case NACK_##identifier:                                                                        \
        return help;
#include "wire/nack.def"
#undef NACK_REASON
    default:
        return "unknown reason; retransmit";
    }
}

const char *decode_words_mark(uint8_t sack_mark)
{
    static const char *const words[] = {
        [SACK_MARK_NONE] = "NONE",
        [SACK_MARK_SKIP_ONCE] = "SKIP_ONCE",
        [SACK_MARK_ALWAYS_SKIP] = "ALWAYS_SKIP",
        [SACK_MARK_RESERVED] = "reserved",
    };

    return words[sack_mark & 3];
}

const char *decode_words_endpoint_op(uint8_t op)
{
    switch (op) {
    case ENDPOINT_PORT_STATUS_UPDATE:
        return "PORT_STATUS_UPDATE";
    case ENDPOINT_EV_PROBE:
        return "EV_PROBE";
    case ENDPOINT_MAP_PROBE:
        return "MAP_PROBE";
    default:
        return NULL;
    }
}

bool decode_words_ev_is_path(const struct wire_format *format, uint32_t ev)
{
    return plan_ev_of(format, ev).plane < PATH_PLANE_COUNT_MAX;
}

void decode_words_ev(const struct wire_format *format, uint32_t ev, char *text, size_t size)
{
    struct ev_path path = plan_ev_of(format, ev);

    if (decode_words_ev_is_path(format, ev))
        snprintf(text, size, "p%u/u%u", path.plane, path.uplink);
    else
        snprintf(text, size, "0x%08x", ev);
}

void decode_words_ports(uint32_t mask, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, mask ? "ports" : "no port");
    const char *separator = " ";

    for (uint32_t port = 0; port < 32 && used < size; port++) {
        if (!(mask >> port & 1))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%u", separator, port);
        separator = ",";
    }
}

void decode_words_stamp(uint16_t stamp, char *text, size_t size)
{
    uint32_t time_ns = (uint32_t)stamp * STAMP_UNIT_NS;

    snprintf(text, size, "%u.%03u us", time_ns / 1000, time_ns % 1000);
}
