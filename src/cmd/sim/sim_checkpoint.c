/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a checkpoint's command line, and writes that of the next. */
#include "cmd/sim/sim_checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

static const char name[] = "sim";

/* ---- the command line as JSON ---------------------------------------------------------------- */

/* Returns what is needed to read the same run again. */
static char *words_of(const struct sim_options *options)
{
    char *folder = getcwd(NULL, 0);
    json_t *sets = json_array();
    json_t *words = json_pack("{s:s,s:s,s:I,s:b,s:b,s:b,s:o}", "folder", folder ? folder : "",
        "file", options->file, "repeat", (json_int_t)options->repeat, "heap", options->heap, "wire",
        options->wire, "check", options->checks, "sets", sets);
    char *text;

    if (words && options->has_seed)
        json_object_set_new(words, "seed", json_integer((json_int_t)options->seed));
    if (words && options->protocol)
        json_object_set_new(words, "protocol", json_string(options->protocol));
    for (uint32_t i = 0; i < options->sets.count; i++)
        json_array_append_new(sets, json_string(options->sets.at[i]));
    text = words ? json_dumps(words, JSON_COMPACT) : NULL;
    json_decref(words);
    free(folder);
    return text;
}

static const char *word_at(const json_t *words, const char *key)
{
    const char *word = json_string_value(json_object_get(words, key));

    return word ? word : "";
}

/* The file is where the run found it, seen from the current folder. */
static void take_file(struct sim_checkpoint *checkpoint, struct sim_options *options)
{
    const char *folder = word_at(checkpoint->words, "folder");
    const char *file = word_at(checkpoint->words, "file");
    char *here = getcwd(NULL, 0);

    options->file = file;
    if (*file != '/' && here && strcmp(here, folder) != 0 &&
        asprintf(&checkpoint->path, "%s/%s", folder, file) >= 0)
        options->file = checkpoint->path;
    free(here);
}

static void take_words(struct sim_checkpoint *checkpoint, struct sim_options *options)
{
    const json_t *words = checkpoint->words;
    const json_t *seed = json_object_get(words, "seed");
    const json_t *sets = json_object_get(words, "sets");

    take_file(checkpoint, options);
    options->repeat = (uint32_t)json_integer_value(json_object_get(words, "repeat"));
    options->heap = json_is_true(json_object_get(words, "heap"));
    options->wire = json_is_true(json_object_get(words, "wire"));
    options->checks = json_is_true(json_object_get(words, "check"));
    options->protocol = json_string_value(json_object_get(words, "protocol"));
    options->has_seed = seed != NULL;
    options->seed = (uint64_t)json_integer_value(seed);
    options->sets.count = 0;
    for (size_t i = 0; i < json_array_size(sets) && i < OPTION_LIST_MAX; i++)
        options->sets.at[options->sets.count++] = json_string_value(json_array_get(sets, i));
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool has_changes(const struct sim_options *options)
{
    return options->sets.count || options->has_seed || options->repeat || options->heap ||
           options->wire || options->checks || options->protocol;
}

static enum cmd_status open_resumed(struct sim_checkpoint *checkpoint, struct sim_options *options)
{
    char reason[CHECKPOINT_REASON_BYTES];

    if (!checkpoint_file_open(&checkpoint->file, options->resume_path, reason))
        return cmd_complain(CMD_FAILED, name, "%s: %s", options->resume_path, reason);
    checkpoint->manner.from = &checkpoint->file;
    if (options->file)
        return CMD_DONE;
    if (has_changes(options))
        return cmd_complain(CMD_MISUSED, name,
            "the checkpoint has --set, --seed, --repeat, --protocol, --heap, --wire and --check of "
            "its run; omit them, or name the experiment, too");
    checkpoint->words = json_loads(checkpoint->file.words, 0, NULL);
    if (!checkpoint->words)
        return cmd_complain(CMD_FAILED, name,
            "%s: does not say which experiment it continues; name it, too", options->resume_path);
    take_words(checkpoint, options);
    return CMD_DONE;
}

enum cmd_status sim_checkpoint_open(struct sim_checkpoint *checkpoint, struct sim_options *options)
{
    enum cmd_status status = CMD_DONE;

    *checkpoint =
        (struct sim_checkpoint){ .is_wanted = options->checkpoint_path || options->resume_path };
    if (!checkpoint->is_wanted)
        return options->has_checkpoint_interval
                   ? cmd_complain(CMD_MISUSED, name, "--checkpoint-every requires --checkpoint")
                   : CMD_DONE;
    if (options->resume_path)
        status = open_resumed(checkpoint, options);
    if (status != CMD_DONE)
        return status;
    checkpoint->text = words_of(options);
    checkpoint->manner.words = checkpoint->text ? checkpoint->text : "";
    checkpoint->manner.path =
        options->checkpoint_path ? options->checkpoint_path : options->resume_path;
    checkpoint->manner.every_s = (double)options->checkpoint_every_ps / 1e12;
    return CMD_DONE;
}

void sim_checkpoint_close(struct sim_checkpoint *checkpoint)
{
    checkpoint_file_close(&checkpoint->file);
    json_decref(checkpoint->words);
    free(checkpoint->text);
    free(checkpoint->path);
}

/* ---- checking -------------------------------------------------------------------------------- */

static enum cmd_status check_resumed(const struct checkpoint_file *file,
    const struct study_run *run, const struct study_manner *manner, bool is_quiet)
{
    char reason[CHECKPOINT_REASON_BYTES];

    if (!study_checkpoint_fits(file, run, manner, reason))
        return cmd_complain(CMD_MISUSED, name, "%s: %s", file->path, reason);
    if (!is_quiet)
        fprintf(stderr, "mrc sim: continues %s at %.6f of %.6f ms, in %llu shard%s\n",
            run->experiment.name, (double)file->head.now_ps / 1e9,
            (double)run->experiment.sim.duration_ps / 1e9,
            (unsigned long long)file->head.shard_count, file->head.shard_count == 1 ? "" : "s");
    return CMD_DONE;
}

enum cmd_status sim_checkpoint_check(const struct sim_checkpoint *checkpoint,
    const struct sim_options *options, const struct study_plan *plan,
    const struct study_manner *manner)
{
    int err;

    if (!checkpoint->is_wanted)
        return CMD_DONE;
    if (options->pcap_path || options->trace_path)
        return cmd_complain(CMD_MISUSED, name,
            "a run with --pcap or --trace cannot be continued; omit --checkpoint and --resume");
    if (plan->run_count > 1 || options->sweeps.count)
        return cmd_complain(CMD_MISUSED, name,
            "--checkpoint and --resume require a single run, without --sweep; there are %u",
            plan->run_count);
    err = whole_file_try(checkpoint->manner.path);
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", checkpoint->manner.path, strerror(-err));
    return checkpoint->manner.from
               ? check_resumed(&checkpoint->file, plan->runs[0], manner, options->is_quiet)
               : CMD_DONE;
}
