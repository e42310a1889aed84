/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the sockets of a NIC that attaches to a soft fabric by UDP. */
#include "base/scan.h"
#include "lab/soft.h"

/* HOST:PORT */
static bool read_socket(const char **at, char *host, size_t host_bytes, uint16_t *port)
{
    uint32_t number;

    if (!scan_until(at, ':', host, host_bytes) || !scan_u32(at, &number) || number > UINT16_MAX)
        return false;
    *port = (uint16_t)number;
    return true;
}

bool soft_udp_read(const char *text, struct soft_udp *udp)
{
    return scan_word(&text, "h") && scan_u32(&text, &udp->nic) && scan_word(&text, "=") &&
           read_socket(&text, udp->local_host, sizeof(udp->local_host), &udp->local_port) &&
           scan_word(&text, ",") &&
           read_socket(&text, udp->remote_host, sizeof(udp->remote_host), &udp->remote_port) &&
           *text == '\0';
}
