/* SPDX-License-Identifier: Apache-2.0 */
/* The file in which a NIC finds the text of the plan of its fabric. */
#pragma once

/* Returns the text, which the caller frees; NULL: *err is a negative errno. */
char *plan_file_read(const char *path, int *err);
