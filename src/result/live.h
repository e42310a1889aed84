/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the record of a simulation while it runs, through live_view. */
#pragma once

#include "files/files.h"
#include "measure/measure.h"
#include "result/live_view.h"

struct live {
    struct live_view view;
    size_t events_told;
};

void live_init(struct live *, const struct experiment *, FILE *to);
/* Call it after each measure_sample(). */
void live_show(struct live *, const struct measure_record *);
void live_finish(struct live *);
