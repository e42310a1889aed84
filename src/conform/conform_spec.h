/* SPDX-License-Identifier: Apache-2.0 */
/* Ports on the command line: "ADDRESS[,KEY=VALUE]...", where ADDRESS is an interface or an address
 * of pktio_open(). */
#pragma once

#include "files/files.h"

/* Parses it to a mapping: {interface: ADDRESS, KEY: VALUE}. `option` names the option in messages;
 * `flag` is a key with the value yes, or NULL. Returns NULL after an error message. */
struct yaml_node *conform_spec_parse(
    struct yaml *, const char *option, const char *text, const char *flag);

/* Reads an IPv6 address. */
bool conform_spec_address(struct yaml *, const struct yaml_node *, struct ipv6_addr *);
