/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of network interfaces that ports use: MAC, MTU, link state and its changes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { INTERFACE_MAC_BYTES = 6 };

struct interface {
    char name[16];
    uint32_t index;
    uint32_t mtu_bytes;
    uint8_t mac[INTERFACE_MAC_BYTES];
    int link_fd; /* readable when the state of a link changed; the caller closes it */
};

/* Returns 0 or a negative errno: -ENODEV if there is no interface of that name. */
int interface_open(struct interface *, const char *name);

/* Reads the messages of link_fd. Returns whether the link is up now. */
bool interface_update(const struct interface *);
bool interface_is_up(const struct interface *);
bool interface_is_driven_by(const struct interface *, const char *driver);

/* Parses "02:00:00:00:00:01". Returns false if the text is not a MAC address. */
bool interface_parse_mac(const char *text, uint8_t mac[INTERFACE_MAC_BYTES]);
