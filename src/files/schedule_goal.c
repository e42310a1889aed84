/* SPDX-License-Identifier: Apache-2.0 */
/* Reads schedules in GOAL: for each rank, operations with labels and what they require.
 *
 * A receive is computing that takes no time and waits for its message. Messages and receives of two
 * ranks with one tag match in the order of the file. */
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "files/goal_match.h"
#include "files/name_table.h"
#include "files/schedule_format.h"

#define NS_PS          1000
#define PROCESSORS_MAX 256
#define STOPS          ":{}"

/* `waiter` requires `other`. */
struct requirement {
    uint32_t waiter;
    uint32_t other;
    bool is_begin;
};

struct reading {
    struct schedule_build *build;
    struct text_file *file;
    uint32_t rank_count;
    uint32_t rank; /* of this block */
    uint32_t first_operation;
    struct name_table labels;
    struct growing sends;        /* struct goal_half */
    struct growing receives;     /* the same */
    struct growing requirements; /* of this block: struct requirement */
};

/* ---- words ----------------------------------------------------------------------------------- */

static bool skip_comment(struct text_file *file)
{
    uint32_t line = file->line;

    for (file->at = file->word_at + 2; !scan_word(&file->at, "*/"); file->at++) {
        if (!*file->at)
            return text_file_complain_line(file, line, "this comment does not end");
        if (*file->at == '\n') {
            file->line++;
            file->line_start = file->at + 1;
        }
    }
    return true;
}

/* Reads the next word of this line. Returns false at its end and after a complaint. */
static bool next_word(struct text_file *file)
{
    while (text_file_next(file, STOPS)) {
        if (strncmp(file->word, "/*", 2) == 0) {
            if (!skip_comment(file))
                return false;
        } else if (strncmp(file->word, "//", 2) == 0) {
            file->at += strcspn(file->at, "\n");
        } else {
            return true;
        }
    }
    return false;
}

static bool is_word(const struct text_file *file, const char *word)
{
    return strcmp(file->word, word) == 0;
}

static bool want_word(struct text_file *file, const char *word)
{
    next_word(file);
    return is_word(file, word) ||
           text_file_complain(file, "'%s' is expected here, not '%s'", word, file->word);
}

static bool want_number(struct text_file *file, const char *what, uint64_t most, uint64_t *out)
{
    next_word(file);
    return text_file_number(file, what, most, out);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Reads "10b" or "10 b". */
static bool read_bytes(struct text_file *file, uint64_t *bytes)
{
    const char *at = file->word;

    next_word(file);
    if (!scan_u64(&at, bytes) || (*at && strcmp(at, "b") != 0))
        return text_file_complain(file, "a number of bytes is expected here, such as 1024b");
    if (*bytes > SCHEDULE_FORMAT_BYTES_MAX)
        return text_file_complain(file, "a message of %s; at most %llu bytes", file->word,
            (unsigned long long)SCHEDULE_FORMAT_BYTES_MAX);
    return *at || want_word(file, "b");
}

struct clauses {
    uint32_t tag;
    uint32_t processor;
};

static bool read_clauses(struct text_file *file, struct clauses *clauses)
{
    uint64_t number;

    while (next_word(file)) {
        if (is_word(file, "tag")) {
            next_word(file);
            if (is_word(file, "-1"))
                return text_file_complain(file, "receives with any tag cannot be simulated");
            if (!text_file_count(file, "a tag", &clauses->tag))
                return false;
        } else if (is_word(file, "cpu")) {
            if (!want_number(file, "a processor", PROCESSORS_MAX - 1, &number))
                return false;
            clauses->processor = (uint32_t)number;
        } else if (is_word(file, "nic")) {
            if (!want_number(file, "a NIC", UINT32_MAX, &number))
                return false;
            if (number > 0)
                return text_file_complain(file, "a rank has one NIC here, 0");
        } else {
            return text_file_complain(
                file, "tag, cpu, nic or a new line is expected here, not '%s'", file->word);
        }
    }
    return !*file->yaml->problem;
}

static bool read_computing(struct reading *reading)
{
    struct schedule_build_operation operation = { .rank = reading->rank,
        .line = reading->file->line };
    struct clauses clauses = { 0 };
    uint64_t time_ns;

    if (!want_number(reading->file, "a time in ns", SCHEDULE_FORMAT_TIME_MAX / NS_PS, &time_ns) ||
        !read_clauses(reading->file, &clauses))
        return false;
    operation.time_ps = time_ns * NS_PS;
    operation.processor = clauses.processor;
    return schedule_build_add(reading->build, &operation) != SCHEDULE_BUILD_NONE;
}

static bool read_peer(struct reading *reading, uint32_t *peer)
{
    struct text_file *file = reading->file;

    next_word(file);
    if (is_word(file, "-1"))
        return text_file_complain(file, "receives from any rank cannot be simulated");
    if (!schedule_build_rank(reading->build, "rank", peer))
        return false;
    if (*peer >= reading->rank_count)
        return text_file_complain(
            file, "there is no rank %u: num_ranks is %u", *peer, reading->rank_count);
    if (*peer == reading->rank)
        return text_file_complain(file, "rank %u sends to itself", *peer);
    return true;
}

/* The simulator sends at least one byte. */
static bool read_message(struct reading *reading, bool is_send)
{
    struct text_file *file = reading->file;
    struct schedule_build_operation operation = { .rank = reading->rank, .line = file->line };
    struct clauses clauses = { 0 };
    struct goal_half *half;
    uint64_t bytes = 0;
    uint32_t number;

    if (!read_bytes(file, &bytes) || !want_word(file, is_send ? "to" : "from") ||
        !read_peer(reading, &operation.to) || !read_clauses(file, &clauses))
        return false;
    if (is_send)
        operation.bytes = bytes > 0 ? bytes : 1;
    number = schedule_build_add(reading->build, &operation);
    if (number == SCHEDULE_BUILD_NONE)
        return false;
    half = growing_push(is_send ? &reading->sends : &reading->receives, sizeof(*half));
    *half = (struct goal_half){ .from = is_send ? reading->rank : operation.to,
        .to = is_send ? operation.to : reading->rank,
        .tag = clauses.tag,
        .operation = number,
        .line = operation.line };
    return true;
}

/* The last word begins an operation. */
static bool read_operation(struct reading *reading)
{
    struct text_file *file = reading->file;

    if (is_word(file, "calc"))
        return read_computing(reading);
    if (is_word(file, "send") || is_word(file, "recv"))
        return read_message(reading, is_word(file, "send"));
    return text_file_complain(file, "send, recv or calc is expected here, not '%s'", file->word);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static struct name_table_name name_of(const struct reading *reading)
{
    return (struct name_table_name){ .text = reading->file->word_at,
        .length = (uint32_t)reading->file->word_bytes,
        .scope = reading->rank };
}

static bool read_requirement(struct reading *reading, struct name_table_name label, bool is_begin)
{
    uint32_t waiter = name_table_find(&reading->labels, label);
    struct requirement *requirement;
    uint32_t other;

    if (waiter == NAME_TABLE_NONE)
        return text_file_complain(reading->file, "rank %u has no operation '%.*s' above this line",
            reading->rank, (int)label.length, label.text);
    next_word(reading->file);
    other = name_table_find(&reading->labels, name_of(reading));
    if (other == NAME_TABLE_NONE || other < reading->first_operation ||
        waiter < reading->first_operation)
        return text_file_complain(reading->file, "rank %u has no operation '%s' above this line",
            reading->rank, reading->file->word);
    requirement = growing_push(&reading->requirements, sizeof(*requirement));
    *requirement = (struct requirement){ .waiter = waiter, .other = other, .is_begin = is_begin };
    return !next_word(reading->file) ||
           text_file_complain(reading->file, "a new line is expected here");
}

/* The last word is a label. */
static bool read_labelled(struct reading *reading)
{
    struct text_file *file = reading->file;
    struct name_table_name label = name_of(reading);
    uint32_t other = name_table_find(&reading->labels, label);

    next_word(file);
    if (is_word(file, "requires") || is_word(file, "irequires"))
        return read_requirement(reading, label, file->word[0] == 'i');
    if (!is_word(file, ":"))
        return text_file_complain(file, "':', requires or irequires is expected after '%.*s'",
            (int)label.length, label.text);
    if (other != NAME_TABLE_NONE)
        return text_file_complain(file, "line %u also has the label '%.*s'",
            schedule_build_at(reading->build, other)->line, (int)label.length, label.text);
    name_table_add(&reading->labels, label, reading->build->operations.count);
    next_word(file);
    return read_operation(reading);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Receives that others require to begin get an operation before them, which is when they are
 * posted. `posted` has room for the operations of the block. */
static bool add_requirements(struct reading *reading, uint32_t *posted)
{
    const struct requirement *all = reading->requirements.elements;
    uint32_t first = reading->first_operation;
    struct schedule_build *build = reading->build;
    const struct goal_half *receives = reading->receives.elements;

    for (uint32_t i = reading->receives.count; i > 0 && receives[i - 1].operation >= first; i--)
        posted[receives[i - 1].operation - first] = SCHEDULE_BUILD_NONE;
    for (uint32_t i = 0; i < reading->requirements.count; i++) {
        uint32_t *place = &posted[all[i].other - first];

        if (!all[i].is_begin || *place != SCHEDULE_BUILD_NONE)
            continue;
        *place =
            schedule_build_add(build, &(struct schedule_build_operation){ .rank = reading->rank,
                                          .line = schedule_build_at(build, all[i].other)->line });
        if (*place == SCHEDULE_BUILD_NONE)
            return false;
        schedule_build_let_wait(build, all[i].other, *place, SIM_AFTER_END);
    }
    for (uint32_t i = 0; i < reading->requirements.count; i++) {
        uint32_t waiter = posted[all[i].waiter - first];
        uint32_t other = posted[all[i].other - first];
        bool is_receive = other != 0 && other != SCHEDULE_BUILD_NONE && all[i].is_begin;

        schedule_build_let_wait(build,
            waiter != 0 && waiter != SCHEDULE_BUILD_NONE ? waiter : all[i].waiter,
            is_receive ? other : all[i].other, all[i].is_begin ? SIM_AFTER_BEGIN : SIM_AFTER_END);
    }
    return true;
}

static bool end_block(struct reading *reading)
{
    uint32_t count = reading->build->operations.count - reading->first_operation;
    uint32_t *posted = calloc((size_t)count + 1, sizeof(*posted));
    bool is_good = posted && add_requirements(reading, posted);

    free(posted);
    reading->requirements.count = 0;
    return is_good;
}

/* The last word is "rank". */
static bool read_block(struct reading *reading)
{
    struct text_file *file = reading->file;

    next_word(file);
    if (!schedule_build_rank(reading->build, "rank", &reading->rank))
        return false;
    if (reading->rank >= reading->rank_count)
        return text_file_complain(
            file, "there is no rank %u: num_ranks is %u", reading->rank, reading->rank_count);
    if (!want_word(file, "{"))
        return false;
    reading->first_operation = reading->build->operations.count;
    do {
        while (next_word(file)) {
            if (is_word(file, "}"))
                return end_block(reading);
            if (!(is_word(file, "calc") || is_word(file, "send") || is_word(file, "recv")
                        ? read_operation(reading)
                        : read_labelled(reading)))
                return false;
        }
    } while (!*file->yaml->problem && text_file_next_line(file));
    return *file->yaml->problem
               ? false
               : text_file_complain(file, "the '}' of rank %u is missing", reading->rank);
}

static bool read_blocks(struct reading *reading)
{
    struct text_file *file = reading->file;
    uint64_t count;

    while (text_file_next_line(file))
        while (next_word(file)) {
            if (is_word(file, "num_ranks") && reading->rank_count == 0) {
                if (!want_number(file, "a number of ranks", reading->build->rank_max, &count))
                    return false;
                reading->rank_count = (uint32_t)count;
            } else if (!is_word(file, "rank") || reading->rank_count == 0) {
                return text_file_complain(file, "'%s' is expected here, not '%s'",
                    reading->rank_count ? "rank" : "num_ranks", file->word);
            } else if (!read_block(reading)) {
                return false;
            }
        }
    return !*file->yaml->problem;
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool schedule_goal_read(
    struct schedule_build *build, const struct schedule_options *options, uint32_t *rank_count)
{
    struct reading reading = { .build = build, .file = build->file };
    bool is_good = read_blocks(&reading) && goal_match(build, &reading.sends, &reading.receives);

    (void)options;
    *rank_count = reading.rank_count;
    if (is_good && reading.rank_count == 0)
        is_good =
            text_file_complain_line(reading.file, 1, "the file is empty; begin with num_ranks");
    name_table_fini(&reading.labels);
    growing_fini(&reading.sends);
    growing_fini(&reading.receives);
    growing_fini(&reading.requirements);
    return is_good;
}
