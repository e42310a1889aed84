/* SPDX-License-Identifier: Apache-2.0 */
/* A trial in a process of its own: an assert that fails there is a verdict like any other. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trial.h"

#define GUARD_SECONDS 120 /* for a run that takes milliseconds: it hangs */
#define WHOLE_MOSTLY  50

bool trial_config(struct trial *trial, struct trial_room *room, struct sim_config *config,
    char reason[static 256])
{
    struct fabric_problem wrong = { .member = "" };
    struct sim_problem problem = { .section = "", .member = "" };
    struct fabric_config wiring = trial->wiring;

    memcpy(room->exceptions, trial->exceptions, sizeof(room->exceptions));
    wiring.exceptions = room->exceptions;
    wiring.exception_count = trial->exception_count;
    if (!fabric_init(&room->fabric, &wiring, room->sorted, &wrong)) {
        snprintf(reason, 256, "%s: %s", wrong.member, wrong.reason);
        return false;
    }
    for (uint32_t i = 0; i < trial->workload_count; i++)
        trial->workloads[i].nics = trial->nics[i];
    for (uint32_t i = 0; i < trial->fault_count; i++)
        trial->faults[i].where = trial->where[i];
    *config = (struct sim_config){ .fabric = &room->fabric,
        .seed = trial->seed,
        .workloads = trial->workloads,
        .workload_count = trial->workload_count,
        .faults = trial->faults,
        .fault_count = trial->fault_count,
        .generators = trial->generators,
        .generator_count = trial->generator_count,
        .duration_ps = trial->duration_ps,
        .checks = true };
    parameters_init(&config->parameters);
    for (uint32_t i = 0; i < trial->parameter_count; i++)
        parameters_set(&config->parameters, trial->parameters[i].name, trial->parameters[i].value);
    if (sim_config_check(config, &problem))
        return true;
    snprintf(reason, 256, "%s %u %s: %s", problem.section, problem.index, problem.member,
        problem.reason);
    return false;
}

/* A link that is missing leaves a way if there is another plane; what breaks again and again must
 * be whole nearly all the time. */
bool trial_must_finish(const struct trial *trial)
{
    uint32_t missing = 0;

    for (uint32_t i = 0; i < trial->exception_count; i++)
        missing += trial->exceptions[i].missing;
    for (uint32_t i = 0; i < trial->fault_count; i++)
        if (trial->faults[i].until_ps == SIM_NEVER_PS)
            return false;
    for (uint32_t i = 0; i < trial->generator_count; i++)
        if (trial->generators[i].mean_between_ps < WHOLE_MOSTLY * trial->generators[i].duration_ps)
            return false;
    return missing < trial->wiring.plane_count;
}

/* ---- in the child
 * --------------------------------------------------------------------------------- */

static void judge(const struct trial *trial, struct sim *sim, struct trial_outcome *outcome)
{
    struct sim_totals totals;

    sim_totals(sim, &totals);
    outcome->hash = sim_hash(sim);
    outcome->packet_hops = totals.packet_hops;
    outcome->ended_ps = sim_now_ps(sim);
    for (uint32_t i = 0; i < SIM_LOSS_COUNT; i++)
        outcome->lost += totals.packets_lost[i];
    outcome->verdict = TRIAL_GOOD;
    if (outcome->status == SIM_VIOLATED) {
        outcome->verdict = TRIAL_VIOLATED;
        snprintf(outcome->reason, sizeof(outcome->reason), "%s", sim_violation(sim));
    } else if (outcome->status == SIM_OUT_OF_MEMORY) {
        outcome->verdict = TRIAL_OUT_OF_MEMORY;
        snprintf(outcome->reason, sizeof(outcome->reason), "the pools were too small");
    } else if (outcome->status == SIM_OUT_OF_TIME && trial_must_finish(trial)) {
        outcome->verdict = TRIAL_STUCK;
        snprintf(outcome->reason, sizeof(outcome->reason), "the work was not done");
    }
}

static void simulate(
    struct trial *trial, enum sim_engine engine, bool wire, struct trial_outcome *outcome)
{
    struct sim_config config;
    struct trial_room room;
    struct arena arena;
    struct sim *sim;
    void *memory;

    memset(outcome, 0, sizeof(*outcome));
    outcome->verdict = TRIAL_CRASHED;
    if (!trial_config(trial, &room, &config, outcome->reason))
        return;
    config.engine = engine;
    config.wire = wire;
    arena_init(&arena, NULL, 0);
    sim_init(&arena, &config);
    memory = aligned_alloc(4096, (arena.used_bytes + 4095) / 4096 * 4096);
    arena_init(&arena, memory, arena.used_bytes);
    sim = sim_init(&arena, &config);
    do
        outcome->status = sim_run(sim, trial->duration_ps);
    while (outcome->status == SIM_RUNNING && sim_now_ps(sim) < trial->duration_ps);
    judge(trial, sim, outcome);
    free(memory);
}

static void compare(
    struct trial_outcome *outcome, const struct trial_outcome *other, const char *difference)
{
    if (outcome->verdict != TRIAL_GOOD)
        return;
    if (other->verdict != TRIAL_GOOD) {
        *outcome = *other;
    } else if (other->hash != outcome->hash || other->packet_hops != outcome->packet_hops) {
        outcome->verdict = TRIAL_DISAGREES;
        snprintf(outcome->reason, sizeof(outcome->reason), "%s makes a difference", difference);
    }
}

static void live(struct trial *trial, enum trial_depth depth, struct trial_outcome *outcome)
{
    struct trial_outcome other;
    struct trial_outcome plain;

    simulate(trial, SIM_WINDOWS, false, &plain);
    if (depth >= TRIAL_BOTH_ENGINES && plain.verdict == TRIAL_GOOD) {
        simulate(trial, SIM_HEAP, false, &other);
        compare(&plain, &other, "the engine");
    }
    if (depth >= TRIAL_ALL_WAYS && plain.verdict == TRIAL_GOOD) {
        simulate(trial, SIM_WINDOWS, true, &other);
        compare(&plain, &other, "going through bytes");
    }
    *outcome = plain;
}

/* ---- outside
 * -------------------------------------------------------------------------------------- */

/* The first line with words in it: what a process says as it dies. */
static void read_last_words(int pipe_end, char out[static 256])
{
    FILE *words = fdopen(pipe_end, "r");
    char line[256];

    out[0] = '\0';
    while (words && fgets(line, sizeof(line), words))
        if (out[0] == '\0' && strpbrk(line, "abcdefghijklmnopqrstuvwxyz"))
            snprintf(out, 256, "%.*s", (int)strcspn(line, "\n"), line);
    if (words)
        fclose(words);
}

static _Noreturn void be_the_child(
    const struct trial *trial, enum trial_depth depth, struct trial_outcome *shared, int words)
{
    struct trial own = *trial;

    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    dup2(words, STDERR_FILENO);
    alarm(GUARD_SECONDS);
    live(&own, depth, shared);
    _exit(0);
}

void trial_run(const struct trial *trial, enum trial_depth depth, struct trial_outcome *outcome)
{
    struct trial_outcome *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char last_words[256] = "";
    int words[2];
    int status = 0;
    pid_t child;

    *outcome = (struct trial_outcome){ .verdict = TRIAL_CRASHED };
    if (shared == MAP_FAILED || pipe(words) != 0)
        return;
    shared->verdict = TRIAL_CRASHED;
    fflush(NULL);
    child = fork();
    if (child == 0)
        be_the_child(trial, depth, shared, words[1]);
    close(words[1]);
    read_last_words(words[0], last_words);
    waitpid(child, &status, 0);
    *outcome = *shared;
    if (outcome->verdict == TRIAL_CRASHED && outcome->reason[0] == '\0')
        snprintf(outcome->reason, sizeof(outcome->reason), "signal %d. %.200s",
            WIFSIGNALED(status) ? WTERMSIG(status) : 0, last_words);
    munmap(shared, sizeof(*shared));
}
