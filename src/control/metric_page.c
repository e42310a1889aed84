/* SPDX-License-Identifier: Apache-2.0 */
/* Collects values and writes them family by family. */
#include "control/metric_page.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "control/metric_family.h"

/* ---- collecting ------------------------------------------------------------------------------ */

void metric_page_fini(struct metric_page *page)
{
    for (uint32_t i = 0; i < page->count; i++)
        json_decref(page->sources[i].values);
    free(page->sources);
    *page = (struct metric_page){ 0 };
}

static struct metric_source *append_source(struct metric_page *page)
{
    uint32_t limit = page->limit ? 2 * page->limit : 64;
    struct metric_source *grown;

    if (page->count < page->limit)
        return &page->sources[page->count++];
    grown = realloc(page->sources, limit * sizeof(*grown));
    if (!grown)
        return NULL;
    page->sources = grown;
    page->limit = limit;
    return &page->sources[page->count++];
}

void metric_page_add(
    struct metric_page *page, enum metric_group group, json_t *values, const char *const *labels)
{
    struct metric_source *source = json_is_object(values) ? append_source(page) : NULL;

    assert(group < METRIC_GROUP_COUNT);
    if (!source)
        return;
    *source = (struct metric_source){ .group = group, .values = json_incref(values) };
    for (; labels[source->label_count]; source->label_count++) {
        assert(source->label_count < METRIC_PAGE_LABELS_MAX);
        assert(metric_labels(group)[source->label_count] != NULL);
        snprintf(source->labels[source->label_count], METRIC_PAGE_VALUE_BYTES, "%s",
            labels[source->label_count]);
    }
    if (page->last[group])
        page->sources[page->last[group] - 1].next = page->count;
    else
        page->first[group] = page->count;
    page->last[group] = page->count;
}

void metric_page_add_owned(
    struct metric_page *page, enum metric_group group, json_t *values, const char *owner)
{
    metric_page_add(page, group, values, (const char *const[]){ owner, NULL });
}

const char *metric_page_number(
    const json_t *object, const char *key, char out[static METRIC_PAGE_VALUE_BYTES])
{
    snprintf(out, METRIC_PAGE_VALUE_BYTES, "%" JSON_INTEGER_FORMAT,
        json_integer_value(json_object_get(object, key)));
    return out;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_label(FILE *to, const char *separator, const char *name, const char *value)
{
    fprintf(to, "%s%s=\"", separator, name);
    for (; *value; value++)
        if (*value == '\n')
            fputs("\\n", to);
        else if (*value == '"' || *value == '\\')
            fprintf(to, "\\%c", *value);
        else
            fputc(*value, to);
    fputc('"', to);
}

static void write_labels(
    const struct metric_family *family, const struct metric_source *source, FILE *to)
{
    const char *separator = "{";

    for (uint32_t i = 0; i < source->label_count; i++) {
        write_label(to, separator, metric_labels(source->group)[i], source->labels[i]);
        separator = ",";
    }
    for (uint32_t i = 0; i < family->label_count; i++) {
        write_label(to, separator, family->labels[i].name, family->labels[i].value);
        separator = ",";
    }
    if (separator[0] == ',')
        fputc('}', to);
}

static void write_value(const json_t *value, double divisor, FILE *to)
{
    if (json_is_boolean(value))
        fprintf(to, " %d\n", json_is_true(value));
    else if (json_is_integer(value) && divisor == 1)
        fprintf(to, " %" JSON_INTEGER_FORMAT "\n", json_integer_value(value));
    else
        fprintf(to, " %.12g\n", json_number_value(value) / divisor);
}

static bool is_value(const json_t *value)
{
    return json_is_number(value) || json_is_boolean(value);
}

static void write_samples(const struct metric_page *page, const struct metric *metric,
    const struct metric_family *family, FILE *to)
{
    for (uint32_t at = page->first[metric->group]; at; at = page->sources[at - 1].next) {
        const struct metric_source *source = &page->sources[at - 1];
        const json_t *value = json_object_get(source->values, metric->name);

        if (!is_value(value))
            continue;
        fputs(family->name, to);
        write_labels(family, source, to);
        write_value(value, family->divisor, to);
    }
}

static bool has_samples(const struct metric_page *page, const struct metric *metric)
{
    for (uint32_t at = page->first[metric->group]; at; at = page->sources[at - 1].next)
        if (is_value(json_object_get(page->sources[at - 1].values, metric->name)))
            return true;
    return false;
}

/* Metrics of a family are next to each other or not: each is written with the first that has
 * samples. */
void metric_page_write(const struct metric_page *page, FILE *to)
{
    struct metric_family *families = calloc(metric_count, sizeof(*families));
    bool *is_written = calloc(metric_count, sizeof(*is_written));

    for (uint32_t i = 0; families && i < metric_count; i++)
        metric_family_of(&metric_list[i], &families[i]);
    for (uint32_t i = 0; families && is_written && i < metric_count; i++) {
        if (is_written[i] || !has_samples(page, &metric_list[i]))
            continue;
        fprintf(to, "# HELP %s %s%s\n# TYPE %s %s\n", families[i].name, families[i].help,
            families[i].scope, families[i].name, metric_kind_word(metric_list[i].kind));
        for (uint32_t j = i; j < metric_count; j++)
            if (strcmp(families[j].name, families[i].name) == 0) {
                write_samples(page, &metric_list[j], &families[j], to);
                is_written[j] = true;
            }
    }
    free(families);
    free(is_written);
}
