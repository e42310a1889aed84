/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of devices: a file, and options that change it. */
#pragma once

#include "cmd/options.h"
#include "files/files.h"

/* Applies options to a description and reads it. Returns false with yaml->problem. */
typedef bool conform_description_reader(void *context, struct yaml *, struct yaml_node *top);

/* Loads the file (NULL: begins an empty description) and has it read. Returns CMD_MISUSED after an
 * error message of this command. */
enum cmd_status conform_description_load(
    const char *command, const char *file, conform_description_reader *, void *context);

/* Sets a key to the value of an option. */
bool conform_description_set(
    struct yaml *, struct yaml_node *top, const char *option, const char *key, const char *text);

/* Applies --set KEY=VALUE. */
bool conform_description_set_pairs(
    struct yaml *, struct yaml_node *top, const struct option_list *);

/* Adds the ports of an option; `flag` is a key with the value yes, or NULL. */
bool conform_description_add_ports(struct yaml *, struct yaml_node *top, const char *option,
    const struct option_list *, const char *flag);
