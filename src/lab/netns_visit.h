/* SPDX-License-Identifier: Apache-2.0 */
/* Enters a network namespace for a short time. Sockets and processes that this thread opens or
 * starts there stay there. */
#pragma once

struct netns_visit {
    int home_fd;
};

/* Returns 0 or a negative errno: -ENOENT if there is no such namespace. */
int netns_visit_begin(struct netns_visit *, const char *name);
void netns_visit_end(struct netns_visit *);
