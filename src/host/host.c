/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing NICs. */
#include "host/host.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "host/engine.h"
#include "host/ev_profile.h"

enum {
    DEFAULT_QPS = 1024,
    DEFAULT_REGIONS = 4096,
    DEFAULT_SPIN_US = 20,
    QPS_MAX = 1 << 20,
    HEADERS_MAX = FRAME_HEADER_BYTES_MAX + FRAME_ICRC_BYTES,
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

/* ---- memory that peers write into -------------------------------------------------------------
 */

int host_memory_register(struct host_nic *nic, const struct host_region *region, uint32_t *key)
{
    uint32_t random = host_random();
    int err = engine_own(nic);

    if (err)
        return err;
    err = memory_table_add(&nic->memory, region, random, key);
    engine_release(nic);
    return err;
}

int host_memory_deregister(struct host_nic *nic, uint32_t key)
{
    int err = engine_own(nic);

    if (err)
        return err;
    err = memory_table_remove(&nic->memory, key);
    engine_release(nic);
    return err;
}

/* ---- opening ----------------------------------------------------------------------------------
 */

static int open_transport(struct host_nic *nic)
{
    struct transport_config config = { .address = nic->config.address,
        .port_count = nic->config.port_count,
        .qp_count_max = nic->config.qp_count_max,
        .seed = nic->config.seed,
        .nak_write_imm_limit = nic->config.format.nak_write_imm_limit,
        .memory = { .place = engine_keep, .context = nic },
        .trace = &nic->trace,
        .parameters = nic->config.parameters };
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    transport_init(&arena, &config);
    bytes = (arena.used_bytes + 63) / 64 * 64;
    nic->transport_memory = aligned_alloc(64, bytes);
    if (!nic->transport_memory)
        return -ENOMEM;
    arena_init(&arena, nic->transport_memory, bytes);
    nic->transport = transport_init(&arena, &config);
    return 0;
}

static int open_port(struct host_nic *nic, uint32_t index)
{
    const struct host_port_config *config = &nic->config.ports[index];

    if (config->port) {
        nic->ports[index] = config->port;
        return 0;
    }
    return config->address
               ? pktio_open(config->address, nic->config.name, index, &nic->ports[index])
               : -EINVAL;
}

static void close_ports(struct host_nic *nic)
{
    for (uint32_t i = 0; i < nic->config.port_count; i++)
        if (nic->ports[i])
            pktio_port_close(nic->ports[i]);
    pktio_tap_close(nic->tap);
}

static int open_ports(struct host_nic *nic)
{
    const char *capture = nic->config.capture_path ? nic->config.capture_path : getenv("MRC_PCAP");
    int err = 0;

    if (capture && *capture)
        err = pktio_tap_open(capture, nic->config.name, &nic->tap);
    for (uint32_t i = 0; !err && i < nic->config.port_count; i++) {
        err = open_port(nic, i);
        if (!err && nic->tap)
            err = pktio_tap_attach(nic->tap, nic->ports[i], i);
    }
    if (err)
        close_ports(nic);
    return err;
}

static void find_pmtu(struct host_nic *nic)
{
    nic->pmtu_max = 4096;
    for (uint32_t i = 0; i < nic->config.port_count; i++)
        while (nic->pmtu_max > 256 && nic->pmtu_max + HEADERS_MAX > nic->ports[i]->mtu_bytes)
            nic->pmtu_max /= 2;
    if (nic->config.parameters.pmtu > nic->pmtu_max)
        nic->config.parameters.pmtu = nic->pmtu_max;
}

static int make_tables(struct host_nic *nic)
{
    uint32_t words = (nic->config.qp_count_max + 63) / 64;
    int err = memory_table_init(&nic->memory, nic->config.region_count_max);

    if (err)
        return err;
    err = qp_table_init(&nic->qps, nic->config.qp_count_max);
    nic->posted_words = calloc(words, sizeof(*nic->posted_words));
    return err ? err : nic->posted_words ? 0 : -ENOMEM;
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
    free(nic->posted_words);
    memory_table_fini(&nic->memory);
    qp_table_fini(&nic->qps);
    free(nic->transport_memory);
    if (nic->async.fd >= 0)
        close(nic->async.fd);
    if (nic->wake_fd >= 0)
        close(nic->wake_fd);
    free(nic);
}

static struct host_nic *make_nic(const struct host_config *config)
{
    struct host_nic *nic = aligned_alloc(64, (sizeof(*nic) + 63) / 64 * 64);

    if (!nic)
        return NULL;
    memset(nic, 0, sizeof(*nic));
    nic->config = *config;
    while (nic->config.seed == 0)
        nic->config.seed = (uint64_t)host_random() << 32 | host_random();
    nic->prng = prng_stream(nic->config.seed, UINT64_C(1) << 40);
    nic->up_mask = nic->usable_mask = nic->admin_mask = (UINT32_C(1) << config->port_count) - 1;
    ring_init(&nic->async.ring, ENGINE_ASYNC);
    nic->async.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    nic->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&nic->watch_lock, NULL);
    nic->watch_fd = -1;
    nic->trace = (struct trace_sink){ .on_event = status_on_trace, .context = nic };
    return nic;
}

static bool config_is_valid(const struct host_config *config)
{
    return config->port_count >= 1 && config->port_count <= HOST_PORT_COUNT_MAX &&
           config->qp_count_max >= 1 && config->qp_count_max <= QPS_MAX &&
           config->region_count_max >= 1;
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
    err = nic->async.fd < 0 || nic->wake_fd < 0 ? -EMFILE : make_tables(nic);
    if (err)
        goto free_nic;
    err = open_ports(nic);
    if (err)
        goto free_nic;
    find_pmtu(nic);
    err = open_transport(nic);
    if (!err)
        err = make_profiles(nic);
    if (err)
        goto close_ports;
    engine_update_links(nic, host_now_ns());
    if (!config->without_progress)
        status_open(nic);
    fork_guard_add(nic);
    err = config->without_progress ? 0 : progress_start(nic);
    if (err)
        goto forget;
    *out = nic;
    return 0;

forget:
    fork_guard_remove(nic);
close_ports:
    close_ports(nic);
free_nic:
    free_nic(nic);
    return err;
}

int host_close(struct host_nic *nic)
{
    if (engine_own(nic) == 0) {
        bool is_used = nic->qps.count || nic->queue_count || nic->channel_count ||
                       nic->profile_count || nic->memory.entry_count;

        engine_release(nic);
        if (is_used)
            return -EBUSY;
        progress_stop(nic);
    }
    fork_guard_remove(nic);
    close_ports(nic);
    free_nic(nic);
    return 0;
}
