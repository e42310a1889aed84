/* SPDX-License-Identifier: Apache-2.0 */
/* Names of devices as users type them. */
#pragma once

#define DEVICE_NAME_BYTES 64

/* Writes the device of a NIC: "h3" is NIC 3 of the fabric "fabric", "lab/h3" that of the fabric
 * "lab". If no such fabric runs, h3 is mrc3, which MRC_CONFIG may describe. Other words are copied,
 * truncated to fit. */
void device_name_find(const char *typed, char device[static DEVICE_NAME_BYTES]);
