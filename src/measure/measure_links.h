/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of links, sample by sample. */
#pragma once

#include "measure/measure.h"

/* Called if packets were lost since the last sample. Finds the links. */
void measure_links_sample(struct measure_record *);
