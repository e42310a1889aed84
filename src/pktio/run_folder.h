/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of devices, RUN/mrc/NAME. Each process that uses a device holds a shared lock on its
 * folder. If the device has no description (`config`), the last user removes the files that were
 * there for its users. Profiles stay, and then the folder stays too. */
#pragma once

/* Creates the folder, accessible only to its user, if it does not exist. Returns its descriptor or
 * a negative errno. */
int run_folder_open(const char *path);
void run_folder_close(int folder, const char *path);

/* Removes the files as the last user does, if there is no user: for folders whose users were
 * killed. */
void run_folder_tidy(const char *path);
