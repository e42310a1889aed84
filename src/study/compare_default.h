/* SPDX-License-Identifier: Apache-2.0 */
/* The experiment of mrc compare, unless a file is given: the text of experiments/compare.yaml,
 * embedded at build time by tools/embed. */
#pragma once

extern const char compare_default[];
