/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a measurement. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    PERF_RANKS_MAX = 256,
    PERF_QPS_MAX = 128,
    PERF_PORT = 18515,
    PERF_HOST_BYTES = 256, /* host of a rendezvous */
    PERF_COUNTERS_MAX = 16,
    PERF_COUNTERS_BYTES = 256,
};

enum perf_type {
    PERF_FLOAT,
    PERF_UINT32,
    PERF_TYPE_COUNT,
};

/* The settings that all ranks share: rank 0 sends them to the others, as plain bytes. */
struct perf_settings {
    uint64_t size_min_bytes;
    uint64_t size_max_bytes;
    uint64_t size_factor;
    uint64_t iterations; /* per size */
    uint64_t warmup;
    uint64_t duration_ms; /* 0: `iterations` applies */
    uint64_t seed;
    uint32_t test; /* perf_tests[] */
    uint32_t qp_count;
    uint32_t depth;      /* requests in flight per QP */
    uint32_t moderation; /* requests per completion */
    uint32_t mtu_bytes;  /* 0: that of the port */
    uint32_t type;       /* enum perf_type */
    bool checks;
    bool both_ways;
    bool random_sizes;
    bool uses_events;                   /* sleeps instead of polling */
    char counters[PERF_COUNTERS_BYTES]; /* names, separated by commas */
};

/* The options of this process. */
struct perf_wish {
    struct perf_settings settings;
    const char *devices[PERF_RANKS_MAX]; /* from --devices; NULL: mrcN for rank N */
    const char *device;                  /* NULL: the first device */
    const char *server;                  /* host to connect to */
    const char *rendezvous;              /* HOST:PORT, with rank and rank_count */
    const char *json_path;               /* file for the result */
    uint32_t rank;
    uint32_t rank_count;  /* 0 if there is no rendezvous */
    uint32_t local_count; /* ranks on this machine; 0: this process is one rank */
    uint32_t gid_index;
    uint32_t port;
    uint64_t interval_ms; /* 0: no lines in between */
    bool reports_gbits;
    bool waits_for_last_word; /* waits for the last completions when a rank has gone */
    bool is_json;
    bool is_quiet;
};
