/* SPDX-License-Identifier: Apache-2.0 */
/* Reads flows as comma-separated values: a line with the names of the columns, then a flow on each
 * line. */
#include <string.h>

#include "files/name_table.h"
#include "files/quantity.h"
#include "files/schedule_format.h"
#include "files/word.h"

enum column { ID, SOURCE, DESTINATION, BYTES, START, AFTER, DELAY, COLUMN_COUNT };

static const char *const columns[COLUMN_COUNT + 1] = {
    [ID] = "id",
    [SOURCE] = "source",
    [DESTINATION] = "destination",
    [BYTES] = "bytes",
    [START] = "start",
    [AFTER] = "after",
    [DELAY] = "delay",
    [COLUMN_COUNT] = NULL,
};

static const char separators[] = " \t;"; /* in the column `after` */

/* A name in the column `after`: its flow may be further down in the file. */
struct reference {
    uint32_t waiter;
    uint32_t line;
    uint32_t column;
    struct name_table_name name;
};

struct reading {
    struct schedule_build *build;
    struct text_file *file;
    int order[COLUMN_COUNT]; /* the columns as they are in this file */
    int count;
    struct name_table names;
    struct growing references;
};

/* ---- the names of columns -------------------------------------------------------------------- */

static bool is_known(const struct reading *reading, int column)
{
    for (int i = 0; i < reading->count; i++)
        if (reading->order[i] == column)
            return true;
    return false;
}

static bool complain_column(struct reading *reading)
{
    const char *meant = word_nearest(columns, reading->file->word);
    char words[128];

    word_list(columns, words, sizeof(words));
    return meant ? text_file_complain(reading->file, "there is no column '%s'; did you mean '%s'?",
                       reading->file->word, meant)
                 : text_file_complain(reading->file, "there is no column '%s'; columns: %s",
                       reading->file->word, words);
}

static bool read_head(struct reading *reading)
{
    struct text_file *file = reading->file;

    while (text_file_next_field(file)) {
        int column = word_find(columns, file->word);

        if (column < 0)
            return complain_column(reading);
        if (is_known(reading, column))
            return text_file_complain(file, "the column '%s' is there twice", file->word);
        reading->order[reading->count++] = column;
    }
    if (*file->yaml->problem)
        return false;
    for (int column = SOURCE; column <= BYTES; column++)
        if (!is_known(reading, column))
            return text_file_complain_line(file, file->line,
                "the column '%s' is missing; the first line names the columns", columns[column]);
    return true;
}

/* ---- flows ----------------------------------------------------------------------------------- */

static bool read_quantity(struct reading *reading, enum quantity_kind kind, const char *what,
    uint64_t most, uint64_t *out)
{
    struct text_file *file = reading->file;

    if (file->word[0] == '-')
        return text_file_complain(file, "%s %s is negative", what, file->word);
    if (quantity_parse(kind, file->word, out) != QUANTITY_OK)
        return text_file_complain(
            file, "'%s' is not %s; give %s", file->word, what, quantity_example(kind));
    if (*out > most)
        return text_file_complain(file, "%s %s is too large", what, file->word);
    return true;
}

static bool read_bytes(struct reading *reading, uint64_t *bytes)
{
    if (!read_quantity(reading, QUANTITY_SIZE, "a size", SCHEDULE_FORMAT_BYTES_MAX, bytes))
        return false;
    return *bytes > 0 || text_file_complain(reading->file, "a flow has at least one byte");
}

/* The field is a list, separated by blanks or semicolons. */
static bool read_after(struct reading *reading, uint32_t waiter)
{
    const struct text_file *file = reading->file;
    const char *end = file->word_at + file->word_bytes;

    for (const char *at = file->word_at; at < end;) {
        const char *start = at;
        struct reference *reference;

        while (at < end && !strchr(separators, *at))
            at++;
        if (at > start) {
            reference = growing_push(&reading->references, sizeof(*reference));
            *reference = (struct reference){ .waiter = waiter,
                .line = file->line,
                .column = (uint32_t)(start - file->line_start) + 1,
                .name = { .text = start, .length = (uint32_t)(at - start) } };
        } else {
            at++;
        }
    }
    return true;
}

static bool read_id(struct reading *reading, uint32_t number)
{
    struct text_file *file = reading->file;
    struct name_table_name name = { .text = file->word_at, .length = (uint32_t)strlen(file->word) };
    uint32_t other = name_table_find(&reading->names, name);

    if (name.length == 0)
        return true;
    if (strpbrk(file->word, separators))
        return text_file_complain(file, "'%s': an id has no blanks and no semicolon", file->word);
    if (other != NAME_TABLE_NONE)
        return text_file_complain(file, "line %u also has the id '%s'",
            schedule_build_at(reading->build, other)->line, file->word);
    name_table_add(&reading->names, name, number);
    return true;
}

static bool read_field(
    struct reading *reading, int column, uint32_t number, struct schedule_build_operation *flow)
{
    bool is_empty = !*reading->file->word;

    if (column != AFTER && !text_file_fits(reading->file))
        return false;
    switch ((enum column)column) {
    case ID:
        return read_id(reading, number);
    case SOURCE:
        return schedule_build_rank(reading->build, "source", &flow->rank);
    case DESTINATION:
        return schedule_build_rank(reading->build, "destination", &flow->to);
    case BYTES:
        return read_bytes(reading, &flow->bytes);
    case START:
        return is_empty || read_quantity(reading, QUANTITY_TIME, "a time", SCHEDULE_FORMAT_TIME_MAX,
                               &flow->start_ps);
    case AFTER:
        return read_after(reading, number);
    case DELAY:
        return is_empty || read_quantity(reading, QUANTITY_TIME, "a time", SCHEDULE_FORMAT_TIME_MAX,
                               &flow->time_ps);
    case COLUMN_COUNT:
        break;
    }
    return false;
}

static bool read_flow(struct reading *reading)
{
    struct text_file *file = reading->file;
    uint32_t number = reading->build->operations.count;
    struct schedule_build_operation flow = { .line = file->line };
    int count = 0;

    while (text_file_next_field(file)) {
        if (count == reading->count)
            return text_file_complain(
                file, "this field has no column; the first line names %d", reading->count);
        if (!read_field(reading, reading->order[count++], number, &flow))
            return false;
    }
    if (*file->yaml->problem)
        return false;
    if (count < reading->count)
        return text_file_complain_line(
            file, file->line, "the field '%s' is missing", columns[reading->order[count]]);
    if (flow.rank == flow.to)
        return text_file_complain_line(
            file, file->line, "a flow from %u to itself; source and destination differ", flow.to);
    return schedule_build_add(reading->build, &flow) != SCHEDULE_BUILD_NONE;
}

static bool is_blank(const char *line)
{
    line += strspn(line, " \t\r");
    return !*line || *line == '\n' || *line == '#';
}

static bool read_lines(struct reading *reading)
{
    bool has_head = false;

    while (text_file_next_line(reading->file)) {
        if (is_blank(reading->file->at))
            continue;
        if (!(has_head ? read_flow(reading) : read_head(reading)))
            return false;
        has_head = true;
    }
    return has_head ||
           text_file_complain_line(reading->file, 1,
               "the file is empty; its first line names columns: source,destination,bytes");
}

static bool resolve_references(struct reading *reading)
{
    const struct reference *references = reading->references.elements;

    for (uint32_t i = 0; i < reading->references.count; i++) {
        const struct reference *reference = &references[i];
        uint32_t other = name_table_find(&reading->names, reference->name);

        if (other == NAME_TABLE_NONE)
            return yaml_complain_at(reading->file->yaml,
                (struct yaml_place){ reading->file->source, reference->line, reference->column },
                "no flow has the id '%.*s'", (int)reference->name.length, reference->name.text);
        schedule_build_let_wait(reading->build, reference->waiter, other, SIM_AFTER_END);
    }
    return true;
}

bool schedule_csv_read(
    struct schedule_build *build, const struct schedule_options *options, uint32_t *rank_count)
{
    struct reading reading = { .build = build, .file = build->file };
    bool is_good = read_lines(&reading) && resolve_references(&reading);

    (void)options;
    (void)rank_count;
    name_table_fini(&reading.names);
    growing_fini(&reading.references);
    return is_good;
}
