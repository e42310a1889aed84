/* SPDX-License-Identifier: Apache-2.0 */
/* What ports on network interfaces need to know of them: MAC, MTU, link state and its changes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { INTERFACE_MAC_BYTES = 6 };

struct interface {
    char name[16];
    uint32_t index;
    uint32_t mtu_bytes;
    uint8_t mac[INTERFACE_MAC_BYTES];
    int link_fd; /* readable when the state of some link changed; the caller closes it */
};

/* 0 or a negative errno: -ENODEV, there is none of that name. */
int interface_open(struct interface *, const char *name);

/* Reads what link_fd has to say; yields whether the link is up now. */
bool interface_update(const struct interface *);
bool interface_is_up(const struct interface *);
bool interface_is_driven_by(const struct interface *, const char *driver);

/* "02:00:00:00:00:01"; false: not a MAC address. */
bool interface_parse_mac(const char *text, uint8_t mac[INTERFACE_MAC_BYTES]);
