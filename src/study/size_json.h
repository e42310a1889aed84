/* SPDX-License-Identifier: Apache-2.0 */
/* Sized fabrics as JSON: what mrc-plan(1) prints with -j, and the data of its page. */
#pragma once

#include <jansson.h>

#include "study/size_candidates.h"
#include "study/size_measure.h"

json_t *size_json_range(struct price_range);
/* Returns a list: section, name, value, unit and formula of each row. */
json_t *size_json_rows(const struct size_report *);
/* Returns a list: part, count, usd_each, watts_each and formula. */
json_t *size_json_parts(const struct size_bill *);
/* Returns the members failures, pairs, minutes_between, network_gpu_hours_per_year and working. */
json_t *size_json_failures(const struct size_failures *, const struct job *);
/* Returns the small fabric, and what was measured there of each failure that was simulated. */
json_t *size_json_measured(
    const struct size_measure *, const struct size_fabric *full, const struct size_failures *);
/* Returns a list of fabrics. */
json_t *size_json_candidates(
    const struct size_candidate *list, uint32_t count, const struct job *job);

/* Returns the numbers from which the fabric is drawn: planes, tiers, ports, racks. */
json_t *size_json_fabric(
    const struct size_fabric *, const struct size_site *, const struct size_bill *);
/* Returns a list: gpus, tiers, switches, usd_per_gpu; the fabrics of the request from few to the
 * most GPUs. */
json_t *size_json_growth(const struct size_request *, const struct size_judge *);
