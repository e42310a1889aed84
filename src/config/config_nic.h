/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of a NIC, as in mrc_config(5). */
#pragma once

#include <stdio.h>

#include "plan/plan.h"

/* Software takes hundreds of microseconds to answer, even on short cables. */
#define CONFIG_NIC_SOFTWARE_RTT_PS UINT64_C(200000000)

/* Returns the number of ports. In a graph, NICs may have different numbers of them. */
uint32_t config_nic_ports(const struct plan *, uint32_t nic);
/* Writes the keys that follow from the fabric, all but the address and the ports. `text`: the file
 * with the text of the plan, if the fabric has a shape or exceptions; "": there is none. */
void config_nic_fabric(const struct plan *, uint32_t nic, const char *text, FILE *);
/* Writes the address. */
void config_nic_address(const struct plan *, uint32_t nic, FILE *);
