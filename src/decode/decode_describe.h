/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the fields of each header; decode_fields.c calls these functions in the order of
 * headers. */
#pragma once

#include "decode/decode_fields.h"

typedef void decode_describe(const struct decode_packet *, const struct field_visitor *);

decode_describe decode_describe_outer;
decode_describe decode_describe_srh;
decode_describe decode_describe_ip;
decode_describe decode_describe_udp;
decode_describe decode_describe_bth;
decode_describe decode_describe_roce_bth;
decode_describe decode_describe_meth;
decode_describe decode_describe_tseth;
decode_describe decode_describe_reth;
decode_describe decode_describe_immdt;
decode_describe decode_describe_aeth;
decode_describe decode_describe_seth;
decode_describe decode_describe_cc_state;
decode_describe decode_describe_neth;
decode_describe decode_describe_peth;
decode_describe decode_describe_erth;
decode_describe decode_describe_eeth;

/* Describes reserved fields of any header whose value is not the one that MRC 1.0 sends. */
void decode_describe_reserved(
    const struct decode_packet *, enum decode_header, const struct field_visitor *);

/* Describes a transmit timestamp, own or echoed. */
void decode_describe_stamp(
    const struct decode_packet *, const struct field_visitor *, uint16_t stamp);

/* Describes the most common fields. `brief` is as in struct field. */
static inline void decode_describe_number(
    const struct field_visitor *visitor, const char *key, const char *brief, uint64_t number)
{
    visitor->on_field(visitor->context,
        &(struct field){ .key = key, .brief = brief, .form = FIELD_NUMBER, .number = number });
}

static inline void decode_describe_flag(
    const struct field_visitor *visitor, const char *key, const char *brief, bool flag)
{
    visitor->on_field(visitor->context,
        &(struct field){ .key = key, .brief = brief, .form = FIELD_FLAG, .flag = flag });
}

static inline void decode_describe_hex(const struct field_visitor *visitor, const char *key,
    const char *brief, uint8_t digits, uint64_t number)
{
    visitor->on_field(visitor->context,
        &(struct field){
            .key = key, .brief = brief, .form = FIELD_HEX, .digits = digits, .number = number });
}

static inline void decode_describe_field(
    const struct field_visitor *visitor, const struct field *field)
{
    visitor->on_field(visitor->context, field);
}
