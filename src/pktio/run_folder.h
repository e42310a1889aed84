/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of devices, RUN/mrc/NAME, which processes come to use and leave. Each holds a shared lock
 * on the folder; the last one that leaves a device without a description (`config`) takes away what
 * was there for its users. Profiles stay, and the folder with them. */
#pragma once

/* Makes the folder, for its user alone, if it is not there. Returns a descriptor of it, or a
 * negative errno. */
int run_folder_open(const char *path);
void run_folder_close(int folder, const char *path);

/* As the last user would, if there is none: for folders whose users were killed. */
void run_folder_tidy(const char *path);
