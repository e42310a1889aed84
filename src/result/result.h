/* SPDX-License-Identifier: Apache-2.0 */
/* The public header of this folder: the result of an experiment, mrc-result(5): figures of its
 * runs, criteria, the document, the table. */
#pragma once

#include "result/comparison.h"
#include "result/grow.h"
#include "result/live.h"
#include "result/result_capacity.h"
#include "result/result_check.h"
#include "result/result_criteria.h"
#include "result/result_csv.h"
#include "result/result_distribution.h"
#include "result/result_document.h"
#include "result/result_hardware.h"
#include "result/result_map.h"
#include "result/result_parameters.h"
#include "result/result_presets.h"
#include "result/result_sets.h"
#include "result/result_summary.h"
#include "result/result_table.h"
#include "result/result_thin.h"
#include "result/units_text.h"
