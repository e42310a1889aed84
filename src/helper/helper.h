/* SPDX-License-Identifier: Apache-2.0 */
/* mrc-conform-helper: drives a device whose interface is mrc.h for mrc conform endpoint. It loads
 * the library of the device at run time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mrc.h>
#include <mrc_ctl.h>

/* ibv_reg_mr() is a macro of verbs.h. */
typedef struct ibv_mr *helper_reg_mr(struct ibv_pd *, void *, size_t, int);

struct helper_calls {
/* clang-format off */
#define CALL(name)    __typeof__(name) *(name);
#define CONTROL(name) __typeof__(name) *(name);
#define VERB(name)    __typeof__(name) *(name);
/* clang-format on */
#include "helper/helper_calls.def"
#undef CALL
#undef CONTROL
#undef VERB
    helper_reg_mr *reg_mr;
};

#define HELPER_QPS_MAX 256

struct helper_qp {
    bool is_used;
    struct mrc_qp *qp;
    struct mrc_cq *cq;
    struct ibv_mr *mr;
    uint8_t *memory;
    uint32_t memory_bytes;
};

struct helper {
    struct helper_calls calls;
    char device[64];
    struct ibv_context *verbs;
    struct ibv_pd *pd;
    struct mrc_context *context;
    int gid_index;
    struct helper_qp qps[HELPER_QPS_MAX];
};

/* Loads the libraries; "": the usual ones. Returns false after a message to standard error. */
bool helper_load(struct helper *, const char *library, const char *verbs);

/* Opens the device; "": the first one. */
bool helper_open(struct helper *, const char *device);

/* ---- for the files of this folder ------------------------------------------------------------ */

/* Finds "KEY=VALUE" in a request. */
const char *helper_value(const char *request, const char *key);
/* Returns the number, or `otherwise` if the request has no such key. */
uint64_t helper_number(const char *request, const char *key, uint64_t otherwise);

__attribute__((format(printf, 1, 2))) void helper_refuse(const char *format, ...);

/* Returns the QP that the request names; NULL after an answer. */
struct helper_qp *helper_find(struct helper *, const char *request);

void helper_make_qp(struct helper *, const char *request);
void helper_connect(struct helper *, const char *request);
void helper_state(struct helper *, const char *request);
void helper_destroy(struct helper *, const char *request);
void helper_post_receives(struct helper *, const char *request);
void helper_post_writes(struct helper *, const char *request);
void helper_complete(struct helper *, const char *request);
void helper_read(struct helper *, const char *request);
void helper_fill(struct helper *, const char *request);
void helper_put(struct helper *, const char *request);
void helper_set_port(struct helper *, const char *request);
