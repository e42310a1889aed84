/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the verbs that size a fabric, and what they describe. */
#pragma once

#include "cmd/options.h"
#include "files/files.h"
#include "study/study.h"

struct plan_options {
    struct size_request request;
    struct size_site site;
    bool has_planes;
    bool has_tiers;
    bool has_switch;
    const char *fabric; /* NULL: sized from the request */
    const char *prices; /* NULL: the built-in ones */
    const char *job;    /* NULL: the built-in one */
    const char *report; /* NULL: no page */
    bool measures;
    struct study_contender_choice protocols; /* that are measured */
    uint64_t more_gpus;
    bool explains;
    bool as_json;
    bool as_csv;
    bool as_yaml;
    bool compares;
    bool wants_default_prices;
    int goal; /* enum size_goal; -1: none */
};

/* clang-format off */
#define PLAN_REQUEST_ROWS \
    { OPTION_CALL, 'g', "gpus", "N", "GPUs, each with a NIC [16384]", .read = plan_request_gpus, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 'n', "nic", "RATE", "the rate of a NIC [800G]", .read = plan_request_nic, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 'p', "planes", "N", "planes, and ports of a NIC, 1 to 16 [8]", .read = plan_request_planes, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 's', "switch", "RATE", "the rate of a switch [51.2T]", .read = plan_request_switch, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 't', "tiers", "N", "tiers, 1 to 4 [the fewest]; ZCube: levels", .read = plan_request_tiers, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 0, "shape", "SHAPE", "clos, rail-optimised, rail-only, zcube or infiniband [clos]", .read = plan_request_shape, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 'o', "oversubscription", "X", "down : up of leaves, 1 to 64 [1]", .read = plan_request_oversubscription, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 0, "lane", "RATE", "the rate of a lane; a port takes whole lanes [100G]", .read = plan_request_lane, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 0, "uplink", "RATE", "the rate of links between switches [as ports to NICs]", .read = plan_request_uplink, .values = OPTION_VALUES_NONE }, \
    { OPTION_NUMBER, 0, "hosts-per-leaf", "N", "NICs of a leaf [as many as fit]", OPTION_AT(struct plan_options, request.hosts_per_leaf), .least = 1, .most = 2048 }, \
    { OPTION_NUMBER, 0, "rails", "N", "GPUs of a server, for rails [8]", OPTION_AT(struct plan_options, request.rails), .least = 1, .most = 16 }, \
    { OPTION_TEXT, 'f', "fabric", "FILE", "count the fabric of this file instead", OPTION_AT(struct plan_options, fabric) }, \
    { OPTION_FLAG, 'e', "explain", NULL, "print the formula of every figure", OPTION_AT(struct plan_options, explains) }, \
    { OPTION_FLAG, 'j', "json", NULL, "print JSON", OPTION_AT(struct plan_options, as_json) }
/* clang-format on */

/* clang-format off */
#define PLAN_MEASURE_ROWS \
    { OPTION_FLAG, 0, "measure", NULL, "also simulate each failure, on a small fabric of this shape", OPTION_AT(struct plan_options, measures) }, \
    { OPTION_CALL, 0, "protocols", "NAME,...", "simulate these contenders of mrc compare [mrc]", .read = plan_request_protocols, .values = OPTION_VALUES_CONTENDERS }
/* clang-format on */

enum cmd_status plan_request_protocols(void *options, char *value);
enum cmd_status plan_request_gpus(void *options, char *value);
enum cmd_status plan_request_nic(void *options, char *value);
enum cmd_status plan_request_planes(void *options, char *value);
enum cmd_status plan_request_switch(void *options, char *value);
enum cmd_status plan_request_tiers(void *options, char *value);
enum cmd_status plan_request_shape(void *options, char *value);
enum cmd_status plan_request_oversubscription(void *options, char *value);
enum cmd_status plan_request_lane(void *options, char *value);
enum cmd_status plan_request_uplink(void *options, char *value);

/* Reads the options; no other words may follow. Returns false if the caller is to return
 * *status. */
bool plan_request_read(const struct option_table *, struct plan_options *, int argument_count,
    char **arguments, enum cmd_status *status);

/* Sizes the fabric, or counts that of the file. */
enum cmd_status plan_request_solve(
    const char *command, const struct plan_options *, struct size_fabric *);
/* Reads the job that says what failures cost. */
enum cmd_status plan_request_job(const char *command, const struct plan_options *, struct job *);
