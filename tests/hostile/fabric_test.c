/* SPDX-License-Identifier: Apache-2.0 */
/* NICs at the ports of a malicious fabric: their process lives, is never held up, its memory stays
 * as it is, and other NICs in it move every byte. HOSTILE_ACTIONS of them (make soak: 10,000,000),
 * HOSTILE_RATE a second at most. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "endpoint.h"
#include "fabric.h"
#include "patience.h"
#include "plan/plan.h"
#include "spec.h"

enum {
    VICTIMS = 2,
    PLANES = 2,
    BYSTANDER_BYTES = 1 << 20,
    WRITE_BYTES = 50000,
    REGION = 1 << 16,
    WAIT_MS = 100,
    ROUND_MS = 300, /* that a victim uses its NIC before it opens it anew */
};

struct world {
    char path[64];
    pid_t attacker;
    _Atomic bool *goes_on; /* shared with the attacker */
    _Atomic bool stops;
    /* Bystanders. */
    struct endpoint_pair pair;
    pthread_t bystander;
    _Atomic uint64_t written;
    uint64_t wrong;
    uint64_t failed;
    uint64_t longest_gap_ns;
    /* Victims. */
    pthread_t victims[VICTIMS];
    _Atomic uint64_t opened;
    _Atomic uint64_t refused;
    _Atomic uint64_t posted;
    _Atomic uint64_t trespassed;
    _Atomic uint64_t longest_call_ns;
};

static uint64_t option(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- bystanders ------------------------------------------------------------------------------ */

static void check_write(struct world *world, uint64_t offset)
{
    const struct endpoint_pair *pair = &world->pair;

    if (memcmp(pair->ends[0].memory + offset, pair->ends[1].memory + offset, WRITE_BYTES) != 0)
        world->wrong++;
    world->written++;
}

static bool await(struct world *world, struct host_completion *completion)
{
    while (!world->stops)
        if (host_cq_poll(world->pair.ends[0].cq, completion, 1) == 1)
            return true;
    return false;
}

static void *stand_by(void *context)
{
    struct world *world = context;
    struct host_completion completion;
    uint64_t before_ns = host_now_ns();

    for (uint64_t i = 0; !world->stops; i++) {
        uint64_t offset = i * 4096 % (BYSTANDER_BYTES - WRITE_BYTES);

        endpoint_fill(world->pair.ends[0].memory + offset, 4096, i + 1);
        if (endpoint_write(&world->pair.ends[0], world->pair.qps[0], &world->pair.addresses[1],
                offset, WRITE_BYTES) != 0 ||
            !await(world, &completion))
            break;
        world->failed += completion.status != COMPLETION_SUCCESS;
        check_write(world, offset);
        if (host_now_ns() - before_ns > world->longest_gap_ns)
            world->longest_gap_ns = host_now_ns() - before_ns;
        before_ns = host_now_ns();
    }
    return NULL;
}

/* ---- victims --------------------------------------------------------------------------------- */

struct victim {
    struct endpoint endpoint;
    struct plan_nic plan;
    struct host_qp *qp;
};

static bool open_victim(struct world *world, struct victim *victim, uint32_t number)
{
    struct host_config config;
    char name[16];

    endpoint_config(&config, (uint8_t)(number + 1));
    victim->plan = (struct plan_nic){ .block = 0xfc000042, .self = config.address };
    config.port_count = PLANES;
    config.uplink_count = 2;
    config.route = host_route_by_plan;
    config.route_context = &victim->plan;
    snprintf(name, sizeof(name), "mrc%u", number);
    snprintf(config.name, sizeof(config.name), "%s", name);
    for (uint32_t plane = 0; plane < PLANES; plane++) {
        struct shm_port_config port = {
            .path = world->path, .name = name, .port = plane, .wait_ms = WAIT_MS
        };

        if (shm_port_connect(&port, &config.ports[plane].port) != 0) {
            for (uint32_t i = 0; i < plane; i++)
                pktio_port_close(config.ports[i].port);
            world->refused++;
            return false;
        }
    }
    world->opened++;
    endpoint_open(&victim->endpoint, &config, REGION);
    victim->qp = endpoint_qp(&victim->endpoint);
    return true;
}

static void note_call(struct world *world, uint64_t start_ns)
{
    uint64_t took_ns = host_now_ns() - start_ns;

    if (took_ns > world->longest_call_ns)
        world->longest_call_ns = took_ns;
}

/* Writes to a NIC that is not there, and polls. */
static void use(struct world *world, struct victim *victim, uint32_t number)
{
    struct endpoint_address peer = {
        .address = endpoint_ip((uint8_t)(1 + (number + 1) % 4)), .qpn = 0x1234, .va = 0, .key = 5
    };
    uint64_t until_ns = host_now_ns() + ROUND_MS * UINT64_C(1000000);
    struct host_completion completion;

    endpoint_connect(victim->qp, &peer, 0);
    while (host_now_ns() < until_ns && !world->stops) {
        uint64_t start_ns = host_now_ns();

        world->posted += endpoint_write(&victim->endpoint, victim->qp, &peer, 0, 20000) == 0;
        host_cq_poll(victim->endpoint.cq, &completion, 1);
        note_call(world, start_ns);
        usleep(200);
    }
}

static void close_victim(struct world *world, struct victim *victim)
{
    uint64_t start_ns = host_now_ns();

    for (uint32_t i = 0; i < REGION; i++)
        world->trespassed += victim->endpoint.memory[i] != 0xa5;
    host_qp_destroy(victim->qp);
    endpoint_close(&victim->endpoint);
    note_call(world, start_ns);
}

static void *suffer(void *context)
{
    struct world *world = context;
    static _Atomic uint32_t numbers;
    uint32_t number = numbers++ % 4;
    struct victim victim;

    while (!world->stops) {
        if (!open_victim(world, &victim, number))
            continue;
        memset(victim.endpoint.memory, 0xa5, REGION);
        use(world, &victim, number);
        close_victim(world, &victim);
    }
    return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void start_attacker(struct world *world, uint64_t seed)
{
    struct attacker_options options = { .seed = seed,
        .action_count = option("HOSTILE_ACTIONS", 30000),
        .per_second = option("HOSTILE_RATE", 20000) };

    world->goes_on = mmap(
        NULL, sizeof(*world->goes_on), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT(world->goes_on != MAP_FAILED);
    *world->goes_on = true;
    options.goes_on = world->goes_on;
    snprintf(world->path, sizeof(world->path), "/tmp/mrc-hostile-%d", (int)getpid());
    hostile_fabric_listen(world->path);
    fflush(stdout);
    world->attacker = fork();
    if (world->attacker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        hostile_fabric_run(&options);
    }
}

/* All actions, and more until they have met traffic. */
static int end_attacker(struct world *world)
{
    int64_t end_s = patience_end_s();
    int status = 0;

    while ((world->opened == 0 || world->written == 0) && patience_lasts(end_s))
        usleep(1000);
    *world->goes_on = false;
    EXPECT_EQ(waitpid(world->attacker, &status, 0), world->attacker);
    munmap(world->goes_on, sizeof(*world->goes_on));
    return status;
}

PROPERTY("a malicious fabric neither crashes nor blocks a process, nor harms its other NICs", 1)
{
    static struct world world;
    int status;

    world = (struct world){ 0 };
    start_attacker(&world, seed + option("HOSTILE_SEED", 0));
    endpoint_pair_open(&world.pair, PLANES, &(struct pair_port_config){ 0 }, BYSTANDER_BYTES);
    endpoint_pair_connect(&world.pair, 0);
    EXPECT_EQ(pthread_create(&world.bystander, NULL, stand_by, &world), 0);
    for (uint32_t i = 0; i < VICTIMS; i++)
        EXPECT_EQ(pthread_create(&world.victims[i], NULL, suffer, &world), 0);
    status = end_attacker(&world);
    world.stops = true;
    pthread_join(world.bystander, NULL);
    for (uint32_t i = 0; i < VICTIMS; i++)
        pthread_join(world.victims[i], NULL);
    endpoint_pair_close(&world.pair);
    unlink(world.path);
    printf(
        "# attached %llu times, refused %llu; %llu writes posted; bystander %llu writes, longest "
        "pause %.1f ms; longest call %.1f ms\n",
        (unsigned long long)world.opened, (unsigned long long)world.refused,
        (unsigned long long)world.posted, (unsigned long long)world.written,
        (double)world.longest_gap_ns / 1e6, (double)world.longest_call_ns / 1e6);
    EXPECT_EQ(status, 0);
    EXPECT_GT(world.opened, 0);
    EXPECT_GT(world.written, 0);
    EXPECT_EQ(world.wrong, 0);
    EXPECT_EQ(world.failed, 0);
    EXPECT_EQ(world.trespassed, 0);
}
