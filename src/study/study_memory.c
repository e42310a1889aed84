/* SPDX-License-Identifier: Apache-2.0 */
/* Measures, limits and maps memory, in large pages. */
#include "study/study_memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <sys/resource.h>

#include "result/result.h"

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define PATH_BYTES      1024

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- what a simulation needs ----------------------------------------------------------------- */

/* The flows of a simulation, and the NICs that send them. */
struct senders {
    uint64_t flow_count;
    uint64_t nic_count;
};

static struct senders count_senders(const struct sim_config *config)
{
    uint64_t nics = config->fabric->topology.nic_count;
    struct senders all = { 0 };

    for (uint32_t i = 0; i < config->workload_count; i++) {
        const struct sim_workload *workload = &config->workloads[i];
        uint64_t pairs = workload->schedule
                             ? workload->schedule->pair_count
                             : (uint64_t)workload->rank_count * sim_workload_peers(workload);

        all.flow_count += pairs * workload->qps;
        all.nic_count += workload->rank_count;
    }
    all.nic_count = lesser(all.nic_count, nics);
    return all;
}

/* Pools have room for two windows of each flow. Flows that share links fill less than an eighth of
 * it: 2,048 NICs that all send for long use 160 MiB, 8,192 use 522, and these figures are 168 and
 * 586. The pools of each shard have room for everything. Of many flows of a NIC, not more than two
 * fill their windows, because they share its links: all-to-alls of 512 NICs, 130,560 flows, use
 * 2,371 MiB, trees of 2,048 NICs 283, and these figures are 2,440 and 344. */
static uint64_t used_of_pools(
    uint64_t pool_bytes, const struct senders *senders, uint32_t shard_count)
{
    uint64_t used_bytes = pool_bytes / 8 / shard_count;
    uint64_t full_count = 2 * senders->nic_count;

    if (senders->flow_count <= full_count)
        return used_bytes;
    return (uint64_t)((double)used_bytes * (double)full_count / (double)senders->flow_count);
}

/* Samples, figures of each flow, capacity, and the result. */
static uint64_t bytes_besides(const struct sim_config *config, const struct senders *senders)
{
    enum { OF_PROCESS = 16 << 20, OF_FLOW = 512 };
    uint64_t nics = config->fabric->topology.nic_count;

    return OF_PROCESS + OF_FLOW * (senders->flow_count > nics ? senders->flow_count : nics);
}

struct study_memory_need study_memory_needed(const struct sim_config *config)
{
    struct senders senders = count_senders(config);
    struct arena arena;
    uint64_t touched_bytes;
    size_t sparse_bytes;

    arena_init(&arena, NULL, 0);
    sparse_bytes = sim_measure(&arena, config);
    touched_bytes = arena.used_bytes - arena.spare_bytes;
    return (struct study_memory_need){ .mapped_bytes = arena.used_bytes,
        .sparse_bytes = sparse_bytes,
        .likely_bytes = touched_bytes +
                        used_of_pools(arena.spare_bytes, &senders, sim_shards_of(config)) +
                        bytes_besides(config, &senders) };
}

/* ---- what the system has --------------------------------------------------------------------- */

/* Returns the number after `key` at the beginning of a line; `otherwise`: no line has it. */
static uint64_t number_in(const char *path, const char *key, uint64_t otherwise)
{
    FILE *file = fopen(path, "r");
    size_t length = strlen(key);
    char line[128];

    while (file && fgets(line, sizeof(line), file)) {
        char *end;
        unsigned long long number;

        if (strncmp(line, key, length) != 0)
            continue;
        number = strtoull(line + length, &end, 10);
        if (end != line + length)
            otherwise = number;
        break;
    }
    if (file)
        (void)fclose(file);
    return otherwise;
}

static uint64_t system_available(void)
{
    uint64_t kib = number_in("/proc/meminfo", "MemAvailable:", UINT64_MAX);

    return kib == UINT64_MAX ? kib : kib << 10;
}

/* The files of a cgroup, in version 2 and in version 1. */
struct cgroup_files {
    const char *marker; /* in a line of /proc/self/cgroup, before the path */
    const char *mount;
    const char *limit;
    const char *used; /* in memory.stat; not the page cache, which gives way */
};

static const struct cgroup_files cgroup_versions[] = {
    { "0::", "/sys/fs/cgroup", "memory.max", "anon " },
    { ":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "total_rss " },
};

static uint64_t cgroup_number(
    const char *folder, const char *name, const char *key, uint64_t otherwise)
{
    char path[PATH_BYTES + 32];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return number_in(path, key, otherwise);
}

/* The limits of all cgroups above apply too. */
static uint64_t cgroup_leaves(const struct cgroup_files *files, const char *own)
{
    uint64_t bytes = UINT64_MAX;
    char folder[PATH_BYTES];
    size_t mount_length = strlen(files->mount);

    snprintf(folder, sizeof(folder), "%s%s", files->mount, own);
    while (strlen(folder) >= mount_length) {
        uint64_t most = cgroup_number(folder, files->limit, "", UINT64_MAX);
        uint64_t used = cgroup_number(folder, "memory.stat", files->used, 0);

        if (most != UINT64_MAX)
            bytes = lesser(bytes, most > used ? most - used : 0);
        *strrchr(folder, '/') = '\0';
    }
    return bytes;
}

static uint64_t cgroups_leave(void)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    uint64_t bytes = UINT64_MAX;
    char line[PATH_BYTES / 2];

    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof(cgroup_versions) / sizeof(cgroup_versions[0]); i++) {
            const char *marker = strstr(line, cgroup_versions[i].marker);

            if (marker)
                bytes = lesser(bytes,
                    cgroup_leaves(&cgroup_versions[i], marker + strlen(cgroup_versions[i].marker)));
        }
    }
    if (file)
        (void)fclose(file);
    return bytes;
}

static uint64_t limit_leaves(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}

uint64_t study_memory_available(void)
{
    return lesser(lesser(system_available(), cgroups_leave()), limit_leaves());
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* Untouched pages cost nothing; large pages save page-table walks. */
static int map_anywhere(struct study_memory *memory, const struct study_memory_need *need)
{
    uintptr_t aligned;

    memory->mapped_bytes = need->mapped_bytes + HUGE_PAGE_BYTES;
    memory->mapped = mmap(NULL, memory->mapped_bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory->mapped == MAP_FAILED)
        return -errno;
    aligned = ((uintptr_t)memory->mapped + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
    madvise((void *)aligned, need->mapped_bytes, MADV_HUGEPAGE); /* may be refused */
    arena_init_zero(&memory->arena, (void *)aligned, need->mapped_bytes);
    memory->allocator = grow_memory;
    return 0;
}

/* Solutions of the capacity use large blocks for a short time. By default, a freed block lets
 * malloc keep all later ones of its size. */
static void return_large_blocks(void)
{
    enum { LARGE_BLOCK_BYTES = 4 << 20 };

    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
}

/* A large page that is used a little costs as much as one that is used. */
static void use_small_pages(const struct arena *arena, const struct study_memory_need *need)
{
    uintptr_t end = (uintptr_t)arena->memory + need->mapped_bytes;
    uintptr_t start = (end - need->sparse_bytes + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);

    if (need->sparse_bytes > HUGE_PAGE_BYTES)
        madvise((void *)start, end - start, MADV_NOHUGEPAGE); /* may be refused */
}

int study_memory_open(struct study_memory *memory, const struct study_memory_need *need,
    const struct study_checkpoint *checkpoint)
{
    int err;

    *memory = (struct study_memory){ 0 };
    return_large_blocks();
    if (!checkpoint) {
        err = map_anywhere(memory, need);
        if (err == 0)
            use_small_pages(&memory->arena, need);
        return err;
    }
    err = study_checkpoint_map(&memory->own_image, checkpoint, need->mapped_bytes);
    if (err)
        return err;
    memory->image = &memory->own_image;
    memory->arena = memory->image->arena;
    use_small_pages(&memory->arena, need);
    memory->allocator = memory->image->allocator;
    return 0;
}

void study_memory_close(struct study_memory *memory)
{
    checkpoint_pointers_fini(&memory->pointers);
    if (memory->image)
        study_image_close(memory->image);
    else
        munmap(memory->mapped, memory->mapped_bytes);
}
