/* SPDX-License-Identifier: Apache-2.0 */
/* A process that asks a fabric question after question while another one attacks it. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct asker {
    pid_t process;
    int stop;   /* closed: it ends */
    int result; /* struct asker_result */
};

struct asker_result {
    uint64_t count;      /* questions */
    uint64_t slowest_ns; /* answer */
};

void asker_begin(struct asker *, const char *control_path);
/* Fails if the fabric does not answer any more. */
void asker_check(const struct asker *);
struct asker_result asker_end(struct asker *);
