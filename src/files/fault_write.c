/* SPDX-License-Identifier: Apache-2.0 */
/* Writes faults key by key. */
#include "files/fault_write.h"

#include <inttypes.h>

static void write_parameter(FILE *file, enum fault_quantity quantity, uint64_t value)
{
    switch (quantity) {
    case FAULT_QUANTITY_FRACTION:
        fprintf(file, "%.12f\n", (double)value / 4294967296.0);
        break;
    case FAULT_QUANTITY_BIT_RATE:
        fprintf(file, "%" PRIu64 "b/s\n", value);
        break;
    case FAULT_QUANTITY_TIME:
        fprintf(file, "%" PRIu64 "ps\n", value);
        break;
    default:
        fprintf(file, "%" PRIu64 ".%03" PRIu64 "\n", value / 1000, value % 1000);
        break;
    }
}

void fault_write_kind(FILE *file, const struct fault *fault)
{
    fprintf(file, "  - kind: %s\n", fault_kind_words[fault->kind]);
    if (fault->direction != FAULT_BOTH_WAYS)
        fprintf(file, "    direction: %s\n", fault_direction_words[fault->direction]);
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++) {
        if (!fault_kind_has(fault->kind, (enum fault_parameter)i))
            continue;
        fprintf(file, "    %s: ", fault_parameters[i].key);
        write_parameter(
            file, fault_parameters[i].quantity, fault_get(fault, (enum fault_parameter)i));
    }
}

void fault_write_times(FILE *file, const struct fault *fault)
{
    if (fault->from_ps > 0)
        fprintf(file, "    at: %" PRIu64 "ps\n", fault->from_ps);
    if (fault->until_ps != FAULT_NEVER_PS)
        fprintf(file, "    until: %" PRIu64 "ps\n", fault->until_ps);
}
