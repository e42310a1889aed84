/* SPDX-License-Identifier: Apache-2.0 */
/* What the word that is being typed can become. */
#pragma once

#include <stddef.h>

#include "cmd/options.h"

enum { COMPLETION_WORDS_MAX = 64 };

struct completion {
    const struct cmd *command;
    const char *words[COMPLETION_WORDS_MAX]; /* before the typed one, without options */
    size_t count;
    const char *typed; /* may be empty */
    const char *name;  /* the value of --name; NULL: not given */
};

/* The candidates for the last of these words, which follow `mrc` on the command line. */
void completion_print(char *const *words, size_t count);

/* Prints the candidate on a line of its own if the typed word can become it. */
void completion_offer(const struct completion *, const char *candidate);
void completion_offer_all(const struct completion *, const char *const *candidates);
void completion_offer_options(const struct completion *, const struct option_table *);

/* completion_values.c: what there is on this machine. */
void completion_offer_values(const struct completion *, enum option_values);
void completion_offer_devices(const struct completion *);
/* Of the running fabric: "link", "port", "switch", "plane", "nic" or "ev". */
void completion_offer_parts(const struct completion *, const char *what);
