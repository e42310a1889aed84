/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of counters. A layer lists its counters in a .def file of lines
 *
 *     COUNTER(PACKETS_SENT, packets_sent, "data packets sent, first transmissions and repeats")
 *
 * and expands the list three times: to an enum of indexes (COUNTER_PACKETS_SENT ... COUNTER_COUNT),
 * an array `uint64_t value[COUNTER_COUNT]`, and a table of these descriptions, from which JSON,
 * dashboard and manual are generated. */
#pragma once

struct counter_description {
    const char *name; /* as in JSON: lower case, underscores */
    const char *help; /* one line, no full stop */
};
