/* SPDX-License-Identifier: Apache-2.0 */
/* Link types of captures: what a frame begins with, by the numbers of pcap and pcapng files. */
#pragma once

enum link_type {
    LINK_TYPE_NULL = 0, /* four bytes of address family, in the byte order of the writer */
    LINK_TYPE_ETHERNET = 1,
    LINK_TYPE_RAW_IP = 101, /* begins with an IPv4 or IPv6 header */
    LINK_TYPE_LOOP = 108,
    LINK_TYPE_LINUX_COOKED = 113,
    LINK_TYPE_IPV4 = 228,
    LINK_TYPE_IPV6 = 229,
    LINK_TYPE_LINUX_COOKED_2 = 276,
};
