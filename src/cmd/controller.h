/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the commands that ask a running controller: drain, restore, ctl. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "cmd/options.h"

struct controller_options {
    const char *state;  /* NULL: the usual folder */
    const char *reason; /* NULL: none */
    bool as_json;
    bool is_dry;
    bool all;
};

#define CONTROLLER_STATE_ROW                                                                       \
    {                                                                                              \
        OPTION_TEXT, '\0', "state", "DIR", "the state folder of the controller",                   \
            OPTION_AT(struct controller_options, state)                                            \
    }
#define CONTROLLER_JSON_ROW                                                                        \
    {                                                                                              \
        OPTION_FLAG, 'j', "json", NULL, "print JSON",                                              \
            OPTION_AT(struct controller_options, as_json)                                          \
    }

/* Asks the controller; a body makes it a POST. Returns the status of HTTP and its answer, which the
 * caller releases, or 0 after an error message. */
unsigned controller_ask(const char *command, const struct controller_options *, const char *path,
    const json_t *body, json_t **answer);

/* Prints the address of the page of the controller, with the token of its buttons. */
enum cmd_status controller_print_page(const char *command, const struct controller_options *);

/* Asks to drain or restore each of the elements, and prints what the controller says. */
enum cmd_status controller_change(
    const char *verb, const struct controller_options *, char **elements);

/* Prints the denylist. */
enum cmd_status controller_list_drained(const char *command, const struct controller_options *);

/* Prints and releases the value. */
void controller_print_json(json_t *);

const char *controller_text(const json_t *object, const char *key); /* "-" if absent */
double controller_percent(const json_t *object, const char *key);   /* of millionths */
/* Formats a time of day in milliseconds. Returns `out`. */
const char *controller_time(const json_t *object, const char *key, char out[static 32]);
