/* SPDX-License-Identifier: Apache-2.0 */
/* What a soft fabric consists of, for the files of this folder that make it.
 *
 * Every port that sends has a wire, numbered: port p of NIC n is n * planes + p, then the ports of
 * switch 0, of switch 1, ... A wire leads to a switch of this process, or out of it: through an
 * end. Ends are the ports of switches to which NICs attach or, in namespaces, all ports of the
 * switches that are served here. */
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
    _Alignas(64) struct topology_end self; /* threads have wires side by side */
    struct topology_end peer;
    struct topology_element link;
    uint64_t delay_ps; /* of the cable and of getting into the far end */
    uint64_t rate_bps;
    uint64_t free_ps;        /* of a NIC's wire; a switch port knows by itself */
    struct fault_link fault; /* what is wrong with it */
    uint32_t part;
    uint32_t exit;  /* the end where its frames leave; SOFT_NO_END: they stay, or it is a NIC's */
    uint32_t first; /* frames on it, in the order in which they arrive; SOFT_NO_FRAME: none */
    uint32_t last;
    bool has_cable;
    bool is_down;      /* by a fault */
    bool asks_ev;      /* some fault is of one EV */
    bool is_scheduled; /* an event says when the port is free */
    uint64_t frames;
    uint64_t lost; /* by faults, or because nobody was there */
};

#define SOFT_NO_END     UINT32_MAX
#define SOFT_FILE_BYTES (SOFT_PATH_BYTES + 16)

enum soft_end_kind {
    SOFT_END_SHM,
    SOFT_END_UDP,
    SOFT_END_INTERFACE,
};

/* Slots of a NIC's ring that it has lent, in their order. */
struct soft_loans {
    uint32_t
        *frames; /* that lie there; SOFT_NO_FRAME: none any more; NULL: this end lends nothing */
    uint32_t slot_count;
    uint32_t first; /* the oldest that was not given back */
    uint32_t next;
};

/* A switch port whose cable leaves this process. A NIC may have several engines, each with rings of
 * its own: they are ends of their own, which share the cable with the end of engine 0. That one,
 * the first, keeps account of what leaves for all of them. */
struct soft_end {
    _Alignas(64) struct pktio_port *port; /* NULL: nobody is there */
    enum soft_end_kind kind;
    uint32_t at;      /* the wire whose frames leave here */
    uint32_t entry;   /* the wire along which frames come */
    uint32_t first;   /* the end of engine 0 */
    bool is_launched; /* they come from a switch of this process */
    /* Of the first of a cable: */
    uint32_t engine_count; /* of the NIC there */
    uint32_t port_count;   /* of these, that have attached */
    uint32_t process;      /* that has the NIC */
    uint32_t under_way;    /* on the wire to it */
    uint32_t room;         /* known for frames beside those */
    uint64_t hold_ps;      /* between the last two questions whether there is room; 0: there was */
    /* Of each: */
    struct soft_loans loans;
    uint64_t taken;                /* frames that the NIC has taken out of its ring, */
    uint64_t taken_ps;             /* and when it was seen to take one */
    _Atomic uint64_t shared_bytes; /* with the process that has attached; 0: none has */
    _Atomic uint32_t user;         /* of that process */
};

struct soft_lane;

struct soft {
    struct soft_config config;
    struct plan fabric; /* scaled */
    struct topology_exception *exceptions;
    struct graph *graph; /* scaled; NULL: the topology is none */
    char folder[SOFT_PATH_BYTES];
    int folder_lock;       /* -1: the folder is not ours */
    uint32_t first_device; /* NIC 0 is mrcF */
    void *memory;          /* of the switches */
    struct switch_node *switches;
    struct switch_range *routes; /* of all switches */
    uint32_t *first_wire;        /* of each switch */
    struct soft_wire *wires;
    uint32_t wire_count;
    struct soft_end *ends; /* of engine 0 of all cables, then of engine 1, ... */
    uint32_t end_count;
    uint32_t cable_count; /* ends of engine 0 */
    uint32_t *attached;   /* numbers of ends that have a NIC, part by part */
    uint32_t attached_count;
    struct soft_frames frames;
    struct soft_queue *queues; /* of each part; frames that leave the process are in none */
    uint32_t part_count;       /* parts that no frame leaves: planes; 1: it is all in one */
    struct soft_faults faults;
    struct fault_hold *holds; /* of all wires */
    size_t hold_max;
    struct soft_record record; /* of all faults; a lane has none */
    uint64_t lost[LOSS_REASON_COUNT];
    uint64_t faults_change_ps;
    struct prng prng;
    int epoll_fd;           /* tells the numbers of ends */
    struct shm_lobby lobby; /* its listener is -1: NICs do not attach here */
    int *interface_socks;   /* of each switch, in its namespace, to turn interfaces on and off */
    struct control_server control;
    uint64_t now_ps;
    uint64_t looked_ps; /* at the sockets */
    uint64_t attach_ps; /* when a NIC may attach next */
    uint64_t answer_ps; /* when a question may be answered next */
    uint64_t busy_ps;   /* when there was something to do last */
    uint32_t dozes;     /* since then */
    uint64_t no_buffer; /* frames lost because all buffers were in use */
    bool is_over;
    struct soft_lane *lanes; /* NULL: one thread does it all, or this is a lane */
    uint32_t lane_count;     /* at least 1 */
    uint32_t lane;           /* of lane_count: moves the planes whose number leaves this */
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

/* The end at the other side of a NIC's cable; SOFT_NO_END: no cable, or its switch is not served.
 */
static inline uint32_t soft_nic_end(const struct soft *soft, uint32_t nic, uint32_t plane)
{
    const struct soft_wire *wire = &soft->wires[soft_nic_wire(soft, nic, plane)];

    return wire->has_cable ? soft->wires[soft_wire_of(soft, wire->peer)].exit : SOFT_NO_END;
}

/* The end of another engine of the same NIC. */
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

/* Planes have nothing to do with each other, so one thread may move some of them. */
static inline bool soft_moves(const struct soft *soft, const struct soft_wire *wire)
{
    return wire->link.plane % soft->lane_count == soft->lane;
}

/* soft.c: zeroes; `bytes` is a multiple of 64. */
void *soft_lines(size_t count, size_t bytes);

/* soft_switches.c: false: there is no memory. */
bool soft_switches_make(struct soft *);

/* soft_folder.c: 0 or a negative errno; -EBUSY: a fabric of this name is running. */
int soft_folder_open(struct soft *);
void soft_folder_retire(const struct soft *); /* the fabric is about to end */
void soft_folder_close(struct soft *);

/* soft_scale.c: the fabric, slower or without pace. -ERANGE: slower or longer than links may be. */
int soft_scale(struct soft *);

/* soft_ends.c: after the wires. */
bool soft_ends_make(struct soft *);
/* A port for an end, and its descriptors into the epoll set. */
void soft_ends_adopt(struct soft *, uint32_t end_index, struct pktio_port *, enum soft_end_kind);
/* Nobody is there any more; the frames on their way are lost. */
void soft_ends_release(struct soft *, uint32_t end_index);
void soft_ends_watch(struct soft *, int fd, uint32_t end);

/* soft_loan.c. An end shall lend its frames, if there is memory to keep account. */
void soft_loan_open(struct soft_end *);
/* The next slot that was received: the frame that lies there, or SOFT_NO_FRAME. */
void soft_loan_note(struct soft *, uint32_t end_index, uint32_t frame);
/* The frame shall lie here whole. */
void soft_loan_copy(struct soft *, uint32_t frame_index);
/* Gives back what nobody needs any more. */
void soft_loan_settle(struct soft *, struct soft_end *);
void soft_loan_close(struct soft *, struct soft_end *);
/* A frame that has gone: its buffer is free again. */
void soft_give(struct soft *, uint32_t frame_index);

/* soft_wire.c: a frame whose last bit leaves at `end_ps`; the first that arrives, of one or more.
 */
void soft_wire_launch(struct soft *, uint32_t wire, uint32_t frame, uint64_t end_ps);
uint32_t soft_wire_take(struct soft *, uint32_t wire);
void soft_wire_lose(struct soft *, uint32_t wire, uint32_t frame);

/* soft_forward.c: a frame at a port of a switch. */
void soft_forward(struct soft *, struct topology_end at, uint32_t frame);
/* All transmissions of a switch port that begin by now, and an event for the next. */
void soft_work_off(struct soft *, uint32_t wire);

/* soft_advance.c: queues of events, after the wires; false: there is no memory. */
bool soft_advance_open(struct soft *);
void soft_advance_close(struct soft *);
/* All events up to now, of one part or of all. */
void soft_advance_part(struct soft *, uint32_t part);
void soft_advance(struct soft *);
/* When the next one is. */
uint64_t soft_advance_next_ps(const struct soft *);

/* soft_exchange.c: a frame that came in at an end, copied. */
void soft_accept(struct soft *, uint32_t end_index, const uint8_t *bytes, uint32_t length);
/* Frames that every engine at the cable of this end, the first, has room for. */
uint32_t soft_exchange_room(const struct soft *, const struct soft_end *first);
/* Hands over what has arrived at an end, the first of its cable. Returns how many frames. */
uint32_t soft_flush(struct soft *, uint32_t end_index);
/* When the next frame arrives at any end. */
uint64_t soft_exchange_next_ps(const struct soft *);

/* soft_pass.c: once around. Returns how many frames came and left. */
uint32_t soft_pass(struct soft *);
/* Takes frames from an end, however far ahead of its wire; returns how many. */
uint32_t soft_take(struct soft *, uint32_t end_index);
uint64_t soft_clock_ps(const struct soft *);
bool soft_has_buffers(const struct soft *); /* without, nothing is taken before something leaves */

/* soft_run.c: a pass, and sleeps if that was nothing for long enough; what a thread does first. */
void soft_turn(struct soft *);
void soft_begin(void);
/* Who knocks and who asks; sleeps if nobody does. Where there are lanes: all that is left to do. */
void soft_serve(struct soft *);

/* soft_lanes.c: threads, if lane_count says so. After all but the NICs. */
int soft_lanes_open(struct soft *);
int soft_lanes_run(struct soft *, const volatile int *stop);
void soft_lanes_close(struct soft *);
/* The fabric as the thread of a plane has it, which waits meanwhile. */
struct soft *soft_lanes_enter(struct soft *, uint32_t plane);
void soft_lanes_leave(const struct soft *, struct soft *entered);
void soft_lanes_enter_all(struct soft *);
void soft_lanes_leave_all(struct soft *);
void soft_lanes_update_links(struct soft *); /* the list of faults has changed */
uint64_t soft_lanes_no_buffer(const struct soft *);
uint64_t soft_lanes_lost(const struct soft *, enum loss_reason);

/* soft_links.c: the list of faults or the time has changed. */
void soft_links_update(struct soft *);
/* The list alone, where lanes have the links: what begins and ends is recorded. */
void soft_links_pass_time(struct soft *);

/* soft_attach.c: NICs at the ends. */
int soft_attach_open(struct soft *);
void soft_attach_callers(struct soft *); /* a NIC that wants to attach */
/* Its link may be gone. True: the NIC has left, and its rings are emptied and closed. */
bool soft_attach_check(struct soft *, uint32_t end_index);
void soft_attach_close(struct soft *);

/* soft_interfaces.c: network interfaces at the ends. */
int soft_interfaces_open(struct soft *);
void soft_interfaces_turn(struct soft *, uint32_t end_index, bool up);
void soft_interfaces_close(struct soft *);

/* soft_control.c: answers a request, a text in JSON; the context is the struct soft. The caller
 * frees the answer. */
char *soft_control_answer(void *context, const char *text);
