/* SPDX-License-Identifier: Apache-2.0 */
/* Parses command lines and prints help from tables of options. */
#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"

enum {
    ROWS_MAX = 64,
    LONG_CODE = 256, /* the code of the first row; larger than all letters */
    LEFT_BYTES = 80,
    LEFT_COLUMNS_MAX = 26, /* after longer ones, the help begins on the next line */
};

/* The arguments of getopt_long() for a table. */
struct known {
    struct option names[ROWS_MAX + 2];
    size_t count;
    char letters[2 * ROWS_MAX + 8];
};

/* ---- finding --------------------------------------------------------------------------------- */

static bool has_letter(const struct option_table *table, const struct option_row *row, int letter)
{
    return row->kind != OPTION_HEADING && row->letter == letter &&
           (row->letter_modes == 0 || row->letter_modes & table->letter_modes);
}

static const struct option_row *row_of_letter(const struct option_table *table, int letter)
{
    for (size_t i = 0; letter && i < table->count; i++)
        if (has_letter(table, &table->rows[i], letter))
            return &table->rows[i];
    return NULL;
}

const struct option_row *options_find(const struct option_table *table, const char *typed)
{
    if (typed[0] == '-' && typed[1] != '-')
        return row_of_letter(table, typed[1]);
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].name && strcmp(table->rows[i].name, typed + 2) == 0)
            return &table->rows[i];
    return NULL;
}

static void add_name(struct known *known, const char *name, const char *value, int code)
{
    known->names[known->count++] = (struct option){
        .name = name, .has_arg = value ? required_argument : no_argument, .val = code
    };
}

static void gather_rows(const struct option_table *table, struct known *known)
{
    char *letter = known->letters;

    *known = (struct known){ 0 };
    if (table->ends_at_word)
        *letter++ = '+';
    *letter++ = ':';
    *letter++ = 'h';
    for (size_t i = 0; i < table->count && i < ROWS_MAX; i++) {
        const struct option_row *row = &table->rows[i];

        if (row->name)
            add_name(known, row->name, row->value, LONG_CODE + (int)i);
        if (row->letter && has_letter(table, row, row->letter)) {
            *letter++ = row->letter;
            if (row->value)
                *letter++ = ':';
        }
    }
    add_name(known, "help", NULL, 'h');
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Accepts decimal numbers, and hexadecimal numbers after 0x. */
static bool parse_number(const char *text, uint64_t *number)
{
    bool is_hex = strncmp(text, "0x", 2) == 0;
    const char *digits = is_hex ? text + 2 : text;

    if (!*digits ||
        strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789") < strlen(digits))
        return false;
    errno = 0;
    *number = strtoull(digits, NULL, is_hex ? 16 : 10);
    return errno == 0;
}

/* Accepts the suffixes K, M and G, which are powers of 1024. */
static bool parse_size(const char *text, uint64_t *number)
{
    static const char units[] = "KMG";
    size_t length = strlen(text);
    const char *unit = length ? strchr(units, text[length - 1] & ~0x20) : NULL;
    char digits[32];

    if (!unit || !*unit || length > sizeof(digits))
        return parse_number(text, number);
    memcpy(digits, text, length - 1);
    digits[length - 1] = '\0';
    if (!parse_number(digits, number))
        return false;
    *number <<= 10 * (unit - units + 1);
    return true;
}

static enum cmd_status complain_number(
    const char *command, const char *option, const char *text, struct option_range range)
{
    if (range.most == 0)
        return cmd_complain(CMD_MISUSED, command, "%s takes a number of at least %llu, not '%s'",
            option, (unsigned long long)range.least, text);
    return cmd_complain(CMD_MISUSED, command, "%s takes a number from %llu to %llu, not '%s'",
        option, (unsigned long long)range.least, (unsigned long long)range.most, text);
}

static bool is_within(uint64_t number, struct option_range range)
{
    return number >= range.least && (range.most == 0 || number <= range.most);
}

enum cmd_status options_number(const char *command, const char *option, const char *text,
    struct option_range range, uint64_t *number)
{
    if (parse_number(text, number) && is_within(*number, range))
        return CMD_DONE;
    return complain_number(command, option, text, range);
}

enum cmd_status options_size(const char *command, const char *option, const char *text,
    struct option_range range, uint64_t *number)
{
    if (parse_size(text, number) && is_within(*number, range))
        return CMD_DONE;
    return complain_number(command, option, text, range);
}

/* The row limits `number` to a value that fits the member. */
static void store_number(void *to, size_t bytes, uint64_t number)
{
    uint8_t one = (uint8_t)number;
    uint32_t four = (uint32_t)number;

    if (bytes == sizeof(one))
        memcpy(to, &one, sizeof(one));
    else if (bytes == sizeof(four))
        memcpy(to, &four, sizeof(four));
    else
        memcpy(to, &number, sizeof(number));
}

static enum cmd_status take_number(
    const struct option_table *table, const struct option_row *row, char *to)
{
    struct option_range range = { row->least, row->most };
    char option[LEFT_BYTES];
    uint64_t number = 0;
    enum cmd_status status;

    snprintf(option, sizeof(option), "--%s", row->name ? row->name : (char[]){ row->letter, 0 });
    if (row->kind == OPTION_SIZE)
        status = options_size(table->command, option, optarg, range, &number);
    else
        status = options_number(table->command, option, optarg, range, &number);
    if (status == CMD_DONE)
        store_number(to, row->bytes, number);
    return status;
}

static enum cmd_status take_item(
    const struct option_table *table, const struct option_row *row, struct option_list *list)
{
    if (list->count == OPTION_LIST_MAX)
        return cmd_complain(
            CMD_MISUSED, table->command, "more than %d options --%s", OPTION_LIST_MAX, row->name);
    list->at[list->count++] = optarg;
    return CMD_DONE;
}

static enum cmd_status take_row(
    const struct option_table *table, const struct option_row *row, void *options)
{
    char *to = (char *)options + row->offset;

    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)to = true;
        return CMD_DONE;
    case OPTION_TEXT:
        memcpy(to, &optarg, sizeof(optarg));
        return CMD_DONE;
    case OPTION_NUMBER:
    case OPTION_SIZE:
        return take_number(table, row, to);
    case OPTION_LIST:
        return take_item(table, row, (struct option_list *)(void *)to);
    default:
        return row->read(options, row->value ? optarg : NULL);
    }
}

/* ---- complaints ------------------------------------------------------------------------------ */

static bool is_ambiguous(const struct known *known, const char *typed)
{
    size_t matches = 0;

    for (size_t i = 0; i < known->count; i++)
        matches += strncmp(known->names[i].name, typed, strlen(typed)) == 0;
    return matches > 1;
}

static enum cmd_status complain_name(
    const struct option_table *table, const struct known *known, const char *typed)
{
    const char *names[ROWS_MAX + 1];
    const char *meant;

    if (is_ambiguous(known, typed + 2))
        return cmd_complain(CMD_MISUSED, table->command,
            "'%s' is ambiguous; '%s %s --help' lists them", typed, cmd_program, table->command);
    for (size_t i = 0; i < known->count; i++)
        names[i] = known->names[i].name;
    meant = nearest_word(typed + 2, names, known->count);
    if (meant)
        return cmd_complain(CMD_MISUSED, table->command,
            "there is no option '%s'; did you mean --%s?", typed, meant);
    return cmd_complain(CMD_MISUSED, table->command,
        "there is no option '%s'; '%s %s --help' lists them", typed, cmd_program, table->command);
}

/* getopt_long() leaves the letter in optopt; for a long option, its code or 0. */
static enum cmd_status complain_option(
    const struct option_table *table, const struct known *known, int code, char **arguments)
{
    const char *typed = arguments[optind - 1];

    if (code == ':')
        return cmd_complain(CMD_MISUSED, table->command,
            "'%s' requires a value; see '%s %s --help'", typed, cmd_program, table->command);
    if (optopt > 0 && optopt < LONG_CODE && strncmp(typed, "--", 2) != 0)
        return cmd_complain(CMD_MISUSED, table->command,
            "there is no option '-%c'; '%s %s --help' lists them", optopt, cmd_program,
            table->command);
    if (optopt > 0)
        return cmd_complain(CMD_MISUSED, table->command, "'%s' takes no value", typed);
    return complain_name(table, known, typed);
}

/* ---- reading --------------------------------------------------------------------------------- */

bool options_read(const struct option_table *table, void *options, int argument_count,
    char **arguments, enum cmd_status *status)
{
    struct known known;
    int code;

    gather_rows(table, &known);
    opterr = 0;
    optind = 0;
    *status = CMD_DONE;
    while (
        (code = getopt_long(argument_count, arguments, known.letters, known.names, NULL)) != -1) {
        if (code == 'h' && !row_of_letter(table, 'h')) {
            options_print_help(table, stdout);
            return false;
        }
        if (code == '?' || code == ':')
            *status = complain_option(table, &known, code, arguments);
        else
            *status = take_row(table,
                code < LONG_CODE ? row_of_letter(table, code) : &table->rows[code - LONG_CODE],
                options);
        if (*status != CMD_DONE)
            return false;
    }
    return true;
}

/* ---- help ------------------------------------------------------------------------------------ */

/* "-o, --output FILE" */
static size_t write_left(const struct option_row *row, char out[static LEFT_BYTES])
{
    char letter[] = "    ";

    if (row->letter)
        snprintf(letter, sizeof(letter), "-%c, ", row->letter);
    return (size_t)snprintf(out, LEFT_BYTES, "%s--%s%s%s", row->letter ? letter : "    ", row->name,
        row->value ? " " : "", row->value ? row->value : "");
}

static bool is_shown(const struct option_row *row)
{
    return row->kind != OPTION_HEADING && row->name && row->help;
}

static size_t left_columns(const struct option_table *table)
{
    size_t columns = strlen("-h, --help");
    char left[LEFT_BYTES];

    for (size_t i = 0; i < table->count; i++) {
        size_t length = is_shown(&table->rows[i]) ? write_left(&table->rows[i], left) : 0;

        if (length > columns && length <= LEFT_COLUMNS_MAX)
            columns = length;
    }
    return columns;
}

static void print_row(FILE *to, const char *left, const char *help, size_t columns)
{
    if (strlen(left) > columns)
        fprintf(to, "  %s\n%*s", left, (int)columns + 4, "");
    else
        fprintf(to, "  %-*s  ", (int)columns, left);
    while (*help) {
        size_t length = strcspn(help, "\n");

        fprintf(to, "%.*s\n", (int)length, help);
        help += length + (help[length] == '\n');
        if (*help)
            fprintf(to, "%*s", (int)columns + 4, "");
    }
}

void options_print_help(const struct option_table *table, FILE *to)
{
    size_t columns = left_columns(table);
    char left[LEFT_BYTES];

    fprintf(to, "%s\n\n", table->intro);
    if (table->list)
        table->list(to);
    for (size_t i = 0; i < table->count; i++) {
        const struct option_row *row = &table->rows[i];

        if (row->kind == OPTION_HEADING)
            fprintf(to, "%s\n", row->help);
        if (!is_shown(row))
            continue;
        write_left(row, left);
        print_row(to, left, row->help, columns);
    }
    print_row(to, "-h, --help", "print this help", columns);
    if (table->closing)
        fprintf(to, "\n%s\n", table->closing);
}
