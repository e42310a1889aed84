/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes NICs. */
#include "host/host.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "host/engine.h"
#include "host/engine_default.h"
#include "host/ev_profile.h"
#include "host/graph_paths.h"
#include "host/uneven_paths.h"

enum {
    DEFAULT_QPS = 1024,
    DEFAULT_REGIONS = 4096,
    DEFAULT_SPIN_US = 20,
    QPS_MAX = 1 << 20,
};

uint64_t host_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint32_t host_random(void)
{
    uint32_t random = 0;

    while (getrandom(&random, sizeof(random), 0) != sizeof(random))
        ;
    return random;
}

void host_config_init(struct host_config *config)
{
    *config = (struct host_config){ .name = "mrc0",
        .port_count = 1,
        .qp_count_max = DEFAULT_QPS,
        .region_count_max = DEFAULT_REGIONS,
        .format = format_default,
        .spin_us = DEFAULT_SPIN_US };
    parameters_init(&config->parameters, TIMERS_SOFTWARE);
}

enum parameters_error host_config_set(
    struct host_config *config, const char *name, const char *value)
{
    return parameters_set(&config->parameters, name, value);
}

/* ---- memory -----------------------------------------------------------------------------------
 */

int host_memory_register(struct host_nic *nic, const struct host_region *region, uint32_t *key)
{
    uint32_t random = host_random();
    int err = engine_own_all(nic);

    if (err)
        return err;
    err = memory_table_add(&nic->memory, region, random, key);
    engine_release_all(nic);
    return err;
}

int host_memory_deregister(struct host_nic *nic, uint32_t key)
{
    int err = engine_own_all(nic);

    if (err)
        return err;
    err = memory_table_remove(&nic->memory, key);
    engine_release_all(nic);
    return err;
}

/* ---- open and close ---------------------------------------------------------------------------
 */

static int open_tap(struct host_nic *nic)
{
    const char *capture = nic->config.capture_path ? nic->config.capture_path : getenv("MRC_PCAP");

    return capture && *capture ? pktio_tap_open(capture, nic->config.name, &nic->tap) : 0;
}

/* On a graph, EVs depend on the destination. The EVs of QPs that have none yet do not matter. */
static int open_graph(struct host_nic *nic)
{
    struct host_config *config = &nic->config;
    int err;

    if (!config->graph_path)
        return 0;
    err = graph_paths_open(config->graph_path, &config->address, &nic->graph);
    config->route = graph_paths_route;
    config->route_context = nic->graph;
    config->uplink_count = 1;
    return err;
}

static int open_exceptions(struct host_nic *nic)
{
    const struct host_config *config = &nic->config;

    if (!config->exceptions_path || config->graph_path)
        return 0;
    return uneven_paths_open(config->exceptions_path, &config->address, &nic->uneven);
}

static int make_profiles(struct host_nic *nic)
{
    int err = ev_profile_create_default(nic, &nic->default_ev);

    return err ? err : ev_profile_create_default_cc(nic, &nic->default_cc);
}

static void free_nic(struct host_nic *nic)
{
    status_close(nic);
    pthread_mutex_destroy(&nic->watch_lock);
    ev_profile_free(nic->default_ev);
    free(nic->default_cc);
    graph_paths_close(nic->graph);
    uneven_paths_close(nic->uneven);
    memory_table_fini(&nic->memory);
    engine_free_all(nic);
    qp_memory_fini(&nic->qp_memory);
    if (nic->async_fd >= 0)
        close(nic->async_fd);
    free(nic);
}

static struct host_nic *make_nic(const struct host_config *config)
{
    struct host_nic *nic = calloc(1, sizeof(*nic));

    if (!nic)
        return NULL;
    nic->config = *config;
    while (nic->config.seed == 0)
        nic->config.seed = (uint64_t)host_random() << 32 | host_random();
    nic->prng = prng_stream(nic->config.seed, UINT64_C(1) << 40);
    nic->admin_mask = (UINT32_C(1) << config->port_count) - 1;
    nic->async_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    pthread_mutex_init(&nic->watch_lock, NULL);
    nic->watch_fd = -1;
    return nic;
}

static uint32_t processor_count(void)
{
    cpu_set_t processors;

    return sched_getaffinity(0, sizeof(processors), &processors) == 0
               ? (uint32_t)CPU_COUNT(&processors)
               : 1;
}

/* A capture is one file, which only one thread can write. */
static bool can_have_engines(const struct host_nic *nic)
{
    const struct host_config *config = &nic->config;

    for (uint32_t i = 0; i < config->port_count; i++)
        if (!config->ports[i].address || !pktio_open_tells_engines(config->ports[i].address))
            return false;
    return !nic->tap && !config->without_progress;
}

static uint32_t choose_engine_count(const struct host_nic *nic)
{
    if (!can_have_engines(nic))
        return 1;
    return nic->config.engine_count > 0 ? nic->config.engine_count
                                        : engine_default_count(processor_count());
}

static bool config_is_valid(const struct host_config *config)
{
    return config->port_count >= 1 && config->port_count <= HOST_PORT_COUNT_MAX &&
           config->qp_count_max >= 1 && config->qp_count_max <= QPS_MAX &&
           config->region_count_max >= 1 && config->engine_count <= HOST_ENGINE_COUNT_MAX &&
           (config->engine_count & (config->engine_count - 1)) == 0;
}

int host_open(const struct host_config *config, struct host_nic **out)
{
    struct host_nic *nic;
    int err;

    if (!config_is_valid(config))
        return -EINVAL;
    nic = make_nic(config);
    if (!nic)
        return -ENOMEM;
    err = nic->async_fd < 0 ? -EMFILE : memory_table_init(&nic->memory, config->region_count_max);
    if (!err)
        err = open_graph(nic);
    if (!err)
        err = open_exceptions(nic);
    if (!err)
        err = open_tap(nic);
    if (!err)
        err = engine_make_all(nic, choose_engine_count(nic));
    if (can_have_engines(nic))
        engine_default_parameters(&nic->config.parameters, nic->engine_count, processor_count());
    if (!err)
        err = engine_open_all(nic);
    if (!err)
        err = make_profiles(nic);
    if (err)
        goto close_ports;
    if (!config->without_progress)
        status_open(nic);
    fork_guard_add(nic);
    err = config->without_progress ? 0 : engine_start_all(nic);
    if (err)
        goto forget;
    *out = nic;
    return 0;

forget:
    engine_stop_all(nic);
    fork_guard_remove(nic);
close_ports:
    engine_close_all(nic);
    pktio_tap_close(nic->tap);
    free_nic(nic);
    return err;
}

int host_close(struct host_nic *nic)
{
    if (engine_own_all(nic) == 0) {
        bool is_used = nic->qp_count || nic->queue_count || nic->channel_count ||
                       nic->profile_count || nic->memory.entry_count;

        engine_release_all(nic);
        if (is_used)
            return -EBUSY;
        engine_stop_all(nic);
    }
    fork_guard_remove(nic);
    engine_close_all(nic);
    pktio_tap_close(nic->tap);
    free_nic(nic);
    return 0;
}
