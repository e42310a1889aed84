/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and evaluates a criterion in one pass, by recursive descent. */
#include "files/criterion.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32

struct reader {
    const char *at;
    criterion_lookup *lookup;
    void *context;
    struct criterion_outcome *outcome;
    int depth;
};

static double expression(struct reader *);

static bool has_stopped(const struct reader *reader)
{
    return reader->outcome->result != CRITERION_HOLDS;
}

static double stop_reader(
    struct reader *reader, enum criterion_result result, const char *what, const char *name)
{
    if (has_stopped(reader))
        return 0;
    reader->outcome->result = result;
    snprintf(reader->outcome->problem, CRITERION_PROBLEM_BYTES, what, name);
    return 0;
}

static char next(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\n");
    return *reader->at;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static double number(struct reader *reader)
{
    char *end;
    double value = strtod(reader->at, &end);

    reader->at = end;
    if (*end == '%') {
        reader->at++;
        return value / 100;
    }
    if (is_letter(*end))
        return stop_reader(reader, CRITERION_MALFORMED, "a number is followed by '%.20s'", end);
    return value;
}

static double name(struct reader *reader)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t length = strspn(reader->at, letters);
    char word[CRITERION_NAME_BYTES];
    double value = 0;

    if (length >= sizeof(word))
        return stop_reader(reader, CRITERION_MALFORMED, "a name is too long: '%.20s'", reader->at);
    memcpy(word, reader->at, length);
    word[length] = '\0';
    reader->at += length;
    if (!has_stopped(reader) && !reader->lookup(reader->context, word, &value))
        return stop_reader(reader, CRITERION_UNKNOWN, "there is no '%.120s'", word);
    return value;
}

static double factor(struct reader *reader)
{
    char c = next(reader);
    double value;

    if ((c >= '0' && c <= '9') || c == '.')
        return number(reader);
    if (is_letter(c))
        return name(reader);
    if (c != '(' || ++reader->depth > DEPTH_MAX)
        return stop_reader(reader, CRITERION_MALFORMED, "a number or a name is expected at '%.20s'",
            *reader->at ? reader->at : "the end");
    reader->at++;
    value = expression(reader);
    if (next(reader) != ')')
        return stop_reader(reader, CRITERION_MALFORMED, "a ')' is missing at '%.20s'",
            *reader->at ? reader->at : "the end");
    reader->at++;
    reader->depth--;
    return value;
}

static double term(struct reader *reader)
{
    double value = factor(reader);

    while (!has_stopped(reader) && (next(reader) == '*' || *reader->at == '/')) {
        char sign = *reader->at++;
        double right = factor(reader);

        if (sign == '/' && right == 0)
            return stop_reader(reader, CRITERION_UNKNOWN, "division by zero%s", "");
        value = sign == '*' ? value * right : value / right;
    }
    return value;
}

static double expression(struct reader *reader)
{
    double value = term(reader);

    while (!has_stopped(reader) && (next(reader) == '+' || *reader->at == '-')) {
        bool adds = *reader->at++ == '+';
        double right = term(reader);

        value = adds ? value + right : value - right;
    }
    return value;
}

static bool compare_numbers(const char *sign, double left, double right)
{
    assert(sign);
    switch (sign[0]) {
    case '>':
        return sign[1] ? left >= right : left > right;
    case '<':
        return sign[1] ? left <= right : left < right;
    case '=':
        return left == right;
    default:
        return left != right;
    }
}

static const char *comparison(struct reader *reader)
{
    static const char *const signs[] = { ">=", "<=", "==", "!=", ">", "<" };

    next(reader);
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strncmp(reader->at, signs[i], strlen(signs[i])) == 0) {
            reader->at += strlen(signs[i]);
            return signs[i];
        }
    stop_reader(reader, CRITERION_MALFORMED, "one of >= <= > < == != is expected at '%.20s'",
        *reader->at ? reader->at : "the end");
    return NULL;
}

void criterion_evaluate(
    const char *text, criterion_lookup *lookup, void *context, struct criterion_outcome *outcome)
{
    struct reader reader = {
        .at = text,
        .lookup = lookup,
        .context = context,
        .outcome = outcome,
    };
    const char *sign = NULL;
    double right = 0;

    *outcome = (struct criterion_outcome){ .result = CRITERION_HOLDS };
    outcome->value = expression(&reader);
    if (!has_stopped(&reader))
        sign = comparison(&reader);
    if (sign)
        right = expression(&reader);
    if (!has_stopped(&reader) && next(&reader))
        stop_reader(&reader, CRITERION_MALFORMED, "nothing more is expected at '%.20s'", reader.at);
    if (!has_stopped(&reader) && !compare_numbers(sign, outcome->value, right))
        outcome->result = CRITERION_FAILS;
}
