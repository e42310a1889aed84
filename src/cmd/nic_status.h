/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that look at running NICs share: dev, qp, ev, port, stat, monitor. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd/options.h"
#include "control/control.h"

enum nic_argument { /* which words a command understands beside its verb */
    NIC_WITH_QP = 1 << 0,
    NIC_WITH_PORT = 1 << 1, /* port P, up, down */
    NIC_WITHOUT_VERB = 1 << 2,
};

struct nic_command {
    const char *name; /* "qp" */
    const struct option_table *options;
    const char *const *verbs; /* the first is the default; NULL at the end */
    uint32_t arguments;       /* enum nic_argument */
    const char *nothing;      /* why there may be nothing to see, although there are devices */
};

struct nic_options {
    const char *verb;
    const char *device; /* NULL: all */
    uint32_t qpn;       /* 0: all */
    uint32_t port;      /* 0: all */
    const char *to;     /* "up", "down" or NULL */
    bool as_json;
    bool all;
    bool nonzero;
    bool details;
};

/* Words in the manner of ip(8): each may be shortened, options stand anywhere. False: there is
 * nothing more to do than to return *status. */
bool nic_status_parse(const struct nic_command *, int argument_count, char **arguments,
    struct nic_options *, enum cmd_status *status);

/* Offers verbs, "dev", "qp", "port" and devices. */
void nic_status_complete(const struct completion *);

/* The options that several of these commands have. */
#define NIC_JSON_ROW                                                                               \
    {                                                                                              \
        OPTION_FLAG, 'j', "json", NULL, "print JSON", OPTION_AT(struct nic_options, as_json)       \
    }

/* All that are described and all that answer, or the one asked for; sorted. */
enum cmd_status nic_status_devices(
    const struct nic_command *, const struct nic_options *, struct device_list *);

/* The answer of whoever has the device, NULL if nobody does; a refusal is complained about. */
enum cmd_status nic_status_ask(
    const struct nic_command *, const char *device, const char *request, json_t **answer);

/* The same for a command that can do nothing without one: complains if the device was asked for by
 * name. */
enum cmd_status nic_status_ask_owner(const struct nic_command *, const struct nic_options *,
    const char *device, const char *request, json_t **answer);

/* Prints and releases. */
void nic_status_print_json(json_t *);

/* Releases `all`, having printed it if JSON was asked for; if it is empty, says why. Returns
 * `status`.
 */
enum cmd_status nic_status_finish(const struct nic_command *, const struct nic_options *,
    const struct device_list *, json_t *all, enum cmd_status status);

long long nic_status_number(const json_t *object, const char *key);
const char *nic_status_text(const json_t *object, const char *key); /* "-" where there is none */
/* Nanoseconds for people: "350us". `out` is returned. */
const char *nic_status_time(long long ns, char out[static 24]);

/* The QPs of a device, or the one that was asked for. NULL: there are none, which is
 * complained about if the device was asked for by name. */
enum cmd_status nic_status_qps(
    const struct nic_command *, const struct nic_options *, const char *device, json_t **qps);
