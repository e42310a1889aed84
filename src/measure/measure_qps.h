/* SPDX-License-Identifier: Apache-2.0 */
/* Series of single QPs. */
#pragma once

#include "measure/measure.h"

void measure_qps_choose(struct measure_record *);
void measure_qps_sample(struct measure_record *);
void measure_qps_fini(struct measure_record *);
