/* SPDX-License-Identifier: Apache-2.0 */
/* The calls by which a switch of another protocol than MRC decides about packets: the route, the
 * queue (drop, mark, trim), and whether senders must pause. Switches of MRC have no policy: the
 * network forwards by uSIDs and queues with port_admit(), for many packets at a time.
 *
 * A policy is written for a network, as endpoints are (endpoint_ops.h). All calls for one switch
 * come in order of time, so a policy may keep state for the whole switch: a shared buffer, credits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "switch/switch.h"

/* A packet on its way through a switch. */
struct switch_crossing {
    struct port_entry packet;
    uint32_t switch_index;
    uint32_t in_port;
    uint32_t out_port;
    uint64_t now_ps; /* in forward() only */
};

/* A pause frame: from its arrival on, the port at the other end of the link sends no data for
 * duration_ps. 0 ends the pause. Control packets leave meanwhile. With a policy that has
 * on_credit(), the frame instead returns credit to the other end, even if the link is down. */
struct switch_pause {
    bool is_due; /* false: no frame is sent */
    uint32_t port;
    uint64_t duration_ps;
    uint32_t credit;
};

struct switch_decision {
    struct port_outcome at_port;
    struct switch_pause pause;
};

struct switch_policy {
    bool marks;       /* it marks packets itself, and ports do not */
    bool marks_hosts; /* ports to hosts mark, too, if the fabric marks at all */
    bool limits_data; /* it limits data queues itself, and ports do not */
    /* Returns the port by which the packet leaves; SWITCH_NO_PORT: none. */
    uint32_t (*forward)(void *network, const struct switch_crossing *);
    /* Puts the packet into the port by which it leaves, or drops it. */
    struct switch_decision (*admit)(
        void *network, const struct switch_crossing *, struct port *, uint64_t now_ps);
    /* The transmission of a packet begins; in_port is not known. */
    struct switch_pause (*sent)(void *network, const struct switch_crossing *, uint64_t now_ps);
    /* A pause frame has arrived at a port. Returns false if the port ignores it. NULL: ports obey
     * all. */
    bool (*obeys)(
        void *network, uint32_t switch_index, const struct switch_pause *, uint64_t now_ps);
    /* Timers of a switch: returns when expire() must be called, UINT64_MAX: never; makes what is
     * due at the first port with a timer, and returns that port. NULL: there are none. */
    uint64_t (*deadline_ps)(const void *network, uint32_t switch_index);
    uint32_t (*expire)(void *network, uint32_t switch_index, uint64_t now_ps);
    /* A packet that waited at its port is lost; in_port is not known. NULL: nothing is to do. */
    struct switch_pause (*lost)(void *network, const struct switch_crossing *, uint64_t now_ps);

    /* ---- credits; all NULL: links have none. Ports are numbers of the network. ---- */

    /* The frame of a switch_pause has come to a port. */
    void (*on_credit)(void *network, uint32_t port, uint32_t credit, uint64_t now_ps);
    /* A packet that came in at in_port is lost before it was admitted. */
    struct switch_pause (*refused)(void *network, const struct switch_crossing *);
    /* A packet that waited outside of its port is lost; in_port is not known. Returns false if
     * there is none. */
    bool (*take_out)(void *network, uint32_t port, struct port_entry *);
    /* A packet has been in a port, or has left it, and does not arrive at the other end. */
    void (*undelivered)(void *network, uint32_t port, const struct port_entry *);
    /* Returns how long after its end a packet begins again that its link has damaged or lost; 0: it
     * does not. Damaged packets never arrive. */
    uint64_t (*repeat_ps)(void *network, uint32_t port);
};
