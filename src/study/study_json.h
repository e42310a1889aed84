/* SPDX-License-Identifier: Apache-2.0 */
/* A run that has ended, as JSON: mrc-result(5). */
#pragma once

#include "carrier/carrier.h"
#include "result/result.h"
#include "study/study_run.h"

struct study_outcome {
    const struct study_run *plan;
    const struct study_manner *manner;
    struct measure_record *record;
    struct result_capacity *capacity;
    enum sim_status status;
    double took_s;
    double setup_s; /* of took_s */
    struct carrier_times times;
};

/* Returns the "runs" entry of the result, without criteria. */
json_t *study_json(const struct study_outcome *);
