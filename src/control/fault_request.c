/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a request about a fault. */
#include "control/fault_request.h"

#include "files/files.h"

void fault_request_write(const struct fault *fault, struct request_line *request)
{
    request_line_begin(request, "fault");
    request_line_text(request, "kind", fault_kind_words[fault->kind]);
    request_line_text(request, "direction", fault_direction_words[fault->direction]);
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++)
        if (fault_kind_has(fault->kind, (enum fault_parameter)i))
            request_line_number(
                request, fault_parameters[i].request, fault_get(fault, (enum fault_parameter)i));
    request_line_number(request, "at_ps", fault->from_ps);
    if (fault->until_ps != FAULT_NEVER_PS)
        request_line_number(request, "for_ps", fault->until_ps - fault->from_ps);
}

static uint64_t number_of(const json_t *of, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(of, key));
}

/* Returns the index of its word, or 0, the first of the list. */
static int word_of(const json_t *of, const char *key, const char *const *words)
{
    const char *word = json_string_value(json_object_get(of, key));
    int number = word ? word_find(words, word) : 0;

    return number < 0 ? 0 : number;
}

struct fault fault_request_read(const json_t *json)
{
    struct fault fault = { .until_ps = FAULT_NEVER_PS };

    fault.kind = (enum fault_kind)word_of(json, "kind", fault_kind_words);
    fault.direction = (enum fault_direction)word_of(json, "direction", fault_direction_words);
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++)
        fault_set(&fault, (enum fault_parameter)i, number_of(json, fault_parameters[i].request));
    fault.from_ps = number_of(json, "at_ps");
    if (json_object_get(json, "until_ps"))
        fault.until_ps = number_of(json, "until_ps");
    return fault;
}

struct fault fault_request_slowed(const struct fault *fault, uint64_t factor)
{
    struct fault slow = *fault;

    slow.from_ps *= factor;
    slow.period_ps *= factor;
    if (fault->until_ps != FAULT_NEVER_PS)
        slow.until_ps *= factor;
    return slow;
}

struct fault fault_request_sped_up(const struct fault *fault, uint64_t factor)
{
    struct fault fast = *fault;

    fast.from_ps /= factor;
    fast.period_ps /= factor;
    if (fault->until_ps != FAULT_NEVER_PS)
        fast.until_ps /= factor;
    return fast;
}
