/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates for the word that is being typed. */
#pragma once

#include <stddef.h>

#include "cmd/options.h"

enum { COMPLETION_WORDS_MAX = 64 };

struct completion {
    const struct cmd *command;
    const char *words[COMPLETION_WORDS_MAX]; /* the words before it, without options */
    size_t count;
    const char *typed; /* may be empty */
    const char *name;  /* the value of --name; NULL: not given */
};

/* Prints the candidates for the last of these words, which follow `mrc` on the command line. */
void completion_print(char *const *words, size_t count);

/* Prints the candidate on its own line if it begins with the typed word. */
void completion_offer(const struct completion *, const char *candidate);
void completion_offer_all(const struct completion *, const char *const *candidates);
void completion_offer_options(const struct completion *, const struct option_table *);

/* completion_values.c: candidates that depend on the state of this machine. */
void completion_offer_values(const struct completion *, enum option_values);
void completion_offer_devices(const struct completion *);
/* Offers parts of the running fabric: "link", "port", "switch", "plane", "nic" or "ev". */
void completion_offer_parts(const struct completion *, const char *what);
