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

/* A link that is missing leaves a way if there is another plane; what breaks again and again must
 * be whole nearly all the time. */
bool trial_must_finish(const struct study_trial *trial)
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

static void judge(const struct study_trial *trial, struct sim *sim, struct trial_outcome *outcome)
{
    struct sim_totals totals;

    sim_totals(sim, &totals);
    outcome->hash = sim_hash(sim);
    outcome->packet_hops = totals.packet_hops;
    outcome->ended_ps = sim_now_ps(sim);
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
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
    struct study_trial *trial, enum sim_engine engine, bool wire, struct trial_outcome *outcome)
{
    struct sim_config config;
    struct study_room room;
    struct arena arena;
    struct sim *sim;
    void *memory;

    memset(outcome, 0, sizeof(*outcome));
    outcome->verdict = TRIAL_CRASHED;
    if (!study_config(trial, &room, &config, outcome->reason))
        return;
    config.checks = true;
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

static void live(struct study_trial *trial, enum trial_depth depth, struct trial_outcome *outcome)
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

static _Noreturn void be_the_child(const struct study_trial *trial, enum trial_depth depth,
    struct trial_outcome *shared, int words)
{
    struct study_trial own = *trial;

    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    dup2(words, STDERR_FILENO);
    alarm(GUARD_SECONDS);
    live(&own, depth, shared);
    _exit(0);
}

void trial_run(
    const struct study_trial *trial, enum trial_depth depth, struct trial_outcome *outcome)
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

/* ---- telling --------------------------------------------------------------------------------- */

struct wanted {
    enum trial_depth depth;
    enum trial_verdict verdict;
};

static bool still_fails(void *context, struct study_trial *trial)
{
    const struct wanted *wanted = context;
    struct trial_outcome outcome;

    trial_run(trial, wanted->depth, &outcome);
    return outcome.verdict == wanted->verdict;
}

uint32_t trial_shrink(struct study_trial *trial, enum trial_depth depth, enum trial_verdict verdict)
{
    enum { RUNS_MAX = 400 };
    struct wanted wanted = { depth, verdict };

    return study_shrink(trial, still_fails, &wanted, RUNS_MAX);
}

void trial_print(const struct study_trial *trial, const struct trial_outcome *outcome)
{
    static const char *const verdicts[TRIAL_VERDICT_COUNT] = { "good", "stuck", "violated",
        "out of memory", "crashed", "disagrees" };
    FILE *file = tmpfile();
    char line[512];

    printf("# %s: %s\n", verdicts[outcome->verdict], outcome->reason);
    if (!file)
        return;
    study_write(trial, file);
    rewind(file);
    while (fgets(line, sizeof(line), file))
        printf("#   %s", line);
    fclose(file);
}
