/* SPDX-License-Identifier: Apache-2.0 */
/* Small fabrics and the texts of their configurations. */
#pragma once

#include "spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

struct config_bench {
    struct topology_exception exceptions[2];
    struct plan plan;
    struct config_job job;
};

/* Planes of 2 T0s and 2 T1s, 2 hosts each; `missing`: the name of a link, or NULL. */
static inline void config_bench_start(
    struct config_bench *bench, uint32_t planes, const char *missing)
{
    struct topology_exception exception = { .missing = true };
    char reason[TOPOLOGY_REASON_BYTES];
    struct topology_problem problem;
    struct topology_config config;

    topology_config_init(&config);
    config.plane_count = planes;
    config.t0_count = 2;
    config.t1_count = 2;
    config.hosts_per_t0 = 2;
    EXPECT(plan_init(&bench->plan, &config, NULL, &problem));
    if (missing) {
        EXPECT(topology_find(&bench->plan.topology, missing, &exception.link, reason));
        config.exceptions = &exception;
        config.exception_count = 1;
        EXPECT(plan_init(&bench->plan, &config, bench->exceptions, &problem));
    }
    bench->job = (struct config_job){ .only = CONFIG_ALL };
    EXPECT(config_source_init(&bench->job.source, &bench->plan, "shape: links\n"));
}

static inline void config_bench_stop(struct config_bench *bench)
{
    config_source_fini(&bench->job.source);
}

/* Returns the text of one file, which the caller frees. Not inlined: gcc would take the text for a
 * local variable of the caller. */
__attribute__((noinline, unused)) static char *config_bench_text(
    const struct config_bench *bench, const struct config_file *file, uint32_t node)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);

    file->write(&bench->job.source, node, memory);
    fclose(memory);
    return text;
}
