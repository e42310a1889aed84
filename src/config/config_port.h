/* SPDX-License-Identifier: Apache-2.0 */
/* Names and addresses of ports, for hosts and switches that run Linux and for point-to-point
 * links. */
#pragma once

#include <stdint.h>

#include "topology/topology.h"

#define CONFIG_PORT_NAME_BYTES    16
#define CONFIG_PORT_MAC_BYTES     18   /* as text */
#define CONFIG_PORT_ADDRESS_BYTES 32   /* as text */
#define CONFIG_PORT_MTU_BYTES     9216 /* a payload of 4096 bytes with all its headers fits */

/* The first 32 bits of the addresses of links: a unique local prefix whose global ID begins with
 * the letters MRC. */
#define CONFIG_PORT_BLOCK UINT32_C(0xfd4d5243)

/* A host has the interfaces p0, p1, ... (its planes). A switch has dN for port N if that leads
 * down, and u0, u1, ... for ports that lead up, counted from the first that does not face a host.
 */
void config_port_interface(
    const struct topology *, struct topology_end, char out[static CONFIG_PORT_NAME_BYTES]);

/* Writes the MAC address of a port, which is unique in the fabric. */
void config_port_mac(struct topology_end, char out[static CONFIG_PORT_MAC_BYTES]);

/* Writes the address of a port that has a cable. The lower end of link N has
 * fd4d:5243:<N div 65536>:<N mod 65536>::2, the upper end ::3 in the same /127. */
void config_port_address(
    const struct topology *, struct topology_end, char out[static CONFIG_PORT_ADDRESS_BYTES]);
