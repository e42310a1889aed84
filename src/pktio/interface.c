/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces. Netlink only reports that something changed; the new state is then queried.
 */
#include "pktio/interface.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scan.h"

static int ask_kernel(const char *name, unsigned long what, struct ifreq *request)
{
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int err;

    if (fd < 0)
        return -errno;
    snprintf(request->ifr_name, sizeof(request->ifr_name), "%s", name);
    err = ioctl(fd, what, request) < 0 ? -errno : 0;
    close(fd);
    return err;
}

static int open_link_events(void)
{
    struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    int err;

    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        err = -errno;
        close(fd);
        return err;
    }
    return fd;
}

int interface_open(struct interface *interface, const char *name)
{
    struct ifreq request = { .ifr_flags = 0 };
    size_t length = strlen(name);
    int err;

    if (length >= sizeof(interface->name))
        return -ENODEV;
    *interface = (struct interface){ .index = if_nametoindex(name) };
    memcpy(interface->name, name, length + 1);
    if (interface->index == 0)
        return -ENODEV;
    err = ask_kernel(name, SIOCGIFMTU, &request);
    if (err)
        return err;
    interface->mtu_bytes = (uint32_t)request.ifr_mtu;
    err = ask_kernel(name, SIOCGIFHWADDR, &request);
    if (err)
        return err;
    memcpy(interface->mac, request.ifr_hwaddr.sa_data, sizeof(interface->mac));
    interface->link_fd = open_link_events();
    return interface->link_fd < 0 ? interface->link_fd : 0;
}

bool interface_is_up(const struct interface *interface)
{
    struct ifreq request = { .ifr_flags = 0 };
    short both = IFF_UP | IFF_RUNNING;

    return ask_kernel(interface->name, SIOCGIFFLAGS, &request) == 0 &&
           (request.ifr_flags & both) == both;
}

bool interface_update(const struct interface *interface)
{
    char messages[8192];

    while (recv(interface->link_fd, messages, sizeof(messages), MSG_DONTWAIT) > 0)
        ;
    return interface_is_up(interface);
}

bool interface_is_driven_by(const struct interface *interface, const char *driver)
{
    struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
    struct ifreq request = { .ifr_data = (char *)&info };

    return ask_kernel(interface->name, SIOCETHTOOL, &request) == 0 &&
           strcmp(info.driver, driver) == 0;
}

bool interface_parse_mac(const char *text, uint8_t mac[INTERFACE_MAC_BYTES])
{
    uint8_t parts[INTERFACE_MAC_BYTES];

    for (uint32_t i = 0; i < INTERFACE_MAC_BYTES; i++)
        if ((i > 0 && !scan_word(&text, ":")) || !scan_hex_octet(&text, &parts[i]))
            return false;
    if (*text)
        return false;
    memcpy(mac, parts, sizeof(parts));
    return true;
}
