/* SPDX-License-Identifier: Apache-2.0 */
/* Ports to another process of this machine: two rings (frame_ring.h) in shared memory.
 *
 * How they meet. The server (a soft fabric, or a NIC told to listen) has a Unix socket of type
 * SOCK_SEQPACKET. The client connects and sends a struct shm_hello. The server answers with a
 * struct shm_welcome and three descriptors: the memory (a memfd, sealed against growing and
 * shrinking), the doorbell that calls the client, the doorbell that calls the server (doorbell.h).
 * The memory holds the ring that the client fills at offset 0 and the ring that the server fills at
 * `ring_bytes`. Afterwards the server sends a struct shm_link whenever the state of the cable
 * changes. The link goes down when a side closes the socket or ends. A client whose server has
 * gone retries until a server accepts it.
 *
 * A NIC with several engines connects once for each, and has separate rings for each. The server
 * puts a frame into the rings of the engine that the QP number in the frame names:
 * shm_port_engine_of().
 *
 * Neither side trusts the other. Neither waits for the other, except that a client that opens its
 * port waits for up to `wait_ms`. */
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
    uint32_t port;                  /* port of the NIC, from 0 */
    char name[SHM_PORT_NAME_BYTES]; /* name of the NIC, terminated */
    uint32_t slot_count;            /* requested; 0: any */
    uint32_t mtu_bytes;
    uint32_t engine;       /* engine of the NIC, from 0 */
    uint32_t engine_count; /* a power of two; 0: one */
};

/* QPs have numbers from 16 on. Smaller numbers concern the whole NIC and belong to engine 0. */
static inline uint32_t shm_port_engine_of(uint32_t qpn, uint32_t engine_count)
{
    return qpn < 16 ? 0 : qpn & (engine_count - 1);
}

struct shm_welcome {
    char magic[8]; /* "MRCWELCO" */
    uint32_t version;
    uint32_t refusal; /* errno; then the other fields have no meaning and no descriptors follow */
    uint64_t ring_bytes;
    uint64_t rate_bps; /* 0: unknown */
    uint32_t mtu_bytes;
    uint32_t link_up;
};

struct shm_link {
    uint32_t link_up;
};

struct shm_port_config {
    const char *path; /* path of the socket */
    const char *name;
    uint32_t port;
    uint32_t mtu_bytes;      /* 0: room for 4096 bytes of payload */
    uint32_t slot_count;     /* a power of two, 128 to SHM_PORT_SLOTS_MAX; 0: 256 */
    uint32_t slot_count_max; /* server: limit for clients; 0: SHM_PORT_SLOTS_MAX */
    uint64_t rate_bps;       /* server: sent to the client */
    uint32_t engine;         /* client: sent in the hello */
    uint32_t engine_count;
    uint32_t wait_ms; /* time to wait for the other end; 0: 10 s */
};

/* Client. Waits for the socket to appear. Returns 0 or a negative errno: -ETIMEDOUT, an error of
 * connect(), or the refusal of the server. */
int shm_port_connect(const struct shm_port_config *, struct pktio_port **);

/* Server: listens for a single client and waits for it. shm_lobby.h serves several clients. */
int shm_port_serve(const struct shm_port_config *, struct pktio_port **);

/* Server: takes the client's link down or up. If the client reads too slowly, a later
 * pktio_port_update_link() of the server sends it the last state. */
int shm_port_set_link(struct pktio_port *, bool up);

/* Frames sent from now on do not wake the other end. The caller does so with shm_port_call() when
 * it has nothing more to send for now. */
void shm_port_defer_calls(struct pktio_port *);
void shm_port_call(struct pktio_port *);

/* Received frames stay lent until they are released, the oldest first. At most
 * shm_port_slot_count() can be lent. */
uint32_t shm_port_slot_count(const struct pktio_port *);
void shm_port_keep_frames(struct pktio_port *);
void shm_port_give_back(struct pktio_port *, uint32_t count);
