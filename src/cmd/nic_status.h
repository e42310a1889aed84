/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the commands that inspect running NICs: dev, qp, ev, port, stat, monitor. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd/options.h"
#include "control/control.h"

#define NIC_EVS_MAX 64 /* on one command line */

enum nic_argument { /* the words that a command accepts besides its verb */
    NIC_WITH_QP = 1 << 0,
    NIC_WITH_PORT = 1 << 1, /* port P, up, down */
    NIC_WITHOUT_VERB = 1 << 2,
    NIC_WITH_EV = 1 << 3, /* EVs such as p1/u3 */
};

struct nic_command {
    const char *name; /* "qp" */
    const struct option_table *options;
    const char *const *verbs; /* the first is the default; NULL at the end */
    uint32_t arguments;       /* enum nic_argument */
    const char *nothing;      /* the message if there are devices but nothing to show */
};

struct nic_options {
    const char *verb;
    const char *device; /* NULL: all */
    uint32_t qpn;       /* 0: all */
    uint32_t port;      /* 0: all */
    const char *to;     /* "up", "down" or NULL */
    struct ev_admin_ev evs[NIC_EVS_MAX];
    uint32_t ev_count;
    bool as_json;
    bool all;
    bool nonzero;
    bool details;
    bool as_prometheus;
};

/* Parses words in the manner of ip(8): each may be shortened, and options may be anywhere. Returns
 * false if the caller is to return *status. */
bool nic_status_parse(const struct nic_command *, int argument_count, char **arguments,
    struct nic_options *, enum cmd_status *status);

/* Offers verbs, "dev", "qp", "port" and devices. */
void nic_status_complete(const struct completion *);

/* Options that several of these commands have. */
#define NIC_JSON_ROW                                                                               \
    {                                                                                              \
        OPTION_FLAG, 'j', "json", NULL, "print JSON", OPTION_AT(struct nic_options, as_json)       \
    }

/* Finds all devices that are described or that answer, sorted, or the one that was requested. */
enum cmd_status nic_status_devices(
    const struct nic_command *, const struct nic_options *, struct device_list *);

/* Parses the arguments and finds the devices. Returns false if the caller is to return *status. */
bool nic_status_begin(const struct nic_command *, int argument_count, char **arguments,
    struct nic_options *, struct device_list *, enum cmd_status *status);

/* Asks the process that has the device open. The answer is NULL if no process has it open. Reports
 * a refusal. */
enum cmd_status nic_status_ask(
    const struct nic_command *, const char *device, const char *request, json_t **answer);

/* Like nic_status_ask(), for commands that need an answer: reports a device that was requested by
 * name and that no process has open. */
enum cmd_status nic_status_ask_owner(const struct nic_command *, const struct nic_options *,
    const char *device, const char *request, json_t **answer);

/* Prints and releases the value. */
void nic_status_print_json(json_t *);

/* Prints `all` if JSON was requested; reports the cause if it is empty. Releases `all` and returns
 * `status`. */
enum cmd_status nic_status_finish(const struct nic_command *, const struct nic_options *,
    const struct device_list *, json_t *all, enum cmd_status status);

long long nic_status_number(const json_t *object, const char *key);
const char *nic_status_text(const json_t *object, const char *key); /* "-" if absent */
/* Formats nanoseconds with a unit, e.g. "350us". Returns `out`. */
const char *nic_status_time(long long ns, char out[static 24]);

/* Returns the QPs of a device, or the one that was requested. NULL: there are none; this is
 * reported if the device was requested by name. */
enum cmd_status nic_status_qps(
    const struct nic_command *, const struct nic_options *, const char *device, json_t **qps);
