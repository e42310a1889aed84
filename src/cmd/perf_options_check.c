/* SPDX-License-Identifier: Apache-2.0 */
/* What goes together in the options of mrc perf; defaults and the help. */
#include <stdio.h>
#include <string.h>

#include "cmd/perf_options.h"

static const char name[] = "perf";

void perf_options_print_help(void)
{
    fputs("usage: mrc perf TEST [OPTIONS]                     the server of two ranks\n"
          "       mrc perf TEST [OPTIONS] HOST                its client\n"
          "       mrc perf TEST [OPTIONS] --local N           N ranks on this machine\n"
          "       mrc perf TEST [OPTIONS] --rank R --ranks N --rendezvous HOST:PORT\n"
          "\n"
          "Measures, and checks if asked, what MRC does between processes.\n"
          "\n"
          "tests between two ranks, in the manner of perftest:\n",
        stdout);
    for (uint32_t i = 0; i < PERF_TEST_COUNT; i++) {
        if (i > 0 && perf_tests[i - 1].is_pair && !perf_tests[i].is_pair)
            puts("tests of any number, in the manner of nccl-tests:");
        printf("  %-13s  %s\n", perf_tests[i].name, perf_tests[i].summary);
    }
    fputs("\n"
          "between two ranks:\n"
          "  -s, --size N           bytes of a message [65536; rate and lat: 8]\n"
          "  -a, --all              sizes from 2 bytes to 8 MiB\n"
          "  -b, --bidirectional    both ways at once\n"
          "  -Q, --cq-mod N         one completion for N writes [1; rate: 16]\n"
          "      --random           sizes from 1 to -s, at random\n"
          "      --report_gbits     Gb/sec instead of MiB/sec\n"
          "  -p, --port N           TCP port of the server [18515]\n"
          "any number of ranks:\n"
          "  -b, --minbytes N  -e, --maxbytes N  -f, --stepfactor N     [32M 32M 2]\n"
          "      --datatype T       float or uint32 [float]\n"
          "all:\n"
          "  -n, --iters N          iterations of a size [1000; any number of ranks: 20]\n"
          "  -w, --warmup_iters N   that are not counted before them [5]\n"
          "  -D, --duration S       so many seconds instead\n"
          "  -q, --qp N             QPs between two ranks [1]\n"
          "  -t, --tx-depth N       requests in flight of a QP [128]\n"
          "  -m, --mtu N            path MTU [that of the port]\n"
          "  -c, --check            check every byte, and what is around it\n"
          "      --events           sleep for completions instead of polling\n"
          "      --seed N           of the contents\n"
          "  -d, --device NAME      the device of this rank [the first]\n"
          "      --devices A,B,...  the devices of --local, which it implies [mrc0,mrc1,...]\n"
          "  -x, --gid-index N      [3]\n"
          "      --interval S       a line every S seconds\n"
          "      --counters A,B,... of all ranks' NICs, at the end ('mrc stat' names them)\n"
          "  -j, --json             JSON instead of the table\n"
          "      --out_json_file F  JSON into a file, too (--out_json: perftest_out.json)\n"
          "      --last_word        when a rank goes away, wait for the QPs' word on it\n"
          "      --quiet            print nothing but errors\n"
          "  -h, --help             this text\n"
          "\n"
          "Sizes may end in K, M or G. What rank 0, the client, was told holds for all ranks.\n"
          "Exit status: 0; 1 if a QP failed, data was wrong or it was interrupted (Ctrl-C prints\n"
          "what there is); 2 for a wrong command line.\n"
          "\n"
          "  mrc fabric run fabric.yaml &\n"
          "  mrc perf write --local 2 -a -c\n"
          "  mrc perf allreduce --local 4 -b 1K -e 64M -f 4 -c\n",
        stdout);
}

void perf_options_default(struct perf_options *options, const struct perf_test *test)
{
    bool is_group = test->manner == PERF_GROUP;
    uint64_t size_bytes = is_group ? 32 << 20 : strcmp(test->name, "write") == 0 ? 65536 : 8;

    options->wish.settings = (struct perf_settings){ .size_min_bytes = size_bytes,
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

static enum cmd_status check_ranks(const struct perf_options *options, const struct perf_test *test)
{
    uint32_t count =
        options->wish.local_count ? options->wish.local_count : options->wish.rank_count;

    if (options->wish.rendezvous &&
        (!options->wish.rank_count || !strrchr(options->wish.rendezvous, ':')))
        return cmd_complain(CMD_MISUSED, name, "--rendezvous HOST:PORT wants --rank and --ranks");
    if (options->wish.rendezvous &&
        strrchr(options->wish.rendezvous, ':') - options->wish.rendezvous >= PERF_HOST_BYTES)
        return cmd_complain(
            CMD_MISUSED, name, "--rendezvous %s: too long", options->wish.rendezvous);
    if (options->wish.rank_count &&
        (!options->wish.rendezvous || options->wish.rank >= options->wish.rank_count))
        return cmd_complain(CMD_MISUSED, name,
            "--ranks N wants --rendezvous HOST:PORT and a --rank from 0 to N - 1");
    if ((options->wish.server != NULL) + (options->wish.local_count > 0) +
            (options->wish.rank_count > 0) >
        1)
        return cmd_complain(
            CMD_MISUSED, name, "one of HOST, --local and --rendezvous, not several");
    if (!test->is_pair && count == 0)
        return cmd_complain(CMD_MISUSED, name,
            "%s wants --local N, or --rank, --ranks and --rendezvous", test->name);
    if (count == 1 || (test->is_pair && count > 2))
        return cmd_complain(CMD_MISUSED, name, "%s wants %s ranks, not %u", test->name,
            test->is_pair ? "two" : "at least two", count);
    return CMD_DONE;
}

static void name_devices(struct perf_options *options)
{
    static char names[PERF_RANKS_MAX][8];

    for (uint32_t i = 0; i < options->wish.local_count; i++)
        if (!options->wish.devices[i]) {
            snprintf(names[i], sizeof(names[i]), "mrc%u", i % PERF_RANKS_MAX);
            options->wish.devices[i] = names[i];
        }
}

enum cmd_status perf_options_check(struct perf_options *options, const struct perf_test *test)
{
    struct perf_settings *settings = &options->wish.settings;
    bool is_stream = test->iterate == perf_stream_iterate;

    if ((settings->mtu_bytes & (settings->mtu_bytes - 1)) != 0)
        return cmd_complain(CMD_MISUSED, name, "--mtu: 256, 512, 1024, 2048 or 4096");
    if (settings->size_max_bytes < settings->size_min_bytes)
        settings->size_max_bytes = settings->size_min_bytes;
    if ((settings->both_ways || settings->random_sizes) && !(is_stream && test->is_pair))
        return cmd_complain(
            CMD_MISUSED, name, "%s has no --bidirectional and no --random", test->name);
    if (settings->moderation > settings->depth)
        settings->moderation = settings->depth;
    name_devices(options);
    return check_ranks(options, test);
}
