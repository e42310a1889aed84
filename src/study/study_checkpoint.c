/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies runs, and writes their checkpoints. */
#include "study/study_checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "files/files.h"
#include "study/study_clock.h"
#include "study/study_run.h"

/* ---- identity -------------------------------------------------------------------------------- */

static void hash_json(const json_t *json, char out[static CHECKPOINT_HASH_BYTES])
{
    _Static_assert((int)CHECKPOINT_HASH_BYTES >= (int)JSON_HASH_BYTES, "a hash fits");
    json_hash(json, out);
}

/* The seed counts by its value, wherever it comes from. */
static void hash_inputs(const struct yaml_node *inputs, struct checkpoint_identity *identity)
{
    json_t *json = json_of_yaml(inputs);
    json_t *fabric = json_pack("{s:O?}", "fabric", json_object_get(json, "fabric"));

    hash_json(fabric, identity->fabric);
    json_object_del(json, "fabric");
    json_object_del(json, "seed");
    hash_json(json, identity->experiment);
    json_decref(fabric);
    json_decref(json);
}

/* A checkpoint has addresses in the program, so only the same file may continue it. */
static uint64_t hash_program(void)
{
    FILE *file = fopen("/proc/self/exe", "r");
    uint64_t words[4096];
    uint64_t sum = 1;

    while (file && memset(words, 0, sizeof(words)) && fread(words, 1, sizeof(words), file) > 0)
        sum = checkpoint_file_sum(sum, words, sizeof(words));
    if (file)
        (void)fclose(file);
    return sum;
}

static uint32_t waiter_count(const struct sim_schedule *schedule)
{
    return schedule->operations[schedule->operation_count].first_waiter;
}

/* Operations have no padding; what waits for them has its place in them. */
static uint64_t hash_traffic(const struct sim_config *config)
{
    uint64_t sum = 1;

    for (uint32_t i = 0; i < config->workload_count; i++) {
        const struct sim_schedule *schedule = config->workloads[i].schedule;

        if (schedule)
            sum = checkpoint_file_sum(sum, schedule->operations,
                schedule->operation_count * sizeof(*schedule->operations));
        for (uint32_t w = 0; schedule && w < schedule->pair_count; w++)
            sum += sum * UINT64_C(0x9e3779b97f4a7c15) + schedule->pairs[w].to_rank;
        for (uint32_t w = 0; schedule && w < waiter_count(schedule); w++)
            sum += sum * UINT64_C(0x9e3779b97f4a7c15) + schedule->waiters[w].operation;
    }
    return sum;
}

static void identify(struct checkpoint_identity *identity, const struct study_run *plan,
    const struct study_manner *manner)
{
    *identity = (struct checkpoint_identity){ .program = hash_program(),
        .seed = plan->experiment.sim.seed,
        .traffic = hash_traffic(&plan->experiment.sim),
        .uses_heap = manner->uses_heap,
        .wire = manner->wire,
        .checks = manner->checks };
    snprintf(identity->version, sizeof(identity->version), "%s", OPENMRC_VERSION);
    hash_inputs(plan->inputs, identity);
}

bool study_checkpoint_fits(const struct checkpoint_file *file, const struct study_run *plan,
    const struct study_manner *manner, char reason[static CHECKPOINT_REASON_BYTES])
{
    const struct checkpoint_identity *then = &file->head.identity;
    struct checkpoint_identity now;

    identify(&now, plan, manner);
    reason[0] = '\0';
    if (strcmp(then->version, now.version) != 0)
        snprintf(reason, CHECKPOINT_REASON_BYTES,
            "was written by mrc %.20s, and this is %s; continue it with that version",
            then->version, now.version);
    else if (then->program != now.program)
        snprintf(reason, CHECKPOINT_REASON_BYTES,
            "was written by another build of mrc %s; continue it with that program", now.version);
    else if (strcmp(then->experiment, now.experiment) != 0)
        snprintf(reason, CHECKPOINT_REASON_BYTES,
            "is of another experiment: a key other than 'fabric' and 'seed' differs");
    else if (strcmp(then->fabric, now.fabric) != 0)
        snprintf(reason, CHECKPOINT_REASON_BYTES, "is of another fabric");
    else if (then->seed != now.seed)
        snprintf(reason, CHECKPOINT_REASON_BYTES, "is of seed %llu, not of %llu",
            (unsigned long long)then->seed, (unsigned long long)now.seed);
    else if (then->traffic != now.traffic)
        snprintf(reason, CHECKPOINT_REASON_BYTES,
            "is of other traffic: the file of a workload has changed since then");
    else if (memcmp(then, &now, sizeof(now)) != 0)
        snprintf(reason, CHECKPOINT_REASON_BYTES,
            "was written with other options; give --heap, --wire and --check as then");
    return reason[0] == '\0';
}

/* ---- the image ------------------------------------------------------------------------------- */

int study_checkpoint_map(
    struct study_image *image, const struct study_checkpoint *checkpoint, uint64_t arena_bytes)
{
    const struct checkpoint_head *head = checkpoint->from ? &checkpoint->from->head : NULL;
    void *at = head ? (void *)(uintptr_t)head->image_at : NULL;

    return study_image_open(image, at, arena_bytes, head ? head->heap_bytes : 0);
}

/* ---- writing --------------------------------------------------------------------------------- */

void study_checkpoints_init(struct study_checkpoints *checkpoints, const struct study_run *plan,
    const struct study_manner *manner, const struct study_image *image,
    const struct checkpoint_pointers *pointers)
{
    *checkpoints = (struct study_checkpoints){ .plan = plan,
        .manner = manner,
        .image = image,
        .pointers = pointers,
        .written_s = study_clock_s() };
    identify(&checkpoints->head.identity, plan, manner);
}

bool study_checkpoints_are_due(const struct study_checkpoints *checkpoints)
{
    double every_s = checkpoints->manner->checkpoint->every_s;

    return every_s > 0 && study_clock_s() - checkpoints->written_s >= every_s;
}

static void complain_lost(
    const struct study_checkpoints *checkpoints, int err, const char *consequence)
{
    const char *path = checkpoints->manner->checkpoint->path;

    if (checkpoints->is_any_written)
        study_complain(checkpoints->manner, "%s: %s; it has the state at %.6f ms; %s", path,
            strerror(-err), (double)checkpoints->written_ps / 1e9, consequence);
    else
        study_complain(checkpoints->manner, "%s: %s; %s", path, strerror(-err), consequence);
}

bool study_checkpoints_write(
    struct study_checkpoints *checkpoints, const struct sim *sim, const char *consequence)
{
    const struct study_checkpoint *checkpoint = checkpoints->manner->checkpoint;
    int err;

    checkpoints->head.now_ps = sim_now_ps(sim);
    checkpoints->head.sim_hash = sim_hash(sim);
    checkpoints->head.shard_count = sim_shard_count(sim);
    err = checkpoint_file_write(checkpoint->path, &checkpoints->head, checkpoints->image,
        checkpoints->pointers, checkpoint->words);
    checkpoints->written_s = study_clock_s();
    if (err) {
        complain_lost(checkpoints, err, consequence);
        return false;
    }
    checkpoints->is_any_written = true;
    checkpoints->written_ps = sim_now_ps(sim);
    return true;
}
