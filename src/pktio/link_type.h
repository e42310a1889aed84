/* SPDX-License-Identifier: Apache-2.0 */
/* What the frames of a capture begin with, by the numbers that pcap and pcapng files use. */
#pragma once

enum link_type {
    LINK_TYPE_NULL = 0, /* four bytes of address family in somebody's byte order */
    LINK_TYPE_ETHERNET = 1,
    LINK_TYPE_RAW_IP = 101, /* begins with an IPv4 or IPv6 header */
    LINK_TYPE_LOOP = 108,
    LINK_TYPE_LINUX_COOKED = 113,
    LINK_TYPE_IPV4 = 228,
    LINK_TYPE_IPV6 = 229,
    LINK_TYPE_LINUX_COOKED_2 = 276,
};
