/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of devices: a file, and options that change it. */
#pragma once

#include "cmd/options.h"
#include "files/files.h"

/* Loads the file; NULL: begins an empty description. Returns NULL after an error message. */
struct yaml_node *conform_description_load(struct yaml *, const char *file);

/* Sets a key to the value of an option. */
bool conform_description_set(
    struct yaml *, struct yaml_node *top, const char *option, const char *key, const char *text);

/* Applies --set KEY=VALUE. */
bool conform_description_set_pairs(
    struct yaml *, struct yaml_node *top, const struct option_list *);

/* Adds the ports of an option; `flag` is a key with the value yes, or NULL. */
bool conform_description_add_ports(struct yaml *, struct yaml_node *top, const char *option,
    const struct option_list *, const char *flag);
