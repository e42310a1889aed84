/* SPDX-License-Identifier: Apache-2.0 */
/* The time to compute the max-min capacity of a permutation, without and with faults. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/prng.h"
#include "capacity/capacity.h"

enum {
    FAULTS_MAX = 3,
    SCENES = 8, /* with different faults */
    TAKES = 3,  /* runs of each; the fastest counts */
};

struct size {
    const char *name;
    uint32_t t0_count;
    uint32_t t1_count;
    uint32_t hosts_per_t0;
    uint32_t fault_count;
};

struct scene {
    struct plan fabric;
    struct fault faults[FAULTS_MAX];
    struct topology_element where[FAULTS_MAX];
    const struct fault *in_force[FAULTS_MAX];
    struct capacity_demand *demands;
};

static double cpu_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* the machine may be busy */
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void break_link(struct scene *scene, uint32_t index, struct prng *prng)
{
    const struct topology_config *config = &scene->fabric.topology.config;

    scene->where[index] = (struct topology_element){ .kind = TOPOLOGY_UPLINK,
        .plane = prng_below(prng, config->plane_count),
        .t0 = prng_below(prng, config->t0_count),
        .t1 = prng_below(prng, config->t1_count) };
    scene->faults[index] = (struct fault){ .kind = prng_below(prng, 2) ? FAULT_DOWN : FAULT_SLOW,
        .rate_bps = UINT64_C(30000000000),
        .where = &scene->where[index],
        .where_count = 1 };
    scene->in_force[index] = &scene->faults[index];
}

/* Every NIC writes to one other NIC, in a random cycle. */
static void set_up(struct scene *scene, const struct size *size, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 1);
    struct topology_problem problem;
    struct topology_config config;
    uint32_t count;

    topology_config_init(&config);
    config.t0_count = size->t0_count;
    config.t1_count = size->t1_count;
    config.hosts_per_t0 = size->hosts_per_t0;
    if (!plan_init(&scene->fabric, &config, NULL, &problem))
        exit(1);
    for (uint32_t i = 0; i < size->fault_count; i++)
        break_link(scene, i, &prng);
    count = scene->fabric.topology.nic_count;
    scene->demands = calloc(count, sizeof(*scene->demands));
    for (uint32_t i = 0; scene->demands && i < count; i++)
        scene->demands[i] =
            (struct capacity_demand){ .from_nic = i, .to_nic = i, .payload_share = 0.97 };
    for (uint32_t i = count - 1; scene->demands && i > 0; i--) { /* Sattolo: one cycle */
        uint32_t other = prng_below(&prng, i);
        uint32_t kept = scene->demands[i].to_nic;

        scene->demands[i].to_nic = scene->demands[other].to_nic;
        scene->demands[other].to_nic = kept;
    }
}

static double solve_us(
    const struct scene *scene, const struct size *size, struct capacity_rates *rates)
{
    double began_us = cpu_us();
    struct capacity_fabric network;

    if (capacity_fabric_init(&network, &scene->fabric, scene->in_force, size->fault_count,
            scene->demands, scene->fabric.topology.nic_count) != 0 ||
        capacity_fabric_solve(&network, &scene->fabric.topology, rates) != 0)
        exit(1);
    capacity_fabric_fini(&network);
    return cpu_us() - began_us;
}

static void measure(const struct size *size)
{
    enum capacity_method method = CAPACITY_WATER_FILLING;
    double error = 0;
    double sum_us = 0;

    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        struct capacity_rates rates;
        struct scene scene;
        double best_us = 1e12;

        set_up(&scene, size, seed);
        for (uint32_t take = 0; take < TAKES; take++) {
            double took_us = solve_us(&scene, size, &rates);

            best_us = took_us < best_us ? took_us : best_us;
            method = rates.method;
            error = rates.error > error ? rates.error : error;
            capacity_rates_fini(&rates);
        }
        sum_us += best_us;
        free(scene.demands);
    }
    printf("{\"bench\": \"capacity\", \"metric\": \"%s, %s\", \"value\": %.1f, \"unit\": \"us\"}\n",
        size->name, capacity_method_word(method), sum_us / SCENES);
    if (error > 0)
        printf("{\"bench\": \"capacity\", \"metric\": \"%s, largest error\", \"value\": %.4f, "
               "\"unit\": \"%%\"}\n",
            size->name, error * 100);
}

int main(void)
{
    static const struct size sizes[] = {
        { "16 NICs, 3 faults", 4, 4, 4, 3 },
        { "64 NICs, healthy", 8, 8, 8, 0 },
        { "64 NICs, 3 faults", 8, 8, 8, 3 },
        { "1,024 NICs, healthy", 32, 32, 32, 0 },
        { "1,024 NICs, 3 faults", 32, 32, 32, 3 },
        { "8,192 NICs, healthy", 128, 64, 64, 0 },
        { "8,192 NICs, 3 faults", 128, 64, 64, 3 },
    };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        measure(&sizes[i]);
    return 0;
}
