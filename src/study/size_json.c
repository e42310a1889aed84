/* SPDX-License-Identifier: Apache-2.0 */
/* Composes the members of the documents. */
#include "study/size_json.h"

#include <math.h>

#include "study/size_scale.h"

#define YEAR_MINUTES (365.0 * 24 * 60)

json_t *size_json_range(struct price_range range)
{
    return json_pack("[f,f]", fmin(range.least, range.most), fmax(range.least, range.most));
}

static json_t *row_value(const struct size_row *row)
{
    if (row->text[0])
        return json_string(row->text);
    return row->value.least == row->value.most ? json_real(row->value.least)
                                               : size_json_range(row->value);
}

json_t *size_json_rows(const struct size_report *report)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < report->count; i++) {
        const struct size_row *row = &report->rows[i];

        json_array_append_new(
            rows, json_pack("{s:s,s:s,s:o,s:s,s:s}", "section", row->section, "name", row->name,
                      "value", row_value(row), "unit", row->unit, "formula", row->formula));
    }
    return rows;
}

json_t *size_json_parts(const struct size_bill *bill)
{
    json_t *parts = json_array();

    for (uint32_t i = 0; i < bill->count; i++) {
        const struct size_part *part = &bill->parts[i];

        json_array_append_new(
            parts, json_pack("{s:s,s:I,s:o,s:o,s:s}", "part", part->name, "count",
                       (json_int_t)part->count, "usd_each", size_json_range(part->usd),
                       "watts_each", size_json_range(part->watts), "formula", part->formula));
    }
    return parts;
}

/* ---- failures -------------------------------------------------------------------------------- */

static json_t *protocols_json(const struct price_range *ranges, const struct job *job)
{
    json_t *all = json_object();

    for (uint32_t i = 0; i < job->protocol_count; i++)
        json_object_set_new(all, job->protocols[i].name, size_json_range(ranges[i]));
    return all;
}

static json_t *failure_json(const struct size_failure *of, const struct job *job)
{
    return json_pack("{s:s,s:I,s:I,s:f,s:f,s:o,s:f,s:b,s:o,s:s}", "failure", of->name, "elements",
        (json_int_t)of->elements, "nics", (json_int_t)of->nics, "plane_share", of->plane_share,
        "nic_share", of->nic_share, "per_year", size_json_range(of->per_year), "lasts_s",
        of->lasts_s, "is_network", of->is_network, "gpu_hours_per_year",
        protocols_json(of->gpu_hours, job), "source", of->source);
}

json_t *size_json_failures(const struct size_failures *failures, const struct job *job)
{
    struct price_range minutes = { YEAR_MINUTES / failures->per_year.most,
        YEAR_MINUTES / failures->per_year.least };
    json_t *list = json_array();
    json_t *pairs = json_array();

    for (uint32_t i = 0; i < failures->count; i++)
        json_array_append_new(list, failure_json(&failures->list[i], job));
    for (uint32_t i = 0; i < failures->pair_count; i++)
        json_array_append_new(pairs, json_pack("{s:s,s:I,s:o}", "pair", failures->pairs[i].name,
                                         "count", (json_int_t)failures->pairs[i].count, "per_year",
                                         size_json_range(failures->pairs[i].per_year)));
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "failures", list, "pairs", pairs, "minutes_between",
        size_json_range(minutes), "network_gpu_hours_per_year",
        protocols_json(failures->gpu_hours, job), "working",
        protocols_json(failures->working, job));
}

static json_t *measured_json(const struct size_measured *measured)
{
    json_t *settles_us = measured->settles_us == SIZE_MEASURED_NOTHING
                             ? json_null()
                             : json_real(measured->settles_us);

    return json_pack("{s:f,s:f,s:o,s:I}", "nic_share", measured->share, "others_share",
        measured->others, "settles_us", settles_us, "timeouts", (json_int_t)measured->timeouts);
}

static json_t *scene_json(const struct size_measure *measure, const struct size_scene *scene,
    const struct size_failure *failure)
{
    json_t *all = json_object();

    for (uint32_t i = 0; i < measure->choice->count; i++)
        json_object_set_new(all, measure->choice->at[i]->name,
            measured_json(&measure->results[i][scene - measure->scenes]));
    return json_pack("{s:s,s:i,s:f,s:o}", "failure", failure->name, "nics", (int)scene->nics,
        "nic_share", scene->share, "measured", all);
}

json_t *size_json_measured(const struct size_measure *measure, const struct size_fabric *full,
    const struct size_failures *failures)
{
    const struct size_fabric *small = &measure->small;
    json_t *list = json_array();

    for (uint32_t i = 0; i < failures->count; i++) {
        const struct size_failure *failure = &failures->list[i];
        const struct size_scene *scene = size_measure_scene(measure, failure);

        if (scene)
            json_array_append_new(list, scene_json(measure, scene, failure));
    }
    return json_pack("{s:I,s:f,s:i,s:i,s:I,s:o}", "nics", (json_int_t)small->places, "scale",
        size_scale_factor(full, small), "planes", (int)small->plane_count, "tiers",
        (int)small->tier_count, "switches", (json_int_t)size_switches(small), "failures", list);
}

/* ---- fabrics side by side -------------------------------------------------------------------- */

static json_t *candidate_json(const struct size_candidate *candidate, const struct job *job)
{
    return json_pack("{s:s,s:I,s:i,s:i,s:I,s:I,s:i,s:f,s:o,s:o,s:f,s:o,s:I,s:s}", "name",
        candidate->name, "fabrics", (json_int_t)candidate->copies, "planes",
        (int)candidate->fabric.plane_count, "tiers", (int)candidate->fabric.tier_count, "switches",
        (json_int_t)candidate->switches, "modules", (json_int_t)candidate->modules, "longest",
        candidate->copies ? (int)size_longest(&candidate->fabric) : 0, "latency_s",
        candidate->latency_s, "usd", size_json_range(candidate->usd), "watts",
        size_json_range(candidate->watts), "worst_share", candidate->worst_share,
        "gpu_hours_per_year", protocols_json(candidate->gpu_hours, job), "gpus_for_budget",
        (json_int_t)candidate->gpus_for_budget, "reason",
        candidate->copies ? "" : candidate->reason);
}

json_t *size_json_candidates(
    const struct size_candidate *list, uint32_t count, const struct job *job)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(all, candidate_json(&list[i], job));
    return all;
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static json_t *tier_json(const struct size_tier *tier)
{
    return json_pack("{s:I,s:I,s:I,s:i,s:i,s:i,s:i,s:i}", "switches", (json_int_t)tier->switches,
        "host_links", (json_int_t)tier->host_links, "up_links", (json_int_t)tier->up_links,
        "host_ports", (int)tier->host_ports, "down_ports", (int)tier->down_ports, "up_ports",
        (int)tier->up_ports, "units", (int)tier->units, "parallel", (int)tier->parallel);
}

json_t *size_json_fabric(
    const struct size_fabric *fabric, const struct size_site *site, const struct size_bill *bill)
{
    const struct size_request *request = &fabric->request;
    json_t *tiers = json_array();

    for (uint32_t i = 0; i < fabric->tier_count; i++)
        json_array_append_new(tiers, tier_json(&fabric->tiers[i]));
    return json_pack("{s:s,s:I,s:I,s:i,s:i,s:i,s:I,s:I,s:I,s:I,s:i,s:I,s:I,s:I,s:I,s:b,s:o}",
        "shape", size_kind_words[request->kind], "gpus", (json_int_t)request->gpus, "places",
        (json_int_t)fabric->places, "planes", (int)fabric->plane_count, "nic_ports",
        (int)fabric->nic_ports, "rails", (int)request->rails, "nic_bps",
        (json_int_t)request->nic_bps, "port_bps", (json_int_t)fabric->port_bps, "uplink_bps",
        (json_int_t)fabric->uplink_bps, "switch_bps", (json_int_t)request->switch_bps,
        "gpus_per_rack", (int)site->gpus_per_rack, "gpu_racks", (json_int_t)bill->gpu_racks,
        "switch_racks", (json_int_t)bill->switch_racks, "switches",
        (json_int_t)size_switches(fabric), "links", (json_int_t)size_links(fabric), "is_estimated",
        fabric->is_estimated, "tiers", tiers);
}

/* ---- growth ---------------------------------------------------------------------------------- */

static void add_point(
    json_t *points, const struct size_fabric *fabric, const struct size_judge *judge, uint64_t gpus)
{
    struct size_bill bill;

    size_bill_make(fabric, judge->site, judge->prices, &bill);
    json_array_append_new(points,
        json_pack("{s:I,s:i,s:I,s:o}", "gpus", (json_int_t)gpus, "tiers", (int)fabric->tier_count,
            "switches", (json_int_t)size_switches(fabric), "usd_per_gpu",
            size_json_range((struct price_range){
                bill.usd.least / (double)gpus, bill.usd.most / (double)gpus })));
}

json_t *size_json_growth(const struct size_request *request, const struct size_judge *judge)
{
    enum { FEWEST = 64, TIMES = 64, STEPS = 4 }; /* steps to double the number */
    struct size_request grown = *request;
    char reason[SIZE_REASON_BYTES];
    json_t *points = json_array();
    struct size_fabric fabric;

    grown.tiers = 0;
    for (uint32_t step = 0; grown.gpus <= TIMES * request->gpus && grown.gpus <= SIZE_GPUS_MAX;
         step++) {
        grown.gpus = (uint64_t)llround(FEWEST * exp2((double)step / STEPS));
        if (!size_solve(&grown, &fabric, reason))
            break;
        add_point(points, &fabric, judge, grown.gpus);
    }
    return points;
}
