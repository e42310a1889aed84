/* SPDX-License-Identifier: Apache-2.0 */
/* mrc sim --hardware. */
#pragma once

void sim_hardware_print(void);
