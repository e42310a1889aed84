/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the evidence of all links. */
#pragma once

struct map;

/* Reaches verdicts on links whose evidence suffices, and clears those that have none left. */
void map_judge(struct map *);
