/* SPDX-License-Identifier: Apache-2.0 */
/* Going into a network namespace for a moment: what this thread opens or starts there stays there.
 */
#pragma once

struct netns_visit {
    int home_fd;
};

/* 0 or a negative errno: -ENOENT, there is no such namespace. */
int netns_visit_begin(struct netns_visit *, const char *name);
void netns_visit_end(struct netns_visit *);
