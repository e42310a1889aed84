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

/* Returns the number of shards of the run that is continued; 0: none is. */
static uint32_t continued_count(const struct study_manner *manner)
{
    return manner->checkpoint && manner->checkpoint->from
               ? (uint32_t)manner->checkpoint->from->head.shard_count
               : 0;
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
    else if (!manner->group && shard_count < manner->threads && !needs_one_thread(manner) &&
             !continued_count(manner))
        study_complain(manner, "uses %u of %u threads: the fabric cannot be divided further",
            shard_count, manner->threads);
}

int study_threads_open(
    struct study_threads *threads, struct sim_config *config, const struct study_manner *manner)
{
    uint32_t thread_count = chosen_count(config, manner);
    uint32_t own_count;
    int err = 0;

    *threads = (struct study_threads){ 0 };
    config->shard_count = continued_count(manner) ? continued_count(manner) : thread_count;
    config->shard_count = sim_shards_of(config);
    config->group = config->shard_count > 1 ? manner->group : NULL;
    complain_if_fewer(config, manner);
    own_count = sim_own_shards_of(config);
    if (own_count <= 1)
        return 0;
    if (thread_count > 0 && thread_count < own_count)
        own_count = thread_count;
    threads->team = carrier_threads_open(own_count, &err);
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
