/* SPDX-License-Identifier: Apache-2.0 */
/* What a soft fabric consists of, for the files of this folder that make it.
 *
 * Every port that sends has a wire, numbered: port p of NIC n is n * planes + p, then the ports of
 * switch 0, of switch 1, ... */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "lab/control_server.h"
#include "lab/soft.h"
#include "lab/soft_fault.h"
#include "lab/soft_frames.h"
#include "lab/soft_queue.h"
#include "switch/switch.h"

enum {
    SOFT_OUTBOX_FRAMES = 32,
};

struct soft_wire {
    struct fabric_end self;
    struct fabric_end peer;
    struct fabric_element link;
    uint64_t delay_ps; /* of the cable and of getting into the far end */
    uint64_t rate_bps;
    uint64_t free_ps; /* of a NIC's wire; a switch port knows by itself */
    struct soft_condition condition;
    bool has_cable;
    bool is_scheduled; /* an event says when the port is free */
    uint64_t frames;
    uint64_t lost; /* by faults, or because nobody was there */
};

/* A NIC port that has attached. */
struct soft_nic_end {
    struct pktio_port *port;             /* NULL: nobody */
    uint32_t outbox[SOFT_OUTBOX_FRAMES]; /* frames that have arrived, to be handed over */
    uint32_t outbox_count;
    uint32_t under_way; /* on the wire to it, and in the outbox */
    bool is_udp;
};

struct soft {
    struct soft_config config;
    struct fabric fabric; /* scaled */
    struct fabric_exception *exceptions;
    char folder[SOFT_PATH_BYTES];
    void *memory; /* of the switches */
    struct switch_node *switches;
    uint32_t *first_wire; /* of each switch */
    struct soft_wire *wires;
    uint32_t wire_count;
    struct soft_nic_end *ends; /* by NIC wire number */
    uint32_t end_count;
    uint32_t *attached; /* numbers of ends that somebody has */
    uint32_t attached_count;
    struct soft_frames frames;
    struct soft_queue queue;
    struct soft_faults faults;
    uint64_t faults_change_ps;
    struct prng prng;
    int epoll_fd;
    int listener;
    struct control_server control;
    uint64_t now_ps;
    uint64_t no_buffer; /* frames lost because all buffers were in use */
    bool is_over;
};

static inline uint32_t soft_nic_wire(const struct soft *soft, uint32_t nic, uint32_t plane)
{
    return nic * soft->fabric.config.plane_count + plane;
}

/* soft_forward.c: a frame that an attached NIC sent, copied; events that are due; handing over. */
void soft_accept(struct soft *, uint32_t wire, const uint8_t *bytes, uint32_t length);
void soft_advance(struct soft *);
void soft_flush(struct soft *, uint32_t end);
/* A switch port may have become able to send. */
void soft_kick(struct soft *, uint32_t wire);

/* soft_links.c: the list of faults or the time has changed. */
void soft_links_update(struct soft *);

/* soft_attach.c */
int soft_attach_open(struct soft *);
void soft_attach_one(struct soft *);                 /* somebody knocks */
void soft_attach_check(struct soft *, uint32_t end); /* its link may be gone */
void soft_attach_close(struct soft *);

/* soft_devices.c: the folders of the devices. */
int soft_devices_make(struct soft *);
void soft_devices_remove(struct soft *);

/* soft_control.c: answers a request; the text is the caller's to free. */
char *soft_control_answer(void *soft, const char *request);
