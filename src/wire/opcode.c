/* SPDX-License-Identifier: Apache-2.0 */
/* Header lengths and names of the opcodes. */
#include "wire/opcode.h"

#include <stddef.h>

enum {
    BTH = 12,
    METH = 4,
    RETH = 16,
    IMMDT = 4,
    AETH = 4,
    ERTH = 16,
    EETH = 36,
    SETH_AND_CC_STATE = 36,
    NETH = 20,
    PETH = 16,
    CNP_RESERVED = 16,
};

const uint8_t opcode_header_bytes[256] = {
    [OPCODE_ROCE_WRITE_FIRST] = BTH + RETH,
    [OPCODE_ROCE_WRITE_MIDDLE] = BTH,
    [OPCODE_ROCE_WRITE_LAST] = BTH,
    [OPCODE_ROCE_WRITE_LAST_IMM] = BTH + IMMDT,
    [OPCODE_ROCE_WRITE_ONLY] = BTH + RETH,
    [OPCODE_ROCE_WRITE_ONLY_IMM] = BTH + RETH + IMMDT,
    [OPCODE_ROCE_ACK] = BTH + AETH,
    [OPCODE_ROCE_CNP] = BTH + CNP_RESERVED,
    [OPCODE_WRITE_FIRST] = BTH + METH + RETH,
    [OPCODE_WRITE_MIDDLE] = BTH + METH + RETH,
    [OPCODE_WRITE_LAST] = BTH + METH + RETH,
    [OPCODE_WRITE_LAST_IMM] = BTH + METH + RETH + IMMDT,
    [OPCODE_WRITE_ONLY] = BTH + METH + RETH,
    [OPCODE_WRITE_ONLY_IMM] = BTH + METH + RETH + IMMDT,
    [OPCODE_ACK] = BTH + AETH,
    [OPCODE_ENDPOINT_REQUEST] = BTH + ERTH,
    [OPCODE_ENDPOINT_RESPONSE] = BTH + EETH,
    [OPCODE_SACK] = BTH + SETH_AND_CC_STATE,
    [OPCODE_NACK] = BTH + NETH,
    [OPCODE_PROBE] = BTH + PETH,
};

static const char *const names[256] = {
    [OPCODE_ROCE_WRITE_FIRST] = "RoCEv2 WRITE First",
    [OPCODE_ROCE_WRITE_MIDDLE] = "RoCEv2 WRITE Middle",
    [OPCODE_ROCE_WRITE_LAST] = "RoCEv2 WRITE Last",
    [OPCODE_ROCE_WRITE_LAST_IMM] = "RoCEv2 WRITE Last Imm",
    [OPCODE_ROCE_WRITE_ONLY] = "RoCEv2 WRITE Only",
    [OPCODE_ROCE_WRITE_ONLY_IMM] = "RoCEv2 WRITE Only Imm",
    [OPCODE_ROCE_ACK] = "RoCEv2 ACK",
    [OPCODE_ROCE_CNP] = "RoCEv2 CNP",
    [OPCODE_WRITE_FIRST] = "WRITE First",
    [OPCODE_WRITE_MIDDLE] = "WRITE Middle",
    [OPCODE_WRITE_LAST] = "WRITE Last",
    [OPCODE_WRITE_LAST_IMM] = "WRITE Last Imm",
    [OPCODE_WRITE_ONLY] = "WRITE Only",
    [OPCODE_WRITE_ONLY_IMM] = "WRITE Only Imm",
    [OPCODE_ACK] = "ACK",
    [OPCODE_ENDPOINT_REQUEST] = "Endpoint Request",
    [OPCODE_ENDPOINT_RESPONSE] = "Endpoint Response",
    [OPCODE_SACK] = "SACK",
    [OPCODE_NACK] = "NACK",
    [OPCODE_PROBE] = "Probe",
};

const char *opcode_name(uint8_t opcode)
{
    return names[opcode];
}
