/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the number of threads. */
#include "study/study_threads.h"

/* A thread with fewer NICs spends more time waiting for the others than running them. */
#define NICS_PER_THREAD 256

/* Frames and traces are written in the order of one thread; the plain engine has one. */
static bool needs_one_thread(const struct study_manner *manner)
{
    return manner->uses_heap || manner->pcap_path || manner->trace_path;
}

/* Returns the threads of all ranks. */
static uint32_t rank_threads(const struct study_manner *manner)
{
    return manner->group->count * (manner->threads > 0 ? manner->threads : 1);
}

static uint32_t chosen_count(const struct sim_config *config, const struct study_manner *manner)
{
    uint32_t processors = carrier_processors();
    uint32_t filled = config->fabric->topology.nic_count / NICS_PER_THREAD;

    if (manner->group)
        return rank_threads(manner);
    if (needs_one_thread(manner))
        return 1;
    if (manner->threads > 0)
        return manner->threads;
    if (manner->jobs > 1)
        return 1;
    return filled < processors ? filled : processors;
}

static void complain_if_fewer(const struct sim_config *config, const struct study_manner *manner)
{
    uint32_t shard_count = config->shard_count;

    if (manner->group && manner->group->member > 0)
        return;
    if (manner->group && shard_count < manner->group->count)
        study_complain(manner, "uses %u of %u ranks: the fabric cannot be divided further",
            shard_count, manner->group->count);
    else if (manner->group && shard_count < rank_threads(manner))
        study_complain(manner,
            "uses %u of %u threads of all ranks: the fabric cannot be divided "
            "further",
            shard_count, rank_threads(manner));
    else if (!manner->group && shard_count < manner->threads && !needs_one_thread(manner))
        study_complain(manner, "uses %u of %u threads: the fabric cannot be divided further",
            shard_count, manner->threads);
}

int study_threads_open(
    struct study_threads *threads, struct sim_config *config, const struct study_manner *manner)
{
    int err = 0;

    *threads = (struct study_threads){ 0 };
    config->shard_count = chosen_count(config, manner);
    config->shard_count = sim_shards_of(config);
    config->group = config->shard_count > 1 ? manner->group : NULL;
    complain_if_fewer(config, manner);
    if (sim_own_shards_of(config) <= 1)
        return 0;
    threads->team = carrier_threads_open(sim_own_shards_of(config), &err);
    if (threads->team)
        config->carrier = carrier_threads_carrier(threads->team);
    return err;
}

struct carrier_times study_threads_times(const struct study_threads *threads)
{
    return threads->team ? carrier_threads_times(threads->team) : (struct carrier_times){ 0 };
}

void study_threads_close(struct study_threads *threads)
{
    if (threads->team)
        carrier_threads_close(threads->team);
}
