/* SPDX-License-Identifier: Apache-2.0 */
/* Drives the device: QPs, memory, work requests and completions. Without a driver there is one QP,
 * whose memory and completions are not known. */
#pragma once

#include "conform/endpoint_packet.h"

/* Returns the usual terms, with fresh PSNs. */
struct endpoint_terms endpoint_session_terms(struct endpoint_bench *);

/* Makes a QP and connects it. Returns false if the check cannot go on; the report then says why. */
bool endpoint_session_open(struct endpoint_bench *, const struct endpoint_terms *);

/* Makes a QP that stays in INIT. */
bool endpoint_session_make(struct endpoint_bench *, const struct endpoint_terms *);

/* Ends the QP. */
void endpoint_session_close(struct endpoint_bench *);

/* Returns whether a frame belongs to a QP of an earlier check. */
bool endpoint_session_is_past(const struct endpoint_bench *, const struct endpoint_frame *);

/* Begins a check: forgets frames, and opens a QP with the usual terms. NULL: the report says why
 * not. */
struct endpoint_bench *endpoint_session_begin(void *kit, struct conform_report *);

/* Ends the run if the driver has ended or does not answer. */
void endpoint_session_check_driver(struct endpoint_bench *);

/* ---- memory ---------------------------------------------------------------------------------- */

/* Returns whether the memory of the device has the bytes of the message. True without a driver. */
bool endpoint_session_holds(struct endpoint_bench *, const struct endpoint_packet_message *);
/* Returns whether all these bytes of the memory are `value`. True without a driver. */
bool endpoint_session_is_filled(
    struct endpoint_bench *, uint32_t offset, uint32_t bytes, uint8_t value);
void endpoint_session_fill(struct endpoint_bench *, uint32_t offset, uint32_t bytes, uint8_t value);

/* ---- work ------------------------------------------------------------------------------------ */

bool endpoint_session_post_receives(struct endpoint_bench *, uint32_t count);

/* What the device is to write. */
struct endpoint_work {
    uint64_t id;     /* of the first; the others follow */
    uint32_t count;  /* 0: one */
    uint32_t offset; /* of the bytes in the memory of the device, and from ENDPOINT_WORK_VA on */
    uint32_t bytes;
    bool has_immediate;
    uint32_t immediate;
};
#define ENDPOINT_WORK_VA   UINT64_C(0x7f0012340000)
#define ENDPOINT_WORK_RKEY 0xdeadbeef

/* Puts the bytes of `pattern` into the memory of the device and posts writes of them. */
bool endpoint_session_post(struct endpoint_bench *, const struct endpoint_work *);

struct endpoint_completion {
    uint64_t id;
    bool is_receive;
    char status[24]; /* "success", "rem-access-err" */
    uint64_t bytes;
    uint64_t immediate;
};

/* Waits for a completion. Returns false after the patience of the device. */
bool endpoint_session_complete(struct endpoint_bench *, struct endpoint_completion *);
/* The same with this patience. */
bool endpoint_session_complete_for(
    struct endpoint_bench *, struct endpoint_completion *, uint64_t patience_ns);
/* Returns a completion that is there; false: there is none. */
bool endpoint_session_poll(struct endpoint_bench *, struct endpoint_completion *);

/* Returns whether the QP is in this state: "rts", "err". True without a driver. */
bool endpoint_session_is_in(struct endpoint_bench *, const char *state);

/* Sets a port, from 1, up or down. Returns false if the driver cannot. */
bool endpoint_session_set_port(struct endpoint_bench *, uint32_t port, bool is_up);
