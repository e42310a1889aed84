/* SPDX-License-Identifier: Apache-2.0 */
/* Which links lose packets, sample by sample. */
#pragma once

#include "cmd/sim_record.h"

/* Packets were lost somewhere since the last sample: finds where. */
void sim_record_sample_losses(struct sim_record *);
