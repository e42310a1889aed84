/* SPDX-License-Identifier: Apache-2.0 */
/* What descriptions of devices have in common. Ports on the command line are
 * "ADDRESS[,KEY=VALUE]...", where ADDRESS is an interface or an address of pktio_open(). */
#pragma once

#include "conform/conform_suite.h"
#include "files/files.h"

/* Parses it to a mapping: {interface: ADDRESS, KEY: VALUE}. `option` names the option in messages;
 * `flag` is a key with the value yes, or NULL. Returns NULL after an error message. */
struct yaml_node *conform_spec_parse(
    struct yaml *, const char *option, const char *text, const char *flag);

/* Reads an IPv6 address. */
bool conform_spec_address(struct yaml *, const struct yaml_node *, struct ipv6_addr *);

/* Adds a port given on the command line, "IF[,KEY=VALUE]...", to the list `ports` of a description.
 * `flag` is a key with the value yes, or NULL. */
bool conform_spec_add_port(
    struct yaml *, struct yaml_node *top, const char *option, const char *text, const char *flag);

/* Reads code points by class: {trimmed: 12, control: 46}. */
bool conform_spec_classes(struct yaml *, const struct yaml_node *, uint8_t *dscp);

/* Reads the word of a feature, or a list of them, and adds it to `absent`. */
bool conform_spec_features(
    struct yaml *, const struct yaml_node *, const struct conform_suite *, uint64_t *absent);
