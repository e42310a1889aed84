/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of the options of mrc perf, and checks of their combinations. */
#include <stdio.h>
#include <string.h>

#include "cmd/perf/perf_options.h"

static const char name[] = "perf";

void perf_options_default(struct perf_wish *wish, const struct perf_test *test)
{
    bool is_group = test->manner == PERF_GROUP;
    uint64_t size_bytes = is_group ? 32 << 20 : strcmp(test->name, "write") == 0 ? 65536 : 8;

    wish->settings = (struct perf_settings){ .size_min_bytes = size_bytes,
        .size_max_bytes = size_bytes,
        .size_factor = is_group ? 2 : 1,
        .iterations = is_group ? 20 : 1000,
        .warmup = 5,
        .seed = 1,
        .test = (uint32_t)(test - perf_tests),
        .qp_count = 1,
        .depth = 128,
        .moderation = strcmp(test->name, "rate") == 0 ? 16 : 1 };
}

static enum cmd_status check_ranks(const struct perf_wish *wish, const struct perf_test *test)
{
    uint32_t count = wish->local_count ? wish->local_count : wish->rank_count;

    if (wish->rendezvous && (!wish->rank_count || !strrchr(wish->rendezvous, ':')))
        return cmd_complain(
            CMD_MISUSED, name, "--rendezvous HOST:PORT requires --rank and --ranks");
    if (wish->rendezvous && strrchr(wish->rendezvous, ':') - wish->rendezvous >= PERF_HOST_BYTES)
        return cmd_complain(CMD_MISUSED, name, "--rendezvous %s: too long", wish->rendezvous);
    if (wish->rank_count && (!wish->rendezvous || wish->rank >= wish->rank_count))
        return cmd_complain(CMD_MISUSED, name,
            "--ranks N requires --rendezvous HOST:PORT and a --rank from 0 to N - 1");
    if ((wish->server != NULL) + (wish->local_count > 0) + (wish->rank_count > 0) > 1)
        return cmd_complain(CMD_MISUSED, name, "give only one of HOST, --local and --rendezvous");
    if (!test->is_pair && count == 0)
        return cmd_complain(CMD_MISUSED, name,
            "%s requires --local N, or --rank, --ranks and --rendezvous", test->name);
    if (count == 1 || (test->is_pair && count > 2))
        return cmd_complain(CMD_MISUSED, name, "%s requires %s ranks, not %u", test->name,
            test->is_pair ? "two" : "at least two", count);
    return CMD_DONE;
}

static void name_devices(struct perf_wish *wish)
{
    static char names[PERF_RANKS_MAX][8];

    for (uint32_t i = 0; i < wish->local_count; i++)
        if (!wish->devices[i]) {
            snprintf(names[i], sizeof(names[i]), "mrc%u", i % PERF_RANKS_MAX);
            wish->devices[i] = names[i];
        }
}

enum cmd_status perf_options_check(struct perf_wish *wish, const struct perf_test *test)
{
    struct perf_settings *settings = &wish->settings;
    bool is_stream = test->iterate == perf_stream_iterate;

    if ((settings->mtu_bytes & (settings->mtu_bytes - 1)) != 0)
        return cmd_complain(CMD_MISUSED, name, "--mtu takes 256, 512, 1024, 2048 or 4096");
    if (settings->size_max_bytes < settings->size_min_bytes)
        settings->size_max_bytes = settings->size_min_bytes;
    if ((settings->both_ways || settings->random_sizes) && !(is_stream && test->is_pair))
        return cmd_complain(
            CMD_MISUSED, name, "%s has no --bidirectional and no --random", test->name);
    if (settings->moderation > settings->depth)
        settings->moderation = settings->depth;
    name_devices(wish);
    return check_ranks(wish, test);
}
