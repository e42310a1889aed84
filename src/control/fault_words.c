/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the words of a fault. */
#include "control/fault_words.h"

#include <stdarg.h>
#include <string.h>

#include "files/files.h"
#include "network/network.h"

/* A request that is being parsed, and the reason for a refusal. */
struct reading {
    struct fault_words *words;
    struct request_line *request;
    char *reason;
};

__attribute__((format(printf, 2, 3))) static bool refuse_word(
    const struct reading *reading, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reading->reason, FAULT_WORDS_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

static const char *next_word(const struct reading *reading)
{
    if (reading->words->left == 0)
        return NULL;
    reading->words->left--;
    return *reading->words->next++;
}

/* Checks a word against a list that ends with NULL. If it is not there, the reason names the
 * nearest word, or all words. */
static bool check_word(const struct reading *reading, const char *word, const char *const *known)
{
    const char *meant = word ? word_nearest(known, word) : NULL;
    char list[160];

    if (word && word_find(known, word) >= 0)
        return true;
    if (meant)
        return refuse_word(reading, "%s: did you mean '%s'?", word, meant);
    word_list(known, list, sizeof(list));
    return refuse_word(reading, "%s: must be %s", word ? word : "(nothing)", list);
}

/* ---- the kind of a fault --------------------------------------------------------------------- */

static const enum quantity_kind quantities[FAULT_QUANTITY_COUNT] = {
    [FAULT_QUANTITY_FRACTION] = QUANTITY_FRACTION,
    [FAULT_QUANTITY_BIT_RATE] = QUANTITY_RATE,
    [FAULT_QUANTITY_TIME] = QUANTITY_TIME,
    [FAULT_QUANTITY_PERMILLE] = QUANTITY_PERMILLE,
};

static bool read_quantity(
    const struct reading *reading, const char *what, enum quantity_kind kind, const char *key)
{
    const char *word = next_word(reading);
    uint64_t value;

    if (!word || quantity_parse(kind, word, &value) != QUANTITY_OK)
        return refuse_word(
            reading, "%s %s: must be %s", what, word ? word : "(nothing)", quantity_example(kind));
    if (kind == QUANTITY_RATE && value < reading->words->rate_bps_min)
        return refuse_word(
            reading, "slow: must be at least 1Mb/s; use 'blackhole' to stop all packets");
    request_line_number(reading->request, key, value);
    return true;
}

static bool is_end(const struct fault_words *words)
{
    return words->left == 0 || strcmp(*words->next, "for") == 0 ||
           strcmp(*words->next, "direction") == 0;
}

/* Reads the parameters that the kind requires, and optional ones if they follow. */
static bool read_parameters(const struct reading *reading, enum fault_kind kind)
{
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++) {
        enum fault_parameter parameter = (enum fault_parameter)i;

        if ((fault_kind_needs(kind, parameter) ||
                (fault_kind_has(kind, parameter) && !is_end(reading->words))) &&
            !read_quantity(reading, fault_kind_words[kind],
                quantities[fault_parameters[i].quantity], fault_parameters[i].request))
            return false;
    }
    return true;
}

static bool read_how(const struct reading *reading, const char *how)
{
    const char *known[FAULT_KIND_COUNT + 2];

    memcpy(known, fault_kind_words, sizeof(fault_kind_words));
    known[FAULT_KIND_COUNT] = "up";
    known[FAULT_KIND_COUNT + 1] = NULL;
    if (!check_word(reading, how, known))
        return false;
    return strcmp(how, "up") == 0 ||
           read_parameters(reading, (enum fault_kind)word_find(known, how));
}

static bool read_direction(const struct reading *reading)
{
    const char *word = next_word(reading);

    if (!check_word(reading, word, fault_direction_words))
        return false;
    request_line_text(reading->request, "direction", word);
    return true;
}

/* Reads "direction up", "for 2s". */
static bool read_rest(const struct reading *reading, const char *how)
{
    bool has_time = false;
    bool is_good = true;
    const char *word;

    while (is_good && (word = next_word(reading))) {
        if (has_time)
            return refuse_word(reading, "%s: nothing may follow the time", word);
        if (strcmp(word, "for") != 0 && strcmp(word, "direction") != 0)
            return refuse_word(
                reading, "%s: only 'direction up' or 'down' and 'for TIME' may follow", word);
        if (strcmp(how, "up") == 0)
            return refuse_word(reading, "up: takes no duration and no direction; omit '%s'", word);
        has_time = strcmp(word, "for") == 0;
        is_good = has_time ? read_quantity(reading, "for", QUANTITY_TIME, "for_ps")
                           : read_direction(reading);
    }
    return is_good;
}

/* ---- the complete fault ---------------------------------------------------------------------- */

static void write_place(struct request_line *request, const char *what, const char *where)
{
    if (strcmp(what, "ev") == 0) {
        request_line_text(request, "ev", where);
    } else {
        request_line_text(request, "what", what);
        request_line_text(request, "where", where);
    }
}

const char *const fault_words_first[] = { "link", "port", "switch", "plane", "nic", "group", "ev",
    "clear", "run", NULL };

bool fault_words_read(
    struct fault_words *words, struct request_line *request, char reason[FAULT_WORDS_REASON_BYTES])
{
    struct reading reading = { .words = words, .request = request, .reason = reason };
    const char *what = next_word(&reading);
    const char *where;
    const char *how;

    if (!check_word(&reading, what, fault_words_first))
        return false;
    where = next_word(&reading);
    how = next_word(&reading);
    if (!where || !how)
        return refuse_word(
            &reading, "give a place and a kind of fault; see 'mrc fabric fault --help'");
    request_line_begin(request, strcmp(how, "up") == 0 ? "clear" : "fault");
    write_place(request, what, where);
    if (strcmp(how, "up") != 0)
        request_line_text(request, "kind", how);
    return read_how(&reading, how) && read_rest(&reading, how);
}

/* ---- help ------------------------------------------------------------------------------------ */

/* Prints a line such as "flap PERIOD SHARE     flap 10ms 50%". */
static void print_kind(FILE *to, enum fault_kind kind)
{
    char form[48];
    char example[48];
    size_t form_length = (size_t)snprintf(form, sizeof(form), "%s", fault_kind_words[kind]);
    size_t length = (size_t)snprintf(example, sizeof(example), "%s", fault_kind_words[kind]);

    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++) {
        if (!fault_kind_has(kind, (enum fault_parameter)i))
            continue;
        form_length += (size_t)snprintf(
            form + form_length, sizeof(form) - form_length, " %s", fault_parameters[i].form);
        length += (size_t)snprintf(
            example + length, sizeof(example) - length, " %s", fault_parameters[i].example);
    }
    if (fault_kinds[kind].needs == 0)
        fprintf(to, "                 %s\n", form);
    else
        fprintf(to, "                 %-21s %s\n", form, example);
}

void fault_words_print_kinds(FILE *to)
{
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++)
        print_kind(to, (enum fault_kind)kind);
}
