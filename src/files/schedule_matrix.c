/* SPDX-License-Identifier: Apache-2.0 */
/* Reads connection matrices of htsim: connections that start at a time, or when a trigger fires. A
 * trigger is fired by the end of one connection; a barrier by the ends of as many as it counts. */
#include <string.h>

#include "files/name_table.h"
#include "files/schedule_format.h"

enum trigger_kind { TRIGGER_UNKNOWN, TRIGGER_ONCE, TRIGGER_BARRIER };

struct trigger {
    enum trigger_kind kind;
    uint32_t count;   /* of a barrier */
    uint32_t sources; /* connections that fire it */
    uint32_t line;
    uint32_t operation; /* the connection, or that of the barrier: after all connections, not 0 */
};

/* A connection and a trigger that it fires or waits for. */
struct trigger_use {
    uint32_t connection;
    uint32_t trigger; /* its position in the list */
    bool fires;
};

struct reading {
    struct schedule_build *build;
    struct text_file *file;
    uint64_t start_unit_ps;
    uint32_t node_count;
    uint32_t connection_count; /* as the file says */
    uint32_t trigger_count;    /* the same */
    struct name_table ids;
    struct name_table trigger_ids;
    struct growing triggers;
    struct growing links;
};

static bool next_number(struct reading *reading, const char *what, uint32_t *out)
{
    text_file_next(reading->file, "");
    return text_file_count(reading->file, what, out);
}

static bool is_word(const struct reading *reading, const char *word)
{
    return strcmp(reading->file->word, word) == 0;
}

static struct name_table_name name_of(const struct reading *reading)
{
    return (struct name_table_name){ .text = reading->file->word_at,
        .length = (uint32_t)reading->file->word_bytes };
}

/* ---- triggers -------------------------------------------------------------------------------- */

/* The last word is the number of a trigger. Returns its position; adds it if it is new. */
static uint32_t find_trigger(struct reading *reading)
{
    uint32_t position = name_table_find(&reading->trigger_ids, name_of(reading));
    struct trigger *trigger;

    if (position != NAME_TABLE_NONE)
        return position;
    position = reading->triggers.count;
    trigger = growing_push(&reading->triggers, sizeof(*trigger));
    trigger->line = reading->file->line;
    name_table_add(&reading->trigger_ids, name_of(reading), position);
    return position;
}

static struct trigger *trigger_at(const struct reading *reading, uint32_t position)
{
    return (struct trigger *)reading->triggers.elements + position;
}

static bool next_trigger(struct reading *reading, uint32_t connection, bool fires)
{
    struct trigger_use *link;
    uint32_t number;

    if (!next_number(reading, "a trigger", &number))
        return false;
    link = growing_push(&reading->links, sizeof(*link));
    *link = (struct trigger_use){
        .connection = connection, .trigger = find_trigger(reading), .fires = fires
    };
    trigger_at(reading, link->trigger)->sources += fires;
    return true;
}

/* The last word is "trigger": trigger id 1 barrier count 4 */
static bool read_trigger(struct reading *reading)
{
    struct text_file *file = reading->file;
    struct trigger *trigger;
    uint32_t number;

    text_file_next(file, "");
    if (!is_word(reading, "id") || !next_number(reading, "a trigger", &number))
        return text_file_complain(file, "trigger id NUMBER is expected here");
    trigger = trigger_at(reading, find_trigger(reading));
    if (trigger->kind != TRIGGER_UNKNOWN)
        return text_file_complain(file, "line %u also defines trigger %u", trigger->line, number);
    trigger->line = file->line;
    text_file_next(file, "");
    if (is_word(reading, "oneshot") || is_word(reading, "multishot")) {
        trigger->kind = TRIGGER_ONCE;
        return true;
    }
    if (!is_word(reading, "barrier"))
        return text_file_complain(file, "oneshot, multishot or barrier is expected here");
    trigger->kind = TRIGGER_BARRIER;
    text_file_next(file, "");
    return (is_word(reading, "count") || text_file_complain(file, "count is expected here")) &&
           next_number(reading, "a count", &trigger->count);
}

/* ---- connections ----------------------------------------------------------------------------- */

static bool read_id(struct reading *reading, uint32_t connection)
{
    uint32_t other;
    uint32_t number;

    if (!next_number(reading, "an id", &number))
        return false;
    other = name_table_find(&reading->ids, name_of(reading));
    if (other != NAME_TABLE_NONE)
        return text_file_complain(reading->file, "line %u also has the id %u",
            schedule_build_at(reading->build, other)->line, number);
    name_table_add(&reading->ids, name_of(reading), connection);
    return true;
}

static bool read_start(struct reading *reading, uint64_t *start_ps)
{
    uint64_t start;

    text_file_next(reading->file, "");
    if (!text_file_number(reading->file, "a start time",
            SCHEDULE_FORMAT_TIME_MAX / reading->start_unit_ps, &start))
        return false;
    *start_ps = start * reading->start_unit_ps;
    return true;
}

static bool read_size(struct reading *reading, uint64_t *bytes)
{
    text_file_next(reading->file, "");
    if (!text_file_number(reading->file, "a size", SCHEDULE_FORMAT_BYTES_MAX, bytes))
        return false;
    return *bytes > 0 ||
           text_file_complain(reading->file, "a connection without end; give it a size");
}

/* The last word is a key of a connection. */
static bool read_key(
    struct reading *reading, uint32_t number, struct schedule_build_operation *connection)
{
    uint32_t priority;

    if (is_word(reading, "id"))
        return read_id(reading, number);
    if (is_word(reading, "start"))
        return read_start(reading, &connection->start_ps);
    if (is_word(reading, "size"))
        return read_size(reading, &connection->bytes);
    if (is_word(reading, "trigger"))
        return next_trigger(reading, number, false);
    if (is_word(reading, "send_done_trigger") || is_word(reading, "recv_done_trigger"))
        return next_trigger(reading, number, true);
    if (is_word(reading, "prio"))
        return next_number(reading, "a priority", &priority);
    return text_file_complain(reading->file,
        "id, start, trigger, size, send_done_trigger, recv_done_trigger or prio is expected here, "
        "not '%s'",
        reading->file->word);
}

/* The last word is its source, and "->" follows. */
static bool read_connection(struct reading *reading)
{
    struct text_file *file = reading->file;
    struct schedule_build_operation connection = { .line = file->line };
    uint32_t number = reading->build->operations.count;

    if (!schedule_build_rank(reading->build, "node", &connection.rank))
        return false;
    file->at += strlen("->");
    text_file_next(file, "");
    if (!schedule_build_rank(reading->build, "node", &connection.to))
        return false;
    if (connection.rank >= reading->node_count || connection.to >= reading->node_count)
        return text_file_complain(file, "this file has the nodes 0 to %u", reading->node_count - 1);
    if (connection.rank == connection.to)
        return text_file_complain(file, "a connection of node %u to itself", connection.to);
    while (text_file_next(file, ""))
        if (!read_key(reading, number, &connection))
            return false;
    if (*file->yaml->problem)
        return false;
    if (connection.bytes == 0)
        return text_file_complain_line(file, file->line, "the size is missing");
    return schedule_build_add(reading->build, &connection) != SCHEDULE_BUILD_NONE;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool read_line(struct reading *reading)
{
    struct text_file *file = reading->file;

    if (is_word(reading, "Nodes"))
        return next_number(reading, "a number", &reading->node_count);
    if (is_word(reading, "Connections"))
        return next_number(reading, "a number", &reading->connection_count);
    if (is_word(reading, "Triggers"))
        return next_number(reading, "a number", &reading->trigger_count);
    if (is_word(reading, "trigger"))
        return read_trigger(reading);
    if (is_word(reading, "Failures") || is_word(reading, "failure"))
        return text_file_complain(file, "failures are written in the experiment, under 'faults'");
    if (strncmp(file->at, "->", 2) == 0)
        return read_connection(reading);
    return text_file_complain(
        file, "Nodes, Connections, Triggers, trigger or a connection is expected here");
}

static bool read_lines(struct reading *reading)
{
    struct text_file *file = reading->file;

    while (text_file_next_line(file)) {
        if (*file->at == '#' || !text_file_next(file, "-"))
            continue;
        if (reading->node_count == 0 && !is_word(reading, "Nodes"))
            return text_file_complain(file, "the first line gives the number of Nodes");
        if (!read_line(reading))
            return false;
        if (text_file_next(file, ""))
            return text_file_complain(file, "a new line is expected here");
    }
    if (*file->yaml->problem)
        return false;
    if (reading->connection_count != reading->build->operations.count)
        return text_file_complain_line(file, 1, "Connections is %u, but there are %u",
            reading->connection_count, reading->build->operations.count);
    return true;
}

static bool check_triggers(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->triggers.count; i++) {
        const struct trigger *trigger = trigger_at(reading, i);
        uint32_t expected = trigger->kind == TRIGGER_BARRIER ? trigger->count : 1;

        if (trigger->kind == TRIGGER_UNKNOWN)
            return text_file_complain_line(reading->file, trigger->line,
                "this trigger is not defined; add a line such as: trigger id 1 oneshot");
        if (trigger->sources != expected)
            return text_file_complain_line(reading->file, trigger->line,
                "%u connections fire this trigger, not %u; several can fire a barrier only",
                trigger->sources, expected);
    }
    if (reading->trigger_count && reading->trigger_count != reading->triggers.count)
        return text_file_complain_line(reading->file, 1, "Triggers is %u, but there are %u",
            reading->trigger_count, reading->triggers.count);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A barrier is an operation of the rank of a connection that waits for it: it waits for all that
 * fire the barrier, and all others wait for it. */
static bool add_barrier(
    struct reading *reading, const struct trigger_use *waiter, struct trigger *trigger)
{
    trigger->operation = schedule_build_add(
        reading->build, &(struct schedule_build_operation){
                            .rank = schedule_build_at(reading->build, waiter->connection)->rank,
                            .line = trigger->line });
    return trigger->operation != SCHEDULE_BUILD_NONE;
}

static bool add_barriers(struct reading *reading)
{
    const struct trigger_use *links = reading->links.elements;

    for (uint32_t i = 0; i < reading->links.count; i++) {
        struct trigger *trigger = trigger_at(reading, links[i].trigger);

        if (links[i].fires && trigger->kind == TRIGGER_ONCE)
            trigger->operation = links[i].connection;
        else if (!links[i].fires && trigger->kind == TRIGGER_BARRIER && trigger->operation == 0 &&
                 !add_barrier(reading, &links[i], trigger))
            return false;
    }
    return true;
}

static bool add_waits(struct reading *reading)
{
    const struct trigger_use *links = reading->links.elements;

    if (!links)
        return true;
    if (!add_barriers(reading))
        return false;
    for (uint32_t i = 0; i < reading->links.count; i++) {
        const struct trigger *trigger = trigger_at(reading, links[i].trigger);

        if (!links[i].fires)
            schedule_build_let_wait(
                reading->build, links[i].connection, trigger->operation, SIM_AFTER_END);
        else if (trigger->kind == TRIGGER_BARRIER && trigger->operation > 0)
            schedule_build_let_wait(
                reading->build, trigger->operation, links[i].connection, SIM_AFTER_END);
    }
    return true;
}

bool schedule_matrix_read(
    struct schedule_build *build, const struct schedule_options *options, uint32_t *rank_count)
{
    struct reading reading = {
        .build = build, .file = build->file, .start_unit_ps = options->matrix_start
    };
    bool is_good = read_lines(&reading) && check_triggers(&reading) && add_waits(&reading);

    *rank_count = reading.node_count;
    name_table_fini(&reading.ids);
    name_table_fini(&reading.trigger_ids);
    growing_fini(&reading.triggers);
    growing_fini(&reading.links);
    return is_good;
}
