/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads the plan of a fabric with exceptional links as text. */
#include "plan/plan_exceptions.h"

#include <string.h>

#include "base/scan.h"
#include "base/text.h"
#include "plan/plan.h"

enum { EXCEPTIONS_MAX = 1 << 22 };

/* What follows the counts. */
enum { BLOCK, HOST_BPS, HOST_DELAY_PS, UPLINK_BPS, UPLINK_DELAY_PS, EXCEPTIONS, NUMBER_COUNT };

/* ---- writing --------------------------------------------------------------------------------- */

static bool changes_paths(const struct topology_exception *exception)
{
    return exception->missing || exception->rate_bps > 0;
}

uint32_t plan_exceptions_count(const struct plan *plan)
{
    const struct topology_config *config = &plan->topology.config;
    uint32_t count = 0;

    for (uint32_t i = 0; !plan->topology.graph && i < config->exception_count; i++)
        count += changes_paths(&config->exceptions[i]);
    return count;
}

static void write_heading(const struct plan *plan, struct text *text)
{
    const struct topology_config *config = &plan->topology.config;

    text_add(text, "fabric");
    for (const struct topology_count *count = topology_counts; count->key; count++) {
        text_char(text, ' ');
        text_number(text, topology_count_get(config, count));
    }
    text_fill(text, " % % % % % %\n",
        (const uint64_t[NUMBER_COUNT]){ config->usid_block, config->host_link.rate_bps,
            config->host_link.delay_ps, config->uplink.rate_bps, config->uplink.delay_ps,
            plan_exceptions_count(plan) });
}

static void write_exception(const struct topology_exception *exception, struct text *text)
{
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(&exception->link, name);
    text_add(text, "exception ");
    text_add(text, name);
    text_fill(text, " % %\n", (const uint64_t[]){ exception->missing, exception->rate_bps });
}

bool plan_exceptions_line(
    const struct plan *plan, uint32_t number, char out[static PLAN_EXCEPTIONS_LINE_BYTES])
{
    const struct topology_config *config = &plan->topology.config;
    struct text text = text_in(out, PLAN_EXCEPTIONS_LINE_BYTES);
    uint32_t seen = 0;

    if (number == 0)
        write_heading(plan, &text);
    for (uint32_t i = 0; number > 0 && i < config->exception_count && text.length == 0; i++)
        if (changes_paths(&config->exceptions[i]) && ++seen == number)
            write_exception(&config->exceptions[i], &text);
    return text.length > 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_counts(const char **at, struct topology_config *config)
{
    for (const struct topology_count *count = topology_counts; count->key; count++) {
        uint32_t value;

        if (!scan_word(at, " ") || !scan_u32(at, &value))
            return false;
        memcpy((char *)config + count->offset, &value, sizeof(value));
    }
    return true;
}

static bool read_heading(const char **at, struct topology_config *config)
{
    uint64_t numbers[NUMBER_COUNT];

    topology_config_init(config);
    if (!scan_word(at, "fabric") || !read_counts(at, config))
        return false;
    for (uint32_t i = 0; i < NUMBER_COUNT; i++)
        if (!scan_word(at, " ") || !scan_u64(at, &numbers[i]))
            return false;
    if (!scan_word(at, "\n") || numbers[BLOCK] > UINT32_MAX || numbers[EXCEPTIONS] > EXCEPTIONS_MAX)
        return false;
    config->usid_block = (uint32_t)numbers[BLOCK];
    config->host_link = (struct topology_link_kind){ numbers[HOST_BPS], numbers[HOST_DELAY_PS] };
    config->uplink = (struct topology_link_kind){ numbers[UPLINK_BPS], numbers[UPLINK_DELAY_PS] };
    config->exception_count = (uint32_t)numbers[EXCEPTIONS];
    return true;
}

bool plan_exceptions_size(const char *text, uint32_t *count)
{
    struct topology_config config;

    if (!read_heading(&text, &config))
        return false;
    *count = config.exception_count;
    return true;
}

static bool read_exception(
    const char **at, const struct topology *usual, struct topology_exception *out)
{
    char reason[TOPOLOGY_REASON_BYTES];
    char name[TOPOLOGY_NAME_BYTES];
    uint32_t missing;

    *out = (struct topology_exception){ 0 };
    if (!scan_word(at, "exception ") || !scan_until(at, ' ', name, sizeof(name)) ||
        !topology_find(usual, name, &out->link, reason))
        return false;
    if (!scan_u32(at, &missing) || missing > 1 || !scan_word(at, " ") ||
        !scan_u64(at, &out->rate_bps) || !scan_word(at, "\n"))
        return false;
    out->missing = missing;
    return true;
}

bool plan_exceptions_read(
    const char *text, struct topology_exception *exceptions, struct plan *plan)
{
    struct topology_problem problem;
    struct topology_config config;
    uint32_t count;

    if (!read_heading(&text, &config))
        return false;
    count = config.exception_count;
    config.exception_count = 0;
    if (!plan_init(plan, &config, NULL, &problem)) /* to find links by name */
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_exception(&text, &plan->topology, &exceptions[i]))
            return false;
    config.exceptions = exceptions;
    config.exception_count = count;
    return *text == '\0' && plan_init(plan, &config, exceptions + count, &problem);
}
