/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing actions and doing them. */
#include "attacker.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ACTIONS_MAX = 64, LOOK_EVERY = 500 };

uint64_t attacker_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void attacker_fail(const char *format, ...)
{
    va_list arguments;

    fputs("hostile: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

const char *attacker_option(
    int argument_count, char **arguments, const char *name, const char *otherwise)
{
    size_t length = strlen(name);

    for (int i = 1; i < argument_count; i++)
        if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=')
            return arguments[i] + length + 1;
    return otherwise;
}

static uint64_t number(
    int argument_count, char **arguments, const char *name, const char *otherwise)
{
    return strtoull(attacker_option(argument_count, arguments, name, otherwise), NULL, 10);
}

void attacker_read_options(struct attacker_options *options, int argument_count, char **arguments)
{
    *options = (struct attacker_options){ .seed = number(argument_count, arguments, "seed", "1"),
        .action_count = number(argument_count, arguments, "actions", "20000"),
        .per_second = number(argument_count, arguments, "rate", "0"),
        .only = attacker_option(argument_count, arguments, "only", NULL) };
}

static uint32_t weight_of(
    const struct attacker_options *options, const struct attacker_action *action)
{
    size_t length = strlen(action->name);

    if (!options->only)
        return action->weight;
    for (const char *at = options->only; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, action->name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return action->weight;
    }
    return 0;
}

static size_t draw(struct prng *prng, const uint32_t *weights, size_t count)
{
    uint32_t sum = 0;
    uint32_t drawn;
    size_t i = 0;

    for (size_t at = 0; at < count; at++)
        sum += weights[at];
    drawn = prng_below(prng, sum);
    while (drawn >= weights[i])
        drawn -= weights[i++];
    return i;
}

/* Sleeps off what it is ahead of its pace. */
static void keep_pace(const struct attacker_options *options, uint64_t start_ns, uint64_t done)
{
    uint64_t due_ns;
    uint64_t now_ns = attacker_now_ns();

    if (options->per_second == 0)
        return;
    due_ns = start_ns + done * 1000000000 / options->per_second;
    if (due_ns > now_ns)
        nanosleep(&(struct timespec){ .tv_sec = (time_t)((due_ns - now_ns) / 1000000000),
                      .tv_nsec = (long)((due_ns - now_ns) % 1000000000) },
            NULL);
}

void attacker_run(const struct attacker_options *options, const struct attacker_action *actions,
    size_t count, void *context, void (*look)(void *context))
{
    struct prng prng = { .state = options->seed };
    uint64_t start_ns = attacker_now_ns();
    uint64_t counts[ACTIONS_MAX] = { 0 };
    uint32_t weights[ACTIONS_MAX];
    uint64_t done = 0;

    for (size_t i = 0; i < count; i++)
        weights[i] = weight_of(options, &actions[i]);
    for (; done < options->action_count || (options->goes_on && *options->goes_on); done++) {
        size_t which = draw(&prng, weights, count);

        actions[which].act(context, &prng);
        counts[which]++;
        if (done % LOOK_EVERY == 0) {
            look(context);
            keep_pace(options, start_ns, done);
        }
    }
    printf("# %" PRIu64 " actions in %.1f s, seed %" PRIu64 ":", done,
        (double)(attacker_now_ns() - start_ns) / 1e9, options->seed);
    for (size_t i = 0; i < count; i++)
        printf(" %s %" PRIu64, actions[i].name, counts[i]);
    putchar('\n');
}
