/* SPDX-License-Identifier: Apache-2.0 */
/* What both ends of a shared-memory port do to connect. */
#include "pktio/shm_meet.h"

#include <errno.h>
#include <sys/mman.h>

const char shm_meet_hello[8] = { 'M', 'R', 'C', 'H', 'E', 'L', 'L', 'O' };
const char shm_meet_welcome[8] = { 'M', 'R', 'C', 'W', 'E', 'L', 'C', 'O' };

/* Returns false if the rings do not have the size that the welcome gives. */
static bool attach_rings(struct shm_rings *rings, size_t ring_bytes, bool is_server)
{
    uint8_t *memory = rings->memory;

    return frame_ring_attach(
               &rings->out, memory + (is_server ? ring_bytes : 0), ring_bytes, rings->peer_bell) &&
           frame_ring_attach(
               &rings->in, memory + (is_server ? 0 : ring_bytes), ring_bytes, rings->peer_bell) &&
           rings->mtu_bytes <= rings->out.slot_bytes - FRAME_RING_SLOT_HEADER;
}

/* A server has other clients to serve, so it touches pages one by one, as frames use them. A client
 * maps all of them at once. */
int shm_meet_map(struct shm_rings *rings, const int descriptors[SHM_MEET_COUNT],
    const struct shm_welcome *welcome, bool is_server)
{
    size_t ring_bytes = (size_t)welcome->ring_bytes;
    int populate = is_server ? 0 : MAP_POPULATE;
    void *memory;

    if (welcome->ring_bytes > SHM_MEET_RING_BYTES_MAX || welcome->mtu_bytes > SHM_MEET_MTU_MAX)
        return -EPROTO;
    memory = mmap(NULL, 2 * ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | populate,
        descriptors[SHM_MEET_MEMORY], 0);
    if (memory == MAP_FAILED)
        return -errno;
    madvise(memory, 2 * ring_bytes, MADV_DONTFORK);
    *rings = (struct shm_rings){ .memory = memory,
        .memory_bytes = 2 * ring_bytes,
        .own_bell = descriptors[is_server ? SHM_MEET_SERVER_BELL : SHM_MEET_CLIENT_BELL],
        .peer_bell = descriptors[is_server ? SHM_MEET_CLIENT_BELL : SHM_MEET_SERVER_BELL],
        .mtu_bytes = welcome->mtu_bytes,
        .rate_bps = welcome->rate_bps };
    if (attach_rings(rings, ring_bytes, is_server))
        return 0;
    shm_meet_unmap(rings);
    return -EPROTO;
}

void shm_meet_unmap(struct shm_rings *rings)
{
    munmap(rings->memory, rings->memory_bytes);
}
