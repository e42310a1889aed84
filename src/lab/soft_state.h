/* SPDX-License-Identifier: Apache-2.0 */
/* Private declarations of soft fabrics.
 *
 * Every sending port has a numbered wire: port p of NIC n is n * planes + p, followed by the ports
 * of switch 0, of switch 1, ... A wire leads to a switch of this process, or out of the process
 * through an end. Ends are the switch ports to which NICs attach or, in namespaces, all ports of
 * the switches of this process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "lab/soft.h"
#include "lab/soft_fault.h"
#include "lab/soft_frames.h"
#include "lab/soft_queue.h"
#include "lab/soft_record.h"
#include "pktio/pktio.h"
#include "switch/switch.h"

struct soft_wire {
    _Alignas(64) struct topology_end self; /* aligned because threads use adjacent wires */
    struct topology_element cable;
    struct link link;
    uint64_t rate_bps;
    uint64_t byte_time;      /* at this rate */
    uint64_t free_ps;        /* of a NIC's wire; a switch port has its own */
    struct fault_link fault; /* its impairments */
    uint64_t cut_ps;         /* when it last went down; 0: never */
    uint32_t part;
    uint32_t exit;  /* the end where its frames leave; SOFT_NO_END if there is none */
    uint32_t first; /* frames on it, in the order of arrival; SOFT_NO_FRAME if none */
    uint32_t last;
    bool is_down;      /* by a fault */
    bool asks_ev;      /* some fault affects a single EV */
    bool is_scheduled; /* there is an event for when the port is free */
    uint64_t frames;
    uint64_t bytes;
    uint64_t lost; /* by faults, or because no NIC was attached */
};

#define SOFT_NO_END     UINT32_MAX
#define SOFT_FILE_BYTES (SOFT_PATH_BYTES + 16)

enum soft_end_kind {
    SOFT_END_SHM,
    SOFT_END_UDP,
    SOFT_END_INTERFACE,
};

/* Slots of a NIC's ring that it has lent, in order. */
struct soft_loans {
    uint32_t
        *frames; /* in these slots; SOFT_NO_FRAME if released; NULL if this end lends nothing */
    uint32_t slot_count;
    uint32_t first; /* the oldest that was not returned */
    uint32_t next;
};

/* A switch port whose cable leaves this process. A NIC may have several engines, each with separate
 * rings: each engine has its own end, and the ends share the cable with the end of engine 0. That
 * end, the first, keeps the state of the cable for all of them. */
struct soft_end {
    _Alignas(64) struct pktio_port *port; /* NULL if no NIC is attached */
    enum soft_end_kind kind;
    uint32_t at;      /* the wire whose frames leave here */
    uint32_t entry;   /* the wire on which frames arrive */
    uint32_t first;   /* the end of engine 0 */
    bool is_launched; /* the entry is the wire of a switch of this process */
    /* Only in the first end of a cable: */
    uint32_t engine_count; /* of the NIC */
    uint32_t port_count;   /* engines that have attached */
    uint32_t process;      /* that owns the NIC */
    uint32_t under_way;    /* frames on the wire to it */
    uint32_t room;         /* known room for frames, besides those */
    uint64_t hold_ps;      /* between the last two checks for room; 0 if there was room */
    /* In each end: */
    struct soft_loans loans;
    uint64_t taken;                /* frames that the NIC has taken from its ring */
    uint64_t taken_ps;             /* when it was last seen to take one */
    _Atomic uint64_t shared_bytes; /* with the process that has attached; 0 if none has */
    _Atomic uint32_t user;         /* of that process */
};

struct soft_lane;

struct soft {
    struct soft_config config;
    struct plan fabric; /* scaled */
    struct topology_exception *exceptions;
    struct graph *graph; /* scaled; NULL if the topology is not a graph */
    char folder[SOFT_PATH_BYTES];
    int folder_lock;       /* -1 if the folder is not ours */
    uint32_t first_device; /* NIC 0 is mrcF */
    void *memory;          /* of the switches */
    struct switch_node *switches;
    struct switch_range *routes; /* of all switches */
    uint32_t *first_wire;        /* number of the first wire of each switch */
    struct soft_wire *wires;
    uint32_t wire_count;
    struct soft_end *ends; /* of engine 0 of all cables, then of engine 1, ... */
    uint32_t end_count;
    uint32_t cable_count; /* number of ends of engine 0 */
    uint32_t *attached;   /* numbers of the ends with a NIC, part by part */
    uint32_t attached_count;
    struct soft_frames frames;
    struct soft_queue *queues; /* one per part; frames that leave the process are in none */
    uint32_t part_count;       /* parts that exchange no frames: planes; 1 if there is one part */
    struct soft_faults faults;
    struct fault_hold *holds; /* of all wires */
    size_t hold_max;
    struct soft_record record; /* of all faults; lanes have none */
    uint64_t lost[LOSS_REASON_COUNT];
    uint64_t faults_change_ps;
    struct prng prng;
    int epoll_fd;           /* reports the numbers of ends */
    struct shm_lobby lobby; /* its listener is -1 if NICs do not attach here */
    int *interface_socks;   /* of each switch, in its namespace, to set interfaces up and down */
    struct control_server control;
    uint64_t now_ps;
    uint64_t looked_ps; /* when sockets were last polled */
    uint32_t looked_at; /* place in `attached` of the port looked at last */
    uint64_t attach_ps; /* when a NIC may attach next */
    uint64_t answer_ps; /* when a request may be answered next */
    uint64_t busy_ps;   /* when there was last something to do */
    uint32_t dozes;     /* since then */
    uint64_t no_buffer; /* frames lost because all buffers were in use */
    bool is_over;
    struct soft_lane *lanes; /* NULL: a single thread, or this is a lane */
    uint32_t lane_count;     /* at least 1 */
    uint32_t lane; /* this lane moves the planes whose number is `lane` modulo lane_count */
};

static inline uint32_t soft_nic_wire(const struct soft *soft, uint32_t nic, uint32_t plane)
{
    return nic * soft->fabric.topology.config.plane_count + plane;
}

static inline uint32_t soft_wire_of(const struct soft *soft, struct topology_end end)
{
    return end.is_nic ? soft_nic_wire(soft, end.node, end.port)
                      : soft->first_wire[end.node] + end.port;
}

/* Returns the port at the far end of a wire. */
static inline struct topology_end soft_peer(const struct soft *soft, const struct soft_wire *wire)
{
    return link_peer(&wire->link, soft->fabric.topology.nic_count);
}

/* Returns the end at the other side of a NIC's cable, SOFT_NO_END if there is no cable or its
 * switch is not in this process. */
static inline uint32_t soft_nic_end(const struct soft *soft, uint32_t nic, uint32_t plane)
{
    const struct soft_wire *wire = &soft->wires[soft_nic_wire(soft, nic, plane)];

    return wire->link.has_cable ? soft->wires[soft_wire_of(soft, soft_peer(soft, wire))].exit
                                : SOFT_NO_END;
}

/* Returns the end of another engine of the same NIC. */
static inline uint32_t soft_engine_end(const struct soft *soft, uint32_t first, uint32_t engine)
{
    return first + engine * soft->cable_count;
}

static inline bool soft_serves(const struct soft *soft, uint32_t switch_index)
{
    return !soft->config.serves || soft->config.serves[switch_index];
}

static inline uint32_t soft_end_part(const struct soft *soft, uint32_t end_index)
{
    return soft->wires[soft->ends[end_index].at].part;
}

/* Planes are independent of each other, so different threads may move them. */
static inline bool soft_moves(const struct soft *soft, const struct soft_wire *wire)
{
    return wire->cable.plane % soft->lane_count == soft->lane;
}

/* soft.c: allocates zeroed memory; `bytes` is a multiple of 64. */
void *soft_lines(size_t count, size_t bytes);

/* soft_switches.c: returns false if there is no memory. */
bool soft_switches_make(struct soft *);

/* soft_folder.c: returns 0 or a negative errno: -EBUSY if a fabric of this name runs. */
int soft_folder_open(struct soft *);
void soft_folder_retire(const struct soft *); /* the fabric is about to end */
void soft_folder_close(struct soft *);

/* soft_scale.c: makes the fabric slower or unpaced. Returns -ERANGE if a link would be out of
 * range. */
int soft_scale(struct soft *);

/* soft_ends.c: called after the wires are made. */
bool soft_ends_make(struct soft *);
/* Attaches a port to an end and adds its descriptors to the epoll set. */
void soft_ends_adopt(struct soft *, uint32_t end_index, struct pktio_port *, enum soft_end_kind);
/* Detaches the port of an end. Frames on the way to it are lost. */
void soft_ends_release(struct soft *, uint32_t end_index);
void soft_ends_watch(struct soft *, int fd, uint32_t end);

/* soft_loan.c. Frames of this end are lent from now on, if there is memory for the list of loans.
 */
void soft_loan_open(struct soft_end *);
/* Notes the frame in the next received slot, or SOFT_NO_FRAME. */
void soft_loan_note(struct soft *, uint32_t end_index, uint32_t frame);
/* Copies the lent part of the frame into its buffer. */
void soft_loan_copy(struct soft *, uint32_t frame_index);
/* Returns the slots that are no longer needed. */
void soft_loan_settle(struct soft *, struct soft_end *);
void soft_loan_close(struct soft *, struct soft_end *);
/* Releases the buffer of a frame. */
void soft_give(struct soft *, uint32_t frame_index);

/* soft_wire.c: launch puts a frame on the wire, whose last bit leaves at `end_ps`; take removes the
 * first frame, which must exist; is_cut returns true, and loses the frame, if the wire went down
 * while the frame was on it; lose counts and releases a frame. */
void soft_wire_launch(struct soft *, uint32_t wire, uint32_t frame, uint64_t end_ps);
uint32_t soft_wire_take(struct soft *, uint32_t wire);
bool soft_wire_is_cut(struct soft *, uint32_t wire, uint32_t frame);
void soft_wire_lose(struct soft *, uint32_t wire, uint32_t frame);

/* Few wires have ever been down. */
static inline bool soft_wire_survives(struct soft *soft, uint32_t wire, uint32_t frame)
{
    return soft->wires[wire].cut_ps == 0 || !soft_wire_is_cut(soft, wire, frame);
}

/* soft_forward.c: a frame arrives over a link to a switch. */
void soft_forward(struct soft *, const struct link *, uint32_t frame);
/* Makes all transmissions of a switch port that are due, and schedules an event for the next. */
void soft_work_off(struct soft *, uint32_t wire);

/* soft_advance.c: makes the queues of events, after the wires. Returns false if there is no memory.
 */
bool soft_advance_open(struct soft *);
void soft_advance_close(struct soft *);
/* Handles all events that are due, of one part or of all. */
void soft_advance_part(struct soft *, uint32_t part);
void soft_advance(struct soft *);
/* Returns the time of the next event. */
uint64_t soft_advance_next_ps(const struct soft *);

/* soft_exchange.c: takes in a frame that arrived at an end, and copies it. */
void soft_accept(struct soft *, uint32_t end_index, const uint8_t *bytes, uint32_t length);
/* Returns the number of frames that every engine at the cable of this first end has room for. */
uint32_t soft_exchange_room(const struct soft *, const struct soft_end *first);
/* Hands over the frames that have arrived at an end, the first of its cable. Returns their number.
 */
uint32_t soft_flush(struct soft *, uint32_t end_index);
/* Returns when the next frame arrives at any end. */
uint64_t soft_exchange_next_ps(const struct soft *);

/* soft_pass.c: makes one pass. Returns the number of frames that arrived or left. */
uint32_t soft_pass(struct soft *);
/* Takes frames from an end, even if its wire is busy. Returns their number. */
uint32_t soft_take(struct soft *, uint32_t end_index);
uint64_t soft_clock_ps(const struct soft *);
bool soft_has_buffers(const struct soft *); /* if false, no frames are taken until others leave */

/* soft_run.c: makes a pass, and sleeps if nothing happened for long enough. A thread first calls
 * soft_begin(). */
void soft_turn(struct soft *);
void soft_begin(void);
/* Serves clients that attach or send requests, and sleeps if there are none. If there are lanes,
 * this is the rest of the work. */
void soft_serve(struct soft *);

/* soft_lanes.c: creates lanes if lane_count is above 1. Called after all but the NICs. */
int soft_lanes_open(struct soft *);
int soft_lanes_run(struct soft *, const volatile int *stop);
void soft_lanes_close(struct soft *);
/* Returns the view of the thread of a plane, which waits meanwhile. */
struct soft *soft_lanes_enter(struct soft *, uint32_t plane);
void soft_lanes_leave(const struct soft *, struct soft *entered);
void soft_lanes_enter_all(struct soft *);
void soft_lanes_leave_all(struct soft *);
void soft_lanes_update_links(struct soft *); /* the list of faults has changed */
uint64_t soft_lanes_no_buffer(const struct soft *);
uint64_t soft_lanes_lost(const struct soft *, enum loss_reason);

/* soft_links.c: called when the list of faults or the time has changed. */
void soft_links_update(struct soft *);
/* Only updates the list, if lanes have the links: records the faults that begin and end. */
void soft_links_pass_time(struct soft *);

/* soft_attach.c: attaches NICs to ends. */
int soft_attach_open(struct soft *);
void soft_attach_callers(struct soft *); /* NICs that want to attach */
/* Checks the link of an end. Returns true if the NIC has left; its rings are then emptied and
 * closed. */
bool soft_attach_check(struct soft *, uint32_t end_index);
void soft_attach_close(struct soft *);

/* soft_interfaces.c: network interfaces at the ends. */
int soft_interfaces_open(struct soft *);
void soft_interfaces_turn(struct soft *, uint32_t end_index, bool up);
void soft_interfaces_close(struct soft *);

/* soft_control.c: answers a request, a text in JSON; the context is the struct soft. The caller
 * frees the answer. */
char *soft_control_answer(void *context, const char *text);
