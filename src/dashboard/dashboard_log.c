/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of texts. */
#include "dashboard/dashboard_log.h"

#include <stdlib.h>
#include <time.h>

void dashboard_log_fini(struct dashboard_log *log)
{
    for (uint32_t i = 0; i < DASHBOARD_LOG_MAX; i++)
        free(log->lines[i]);
    *log = (struct dashboard_log){ 0 };
}

const char *dashboard_log_add(struct dashboard_log *log, const json_t *event)
{
    char **place = &log->lines[log->count % DASHBOARD_LOG_MAX];
    char *text = json_dumps(event, JSON_COMPACT);

    if (!text)
        return NULL;
    free(*place);
    *place = text;
    log->count++;
    return text;
}

void dashboard_log_write(const struct dashboard_log *log, FILE *to)
{
    uint64_t first = log->count > DASHBOARD_LOG_MAX ? log->count - DASHBOARD_LOG_MAX : 0;

    fputc('[', to);
    for (uint64_t i = first; i < log->count; i++)
        fprintf(to, "%s%s", i > first ? "," : "", log->lines[i % DASHBOARD_LOG_MAX]);
    fputc(']', to);
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t dashboard_log_wall_ms(uint64_t monotonic_ns)
{
    int64_t now_ns = clock_ns(CLOCK_REALTIME);
    int64_t ago_ns = monotonic_ns ? clock_ns(CLOCK_MONOTONIC) - (int64_t)monotonic_ns : 0;

    return (uint64_t)((now_ns - ago_ns) / 1000000);
}
