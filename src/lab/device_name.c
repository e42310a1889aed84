/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the device that a word names. */
#include "lab/device_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/devices.h"
#include "pktio/pktio.h"

void device_name_find(const char *typed, char device[static DEVICE_NAME_BYTES])
{
    const char *slash = strrchr(typed, '/');
    const char *nic = slash ? slash + 1 : typed;
    bool is_nic = nic[0] == 'h' && nic[1] && strspn(nic + 1, "0123456789") == strlen(nic + 1);
    char root[RUN_PLACE_BYTES];
    char fabric[DEVICE_NAME_BYTES];
    uint32_t number;

    snprintf(
        fabric, sizeof(fabric), "%.*s", slash ? (int)(slash - typed) : 6, slash ? typed : "fabric");
    if (is_nic && run_place(root, sizeof(root), NULL, NULL) == 0 &&
        devices_find(root, fabric, (uint32_t)strtoul(nic + 1, NULL, 10), &number))
        snprintf(device, DEVICE_NAME_BYTES, "mrc%u", number);
    else if (is_nic && !slash)
        snprintf(device, DEVICE_NAME_BYTES, "mrc%s", nic + 1);
    else
        snprintf(device, DEVICE_NAME_BYTES, "%s", typed);
}
