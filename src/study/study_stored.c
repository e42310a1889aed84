/* SPDX-License-Identifier: Apache-2.0 */
/* Names, writes and compares stored runs. */
#include "study/study_stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"

/* ---- the program ----------------------------------------------------------------------------- */

/* Programs of one version can differ while they are developed, so their files are compared. */
static void hash_program(char out[static JSON_HASH_BYTES])
{
    FILE *file = fopen("/proc/self/exe", "r");
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    unsigned char bytes[65536];
    size_t count;

    while (file && (count = fread(bytes, 1, sizeof(bytes), file)) > 0)
        for (size_t i = 0; i < count; i++)
            hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    if (file)
        (void)fclose(file);
    snprintf(out, JSON_HASH_BYTES, "%016llx", (unsigned long long)hash);
}

struct study_stored_maker study_stored_maker(uint32_t points)
{
    struct study_stored_maker maker = { .points = points };

    hash_program(maker.program);
    return maker;
}

/* ---- names ----------------------------------------------------------------------------------- */

void study_stored_name(const struct study_run *run, char out[static STUDY_STORED_NAME_BYTES])
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=.-";
    unsigned long long seed = run->experiment.sim.seed;
    json_t *identity = json_pack("[s,s,O,I]", run->experiment.name, run->set_label, run->settings,
        (json_int_t)run->experiment.sim.seed);
    char hash[JSON_HASH_BYTES];

    json_hash(identity, hash);
    json_decref(identity);
    snprintf(out, STUDY_STORED_NAME_BYTES, "%.40s%s%.64s-seed%llu-%.8s.json", run->experiment.name,
        *run->set_label ? "-" : "", run->set_label, seed, hash);
    for (char *at = out; *at; at++)
        if (!strchr(plain, *at))
            *at = '_';
    if (out[0] == '.')
        out[0] = '_';
}

/* ---- documents ------------------------------------------------------------------------------- */

json_t *study_stored_document(
    const struct study_run *plan, const struct study_stored_maker *maker, json_t *run)
{
    json_t *document = result_document(&plan->experiment, plan->inputs, json_pack("[o]", run));
    json_t *inputs = json_object_get(json_object_get(document, "experiment"), "inputs");

    json_object_del(inputs, "sweep");
    json_object_del(inputs, "repeat");
    json_object_set_new(inputs, "seed", json_integer((json_int_t)plan->experiment.sim.seed));
    json_object_set_new(document, "sweep",
        json_pack("{s:s,s:i}", "program", maker->program, "points_max", (int)maker->points));
    return document;
}

/* ---- differences ----------------------------------------------------------------------------- */

#define PATH_BYTES  128
#define VALUE_BYTES 40

struct difference {
    char path[PATH_BYTES];
    const json_t *was; /* NULL: absent */
    const json_t *is;
};

static bool find_difference(struct difference *difference, const json_t *was, const json_t *is);

/* Compares one member; leaves its path in `difference` if it differs. */
static bool find_in_member(
    struct difference *difference, const char *key, const json_t *was, const json_t *is)
{
    size_t length = strlen(difference->path);

    snprintf(difference->path + length, PATH_BYTES - length, "%s%s", length ? "." : "", key);
    if (find_difference(difference, was, is))
        return true;
    difference->path[length] = '\0';
    return false;
}

static bool find_in_object(struct difference *difference, const json_t *was, const json_t *is)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)is, key, value)
    {
        if (find_in_member(difference, key, json_object_get(was, key), value))
            return true;
    }
    json_object_foreach((json_t *)was, key, value)
    {
        if (!json_object_get(is, key))
            return find_in_member(difference, key, value, NULL);
    }
    return false;
}

static bool find_in_array(struct difference *difference, const json_t *was, const json_t *is)
{
    size_t count =
        json_array_size(was) > json_array_size(is) ? json_array_size(was) : json_array_size(is);
    char number[24];

    for (size_t i = 0; i < count; i++) {
        snprintf(number, sizeof(number), "%zu", i);
        if (find_in_member(difference, number, json_array_get(was, i), json_array_get(is, i)))
            return true;
    }
    return false;
}

static bool find_difference(struct difference *difference, const json_t *was, const json_t *is)
{
    if (json_is_object(was) && json_is_object(is))
        return find_in_object(difference, was, is);
    if (json_is_array(was) && json_is_array(is))
        return find_in_array(difference, was, is);
    difference->was = was;
    difference->is = is;
    return !was || !is || !json_equal(was, is);
}

static void describe_value(const json_t *value, char out[static VALUE_BYTES])
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

    if (!text)
        snprintf(out, VALUE_BYTES, "absent");
    else if (strlen(text) < VALUE_BYTES)
        snprintf(out, VALUE_BYTES, "%s", text);
    else
        snprintf(out, VALUE_BYTES, "%.*s...", VALUE_BYTES - 4, text);
    free(text);
}

/* Returns the inputs that a run depends on. The caller releases them. */
static json_t *deciding_inputs(const json_t *document)
{
    static const char *const without[] = { "name", "title", "criteria", NULL };
    const json_t *inputs = json_object_get(json_object_get(document, "experiment"), "inputs");
    json_t *deciding = json_is_object(inputs) ? json_copy((json_t *)inputs) : json_object();

    for (const char *const *key = without; *key; key++)
        json_object_del(deciding, *key);
    return deciding;
}

static bool inputs_match(
    const json_t *was, const json_t *is, char reason[static STUDY_STORED_REASON_BYTES])
{
    json_t *old = deciding_inputs(was);
    json_t *new = deciding_inputs(is);
    struct difference difference = { .path = "" };
    bool do_match = !find_difference(&difference, old, new);
    char before[VALUE_BYTES];
    char after[VALUE_BYTES];

    if (!do_match) {
        describe_value(difference.was, before);
        describe_value(difference.is, after);
        snprintf(reason, STUDY_STORED_REASON_BYTES, "%s was %s and is %s", difference.path, before,
            after);
    }
    json_decref(old);
    json_decref(new);
    return do_match;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

bool study_stored_matches(const json_t *document, const struct study_run *plan,
    const struct study_stored_maker *maker, char reason[static STUDY_STORED_REASON_BYTES])
{
    json_t *wanted = study_stored_document(plan, maker, json_object());
    const json_t *sweep = json_object_get(document, "sweep");
    json_int_t points = json_integer_value(json_object_get(sweep, "points_max"));
    bool do_match = false;

    if (strcmp(text_of(document, "version"), text_of(wanted, "version")) != 0)
        snprintf(reason, STUDY_STORED_REASON_BYTES, "version %.40s of mrc made it; this is %s",
            text_of(document, "version"), text_of(wanted, "version"));
    else if (strcmp(text_of(sweep, "program"), maker->program) != 0)
        snprintf(reason, STUDY_STORED_REASON_BYTES, "another build of mrc made it");
    else if (points != maker->points)
        snprintf(reason, STUDY_STORED_REASON_BYTES, "its series have at most %lld values, not %u",
            (long long)points, maker->points);
    else
        do_match = inputs_match(document, wanted, reason);
    json_decref(wanted);
    return do_match;
}
