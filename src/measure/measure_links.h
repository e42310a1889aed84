/* SPDX-License-Identifier: Apache-2.0 */
/* Which links lose packets, sample by sample. */
#pragma once

#include "measure/measure.h"

/* Packets were lost somewhere since the last sample: finds where. */
void measure_links_sample(struct measure_record *);
