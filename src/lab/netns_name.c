/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a namespace fabric. */
#include "lab/netns_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"

bool netns_name_is_prefix(const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length >= NETNS_PREFIX_BYTES || strncmp(text, "mrc", 3) == 0 ||
        !isalnum((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '_')
            return false;
    return true;
}

void netns_name_of_nic(const char *prefix, uint32_t nic, char out[static NETNS_NAME_BYTES])
{
    snprintf(out, NETNS_NAME_BYTES, "%s-h%u", prefix, nic);
}

void netns_name_of_switch(const struct topology *topology, const char *prefix,
    uint32_t switch_index, char out[static NETNS_NAME_BYTES])
{
    struct topology_element element = topology_switch_at(topology, switch_index);
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(&element, name);
    snprintf(out, NETNS_NAME_BYTES, "%s-%s", prefix, name);
}

void netns_name_of_management(const char *prefix, char out[static NETNS_NAME_BYTES])
{
    snprintf(out, NETNS_NAME_BYTES, "%s-mgmt", prefix);
}

static bool is_host(const char *name)
{
    uint32_t number;

    return scan_word(&name, "h") && scan_u32(&name, &number) && *name == '\0';
}

static bool is_switch(const char *name)
{
    uint32_t number;

    return scan_word(&name, "p") && scan_u32(&name, &number) && scan_word(&name, ".t") &&
           scan_u32(&name, &number) && scan_word(&name, ".") && scan_u32(&name, &number) &&
           *name == '\0';
}

bool netns_name_has_prefix(const char *name, const char *prefix)
{
    if (!scan_word(&name, prefix) || !scan_word(&name, "-"))
        return false;
    return strcmp(name, "mgmt") == 0 || is_host(name) || is_switch(name);
}

void netns_name_ipv4(uint32_t nic, char out[static NETNS_IPV4_BYTES])
{
    uint32_t number = nic + 1;

    snprintf(out, NETNS_IPV4_BYTES, "10.99.%u.%u", number >> 8 & 0xff, number & 0xff);
}
