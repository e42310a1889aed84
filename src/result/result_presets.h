/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware that an experiment can name. */
#pragma once

/* Prints the presets of NICs and switches, each value with its source, and all settings. */
void result_presets_print(void);
