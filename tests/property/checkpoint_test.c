/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that are put off in a checkpoint and continued: the result is that of a run without
 * interruption, and nothing of the process that wrote the checkpoint is used again. */
#include "spec.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/study.h"
#include "trial.h"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif
#ifdef __SANITIZE_THREAD__
#define HAS_OWN_ADDRESSES true
#else
#define HAS_OWN_ADDRESSES false
#endif
/* AddressSanitizer has its heap at round addresses, which numbers have as well. It finds pointers
 * to old inputs by itself. */
#ifdef __SANITIZE_ADDRESS__
#define CAN_SPOIL false
#else
#define CAN_SPOIL true
#endif

#define PATH_BYTES 64
#define US(count)  ((count)*UINT64_C(1000000))

static volatile sig_atomic_t is_interrupted;
static char complaint[512];

static void take_complaint(const char *problem)
{
    snprintf(complaint, sizeof(complaint), "%s", problem);
}

/* Valgrind and ThreadSanitizer place programs and their memory where an image cannot be. */
static void require_addresses(void)
{
    if (HAS_OWN_ADDRESSES || RUNNING_ON_VALGRIND)
        SKIP("addresses are not those of an ordinary process");
}

/* ---- files ----------------------------------------------------------------------------------- */

struct files {
    char experiment[PATH_BYTES];
    char checkpoint[PATH_BYTES];
};

static void name_file(char *path, const char *name)
{
    int file;

    snprintf(path, PATH_BYTES, "/tmp/checkpoint_test.%s.XXXXXX", name);
    file = mkstemp(path);
    EXPECT(file >= 0);
    close(file);
}

static struct files open_files(FILE **experiment)
{
    struct files files;

    require_addresses();
    name_file(files.experiment, "experiment");
    name_file(files.checkpoint, "checkpoint");
    *experiment = fopen(files.experiment, "w");
    return files;
}

static struct files write_trial(uint64_t seed)
{
    struct study_trial trial;
    FILE *out;
    struct files files = open_files(&out);

    trial_draw(&trial, seed);
    study_write(&trial, out);
    fclose(out);
    return files;
}

static struct files write_text(const char *text)
{
    FILE *out;
    struct files files = open_files(&out);

    fputs(text, out);
    fclose(out);
    return files;
}

static void remove_files(const struct files *files)
{
    unlink(files->experiment);
    unlink(files->checkpoint);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void interrupt_at(void *context, const struct sim *sim)
{
    const uint64_t *at_ps = context;

    is_interrupted = sim_now_ps(sim) >= *at_ps;
}

static struct study_manner manner_of(uint64_t seed)
{
    is_interrupted = 0;
    complaint[0] = '\0';
    return (struct study_manner){ .jobs = 1,
        .threads = seed % 3 == 0 ? 2 : 1,
        .uses_heap = seed % 7 == 1,
        .wire = seed % 11 == 2,
        .checks = seed % 5 == 3,
        .is_interrupted = &is_interrupted,
        .complain = take_complaint };
}

static struct study_plan *read_plan(const struct files *files)
{
    struct study_plan *plan = calloc(1, sizeof(*plan));

    EXPECT(study_plan_read(plan, files->experiment, &(struct study_changes){ 0 }));
    return plan;
}

/* Reads the inputs again before it releases the old ones, so that they are elsewhere. */
static struct study_plan *read_elsewhere(const struct files *files, struct study_plan *old)
{
    struct study_plan *plan = read_plan(files);

    study_plan_fini(old);
    free(old);
    return plan;
}

static void release_plan(struct study_plan *plan)
{
    study_plan_fini(plan);
    free(plan);
}

/* Runs from the checkpoint, or from the beginning, to the end or to a time at which a checkpoint is
 * written. */
static json_t *run_part(const struct files *files, struct study_plan *plan,
    struct study_manner manner, bool continues, uint64_t until_ps)
{
    struct checkpoint_found found = { 0 };
    struct study_checkpoint checkpoint = {
        .path = files->checkpoint, .words = "words", .found = &found
    };
    char reason[CHECKPOINT_REASON_BYTES] = "";
    struct checkpoint_file file;
    json_t *run;

    manner.checkpoint = &checkpoint;
    manner.watch = (struct study_watch){ .on_step = interrupt_at, .context = &until_ps };
    is_interrupted = 0;
    if (continues) {
        EXPECT(checkpoint_file_open(&file, files->checkpoint, reason));
        EXPECT_STR_EQ(file.words, "words");
        file.spoils_unexplained = CAN_SPOIL;
        checkpoint.from = &file;
        EXPECT(study_checkpoint_fits(&file, plan->runs[0], &manner, reason));
    }
    EXPECT_STR_EQ(reason, "");
    run = study_run(plan->runs[0], &manner);
    if (continues)
        checkpoint_file_close(&file);
    EXPECT(!continues || found.kept > 0);
    return run;
}

static json_t *run_whole(struct study_plan *plan, struct study_manner manner)
{
    json_t *run = study_run(plan->runs[0], &manner);

    json_object_del(run, "perf");
    return run;
}

static uint64_t simulated_ps(const json_t *run)
{
    return (uint64_t)(json_number_value(json_object_get(run, "simulated_us")) * 1e6);
}

/* Runs in three parts, or fewer if the run ends before. */
static json_t *run_in_parts(const struct files *files, struct study_plan **plan,
    const struct study_manner *manner, uint64_t first_ps, uint64_t second_ps)
{
    json_t *run = run_part(files, *plan, *manner, false, first_ps);

    if (!run) {
        *plan = read_elsewhere(files, *plan);
        run = run_part(files, *plan, *manner, true, second_ps);
    }
    if (!run) {
        EXPECT(strstr(complaint, "interrupted at"));
        *plan = read_elsewhere(files, *plan);
        run = run_part(files, *plan, *manner, true, SIM_NEVER_PS);
    }
    json_object_del(run, "perf");
    return run;
}

static void expect_same(struct files files, uint64_t seed)
{
    struct study_plan *plan = read_plan(&files);
    struct study_manner manner = manner_of(seed);
    struct prng prng = prng_stream(seed, 99);
    json_t *whole;
    json_t *parts;
    uint64_t end_ps;
    uint64_t first_ps;

    mallopt(M_PERTURB, 0x5a); /* what is freed has other contents */
    whole = run_whole(plan, manner);
    end_ps = simulated_ps(whole);
    first_ps = prng_next(&prng) % (end_ps + 1);
    parts = run_in_parts(
        &files, &plan, &manner, first_ps, first_ps + prng_next(&prng) % (end_ps - first_ps + 1));
    EXPECT(json_equal(whole, parts));
    json_decref(whole);
    json_decref(parts);
    release_plan(plan);
    remove_files(&files);
}

PROPERTY("a run that is put off and continued has the result of one that is not", 90)
{
    expect_same(write_trial(seed), seed);
}

/* A graph has lists of paths; the rest is what random trials do not have. */
PROPERTY("a run over a graph with every measurement can be continued", 12)
{
    expect_same(write_text("fabric: { shape: zcube, n: 3, k: 2 }\n"
                           "duration: 60us\n"
                           "sample: 4us\n"
                           "reordering: true\n"
                           "occupancy: true\n"
                           "qp_series: 3\n"
                           "observe: { workload: pairs, rank: 0 }\n"
                           "workloads:\n"
                           "  - { name: pairs, kind: permutation, message_bytes: 128KiB }\n"
                           "  - { name: sum, kind: all_reduce, message_bytes: 256KiB }\n"
                           "phases: [ { name: middle, from: 20us, until: 40us } ]\n"
                           "generators: [ { component: link, kind: down, mean_between: 300us, "
                           "for: 10us } ]\n"),
        seed);
}

/* ---- refusals -------------------------------------------------------------------------------- */

#define SMALL                                                                                      \
    "fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2 }\n"                                     \
    "duration: 40us\n"                                                                             \
    "workloads: [ { kind: permutation, message_bytes: 64KiB } ]\n"

/* Writes a checkpoint in the middle of a small run. */
static struct files write_checkpoint(struct study_plan **plan)
{
    struct files files = write_text(SMALL);

    *plan = read_plan(&files);
    EXPECT(!run_part(&files, *plan, manner_of(0), false, US(20)));
    return files;
}

/* Returns why the checkpoint is not continued; "" if it is. */
static const char *refusal(const struct files *files, struct study_plan *plan)
{
    struct study_manner manner = manner_of(0);
    static char reason[CHECKPOINT_REASON_BYTES];
    struct checkpoint_file file;
    struct study_checkpoint checkpoint = { .path = files->checkpoint, .words = "", .from = &file };
    json_t *run;

    reason[0] = '\0';
    manner.checkpoint = &checkpoint;
    if (!checkpoint_file_open(&file, files->checkpoint, reason))
        return reason;
    if (study_checkpoint_fits(&file, plan->runs[0], &manner, reason)) {
        run = study_run(plan->runs[0], &manner);
        EXPECT_EQ(run == NULL, complaint[0] != '\0');
        snprintf(reason, sizeof(reason), "%s", complaint);
        json_decref(run);
    }
    checkpoint_file_close(&file);
    return reason;
}

static void flip_bit(const char *path, uint64_t bit)
{
    FILE *file = fopen(path, "r+");
    int old;

    EXPECT_EQ(fseeko(file, (off_t)(bit / 8), SEEK_SET), 0);
    old = fgetc(file);
    EXPECT_EQ(fseeko(file, (off_t)(bit / 8), SEEK_SET), 0);
    fputc(old ^ 1 << bit % 8, file);
    EXPECT_EQ(fclose(file), 0);
}

static uint64_t size_of(const char *path)
{
    struct stat found;

    EXPECT_EQ(stat(path, &found), 0);
    return (uint64_t)found.st_size;
}

PROPERTY("a checkpoint with a changed bit is refused, and continued when it is as before", 60)
{
    struct prng prng = prng_stream(seed, 1);
    struct study_plan *plan;
    struct files files = write_checkpoint(&plan);
    bool is_in_front = seed % 2 == 0; /* in the head and the list of regions */
    uint64_t bit =
        prng_next(&prng) % (8 * (is_in_front ? UINT64_C(1024) : size_of(files.checkpoint)));

    flip_bit(files.checkpoint, bit);
    EXPECT(*refusal(&files, plan) != '\0');
    flip_bit(files.checkpoint, bit);
    EXPECT_STR_EQ(refusal(&files, plan), "");
    release_plan(plan);
    remove_files(&files);
}

PROPERTY("a checkpoint without its end is refused", 20)
{
    struct prng prng = prng_stream(seed, 2);
    struct study_plan *plan;
    struct files files = write_checkpoint(&plan);
    uint64_t bytes = prng_next(&prng) % size_of(files.checkpoint);

    EXPECT_EQ(truncate(files.checkpoint, (off_t)bytes), 0);
    EXPECT(strstr(refusal(&files, plan), "truncated") ||
           strstr(refusal(&files, plan), "not a checkpoint"));
    release_plan(plan);
    remove_files(&files);
}

static void expect_refused(const char *key, const char *reason)
{
    const char *const sets[] = { key };
    struct study_changes changes = { .sets = sets, .set_count = 1 };
    struct study_plan other;
    struct study_plan *plan;
    struct files files = write_checkpoint(&plan);

    EXPECT(study_plan_read(&other, files.experiment, &changes));
    EXPECT_STR_EQ(refusal(&files, &other), reason);
    study_plan_fini(&other);
    release_plan(plan);
    remove_files(&files);
}

SPEC("a checkpoint of another experiment, fabric or seed is refused with the reason")
{
    expect_refused("seed=1", "");
    expect_refused("seed=2", "is of seed 1, not of 2");
    expect_refused("fabric.t1s=4", "is of another fabric");
    expect_refused(
        "duration=50us", "is of another experiment: a key other than 'fabric' and 'seed' differs");
    expect_refused("parameters.mpr=4",
        "is of another experiment: a key other than 'fabric' and 'seed' differs");
}

SPEC("a checkpoint that cannot be written leaves the one before, and the run goes on")
{
    struct study_checkpoint checkpoint = {
        .path = "/nonexistent/file", .every_s = 1e-9, .words = ""
    };
    struct study_manner manner = manner_of(0);
    struct files files = write_text(SMALL);
    struct study_plan *plan = read_plan(&files);
    json_t *run;

    manner.checkpoint = &checkpoint;
    run = study_run(plan->runs[0], &manner);
    EXPECT(run != NULL);
    EXPECT_STR_EQ(complaint, "/nonexistent/file: No such file or directory; the run goes on");
    json_decref(run);
    release_plan(plan);
    remove_files(&files);
}
