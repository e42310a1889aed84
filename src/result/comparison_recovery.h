/* SPDX-License-Identifier: Apache-2.0 */
/* What faults cost a run, compared with its own goodput before them. */
#pragma once

#include <jansson.h>

/* Returns "faults", a list with kind, where, at_us, recovered_us and stood_us; "unrecovered", the
 * number of faults after which the goodput was low to the end; "recovered_us" of the slowest, null
 * if there was none or one was not recovered from; and the sum of "stood_us". A fault that finds no
 * goodput has neither time. `run` has its series. */
json_t *comparison_recovery(const json_t *run);
