/* SPDX-License-Identifier: Apache-2.0 */
/* Maps memory in large pages. */
#include "study/study_memory.h"

#include <errno.h>
#include <stdint.h>

#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

/* Untouched pages cost nothing; large pages save page-table walks. */
int study_memory_open(struct study_memory *memory, const struct sim_config *config)
{
    uintptr_t aligned;

    arena_init(&memory->arena, NULL, 0);
    sim_init(&memory->arena, config);
    memory->mapped_bytes = memory->arena.used_bytes + HUGE_PAGE_BYTES;
    memory->mapped = mmap(NULL, memory->mapped_bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory->mapped == MAP_FAILED)
        return -errno;
    aligned = ((uintptr_t)memory->mapped + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
    madvise((void *)aligned, memory->arena.used_bytes, MADV_HUGEPAGE); /* may be refused */
    arena_init(&memory->arena, (void *)aligned, memory->arena.used_bytes);
    return 0;
}

void study_memory_close(struct study_memory *memory)
{
    munmap(memory->mapped, memory->mapped_bytes);
}
