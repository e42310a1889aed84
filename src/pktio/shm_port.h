/* SPDX-License-Identifier: Apache-2.0 */
/* Ports to another process of this machine: two rings (frame_ring.h) in shared memory.
 *
 * How they meet. The server (a soft fabric, or a NIC told to listen) has a Unix socket of type
 * SOCK_SEQPACKET. The client connects and sends a struct shm_hello. The server answers with a
 * struct shm_welcome and three descriptors: the memory (a memfd, sealed against growing and
 * shrinking), the doorbell that calls the client, the doorbell that calls the server (doorbell.h).
 * The memory holds the ring that the client fills at offset 0 and the ring that the server fills at
 * `ring_bytes`. Afterwards the server sends a struct shm_link whenever the state of the cable is
 * another one than it said last. A side that closes the socket, or dies, takes the link down. A
 * client whose server has gone tries again and again until there is one.
 *
 * A NIC with several engines connects once for each, and has rings of its own for each. The server
 * puts a frame into the rings of the engine that the QP number in the frame names:
 * shm_port_engine_of().
 *
 * Neither side trusts the other. No side waits for the other, except a client that opens its port:
 * for as long as `wait_ms` says. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pktio_port;

#define SHM_PORT_VERSION     3
#define SHM_PORT_NAME_BYTES  64
#define SHM_PORT_SLOTS_MAX   8192
#define SHM_PORT_ENGINES_MAX 4

struct shm_hello {
    char magic[8]; /* "MRCHELLO" */
    uint32_t version;
    uint32_t port;                  /* of the NIC, from 0 */
    char name[SHM_PORT_NAME_BYTES]; /* of the NIC, terminated */
    uint32_t slot_count;            /* wishes; 0: no matter */
    uint32_t mtu_bytes;
    uint32_t engine;       /* of the NIC, from 0 */
    uint32_t engine_count; /* a power of two; 0: one */
};

/* QPs have numbers from 16 on. Smaller ones have a meaning for the whole NIC: engine 0 gets them.
 */
static inline uint32_t shm_port_engine_of(uint32_t qpn, uint32_t engine_count)
{
    return qpn < 16 ? 0 : qpn & (engine_count - 1);
}

struct shm_welcome {
    char magic[8]; /* "MRCWELCO" */
    uint32_t version;
    uint32_t refusal; /* errno; then nothing else is meant, and no descriptors come */
    uint64_t ring_bytes;
    uint64_t rate_bps; /* 0: not known */
    uint32_t mtu_bytes;
    uint32_t link_up;
};

struct shm_link {
    uint32_t link_up;
};

struct shm_port_config {
    const char *path; /* of the socket */
    const char *name;
    uint32_t port;
    uint32_t mtu_bytes;      /* 0: room for 4096 bytes of payload */
    uint32_t slot_count;     /* a power of two, 128 to SHM_PORT_SLOTS_MAX; 0: 256 */
    uint32_t slot_count_max; /* a server's: of what clients wish; 0: SHM_PORT_SLOTS_MAX */
    uint64_t rate_bps;       /* a server's: said to the client */
    uint32_t engine;         /* a client's, as in its hello */
    uint32_t engine_count;
    uint32_t wait_ms; /* for the other end to come; 0: 10 s */
};

/* Client. -ETIMEDOUT, what connect() says, or the refusal of the server. Waits for the socket to
 * appear. */
int shm_port_connect(const struct shm_port_config *, struct pktio_port **);

/* Server: listens for one client only and waits for it. For several clients: shm_lobby.h. */
int shm_port_serve(const struct shm_port_config *, struct pktio_port **);

/* Server: takes the client's link down or up. A client that reads too slowly learns the last state
 * in a later pktio_port_update_link() of the server. */
int shm_port_set_link(struct pktio_port *, bool up);

/* From now on frames are sent without a call to an end that sleeps: shm_port_call() does that, when
 * there is nothing to be sent for now. */
void shm_port_defer_calls(struct pktio_port *);
void shm_port_call(struct pktio_port *);

/* From now on received frames stay lent until they are given back, the oldest first; at most
 * shm_port_slot_count() of them. */
uint32_t shm_port_slot_count(const struct pktio_port *);
void shm_port_keep_frames(struct pktio_port *);
void shm_port_give_back(struct pktio_port *, uint32_t count);
