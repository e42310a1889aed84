/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric run: runs a soft fabric in the foreground or in the background. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric/fabric.h"
#include "cmd/fabric/fabric_web.h"
#include "cmd/fabric_load.h"
#include "cmd/options.h"
#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

enum { UDP_NICS_MAX = 64 };

static const char name[] = "fabric run";

struct options {
    struct soft_config config;
    struct soft_udp udp[UDP_NICS_MAX];
    const char *file;
    struct fabric_web web;
    const volatile sig_atomic_t *is_interrupted;
    bool in_background;
    bool is_quiet;
};

static enum cmd_status add_udp(void *to, char *text)
{
    struct options *options = to;
    struct soft_udp *udp = &options->udp[options->config.udp_count];

    if (options->config.udp_count == UDP_NICS_MAX)
        return cmd_complain(
            CMD_MISUSED, name, "--udp may be given for at most %d NICs", UDP_NICS_MAX);
    if (!soft_udp_read(text, udp))
        return cmd_complain(
            CMD_MISUSED, name, "--udp %s: the form is h3=127.0.0.1:7000,127.0.0.1:7100", text);
    for (uint32_t i = 0; i < options->config.udp_count; i++)
        if (options->udp[i].nic == udp->nic)
            return cmd_complain(CMD_MISUSED, name, "--udp h%u: given twice; keep one", udp->nic);
    options->config.udp_count++;
    return CMD_DONE;
}

/* Called when the fabric file has been read. */
static enum cmd_status check_udp(const struct soft_udp *udp, const struct topology *topology)
{
    uint32_t last_plane = topology->config.plane_count - 1;

    if (udp->nic >= topology->nic_count)
        return cmd_complain(CMD_MISUSED, name, "--udp h%u: this fabric has h0 to h%u", udp->nic,
            topology->nic_count - 1);
    if (udp->local_port + last_plane > UINT16_MAX || udp->remote_port + last_plane > UINT16_MAX)
        return cmd_complain(CMD_MISUSED, name,
            "--udp h%u: plane %u would have a port above 65535; choose lower ports", udp->nic,
            last_plane);
    return CMD_DONE;
}

static enum cmd_status take_name(void *options, char *text)
{
    ((struct options *)options)->config.name = text;
    return fabric_load_check_name(name, "--name", text);
}

static enum cmd_status take_web(void *options, char *text)
{
    return fabric_web_read(&((struct options *)options)->web, text);
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_FLAG, 'b', "background", NULL, "return when the fabric is ready; 'mrc fabric stop' ends it", AT(in_background) },
    { OPTION_CALL, 'n', "name", "NAME", "the name of the fabric (default: fabric)", .read = take_name, .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 's', "slower", "N", "divide link rates and multiply delays by N", AT(config.slower), .least = 1, .most = 1000000 },
    { OPTION_NUMBER, 0, "spin", "US", "poll for US microseconds before sleeping (default: 50)", AT(config.spin_us), .most = 1000000 },
    { OPTION_NUMBER, 0, "threads", "N", "threads that move frames (default: a quarter of the processors)",
        AT(config.thread_count), .least = 1, .most = 1000 },
    { OPTION_NUMBER, 0, "seed", "N", "the seed for losses, marks and trimming", AT(config.seed), .most = UINT32_MAX },
    { OPTION_CALL, 0, "udp", "hN=LOCAL:PORT,REMOTE:PORT", "NIC hN sends its frames over UDP; plane p uses both ports plus p",
        .read = add_udp, .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 0, "web", "[ADDRESS:]PORT", "serve a page that shows the fabric, and metrics for Prometheus at /metrics",
        .read = take_web, .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 'q', "quiet", NULL, "print nothing but the address of the page", AT(is_quiet) },
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc fabric run [OPTIONS] FABRIC.yaml\n"
             "\n"
             "Emulates all switches and links of a fabric, in real time, until interrupted. Its "
             "NICs\n"
             "are devices, mrc0, mrc1, ..., for every program on this machine that runs as the "
             "same\n"
             "user. A second fabric uses the next free numbers.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status complain_about(const struct options *options, int err)
{
    const struct soft_config *config = &options->config;
    struct process_lock_holder holder;

    if (err == -EBUSY && fabric_process_runs(config->root, config->name, &holder))
        return cmd_complain(CMD_FAILED, name,
            "a fabric called '%s' is running, pid %d; stop it with 'mrc fabric stop -n %s' or "
            "choose another --name",
            config->name, holder.pid, config->name);
    if (err == -ERANGE)
        return cmd_complain(CMD_MISUSED, name,
            "--slower %u: links would have less than 1Mb/s, or more than 10ms", config->slower);
    return cmd_complain(CMD_FAILED, name, "%s/%s: %s", config->root, config->name, strerror(-err));
}

static void introduce_fabric(const struct options *options, uint32_t first)
{
    const struct topology *topology = &options->config.fabric->topology;
    const char *fabric_name = options->config.name;

    if (options->is_quiet)
        return;
    printf("fabric '%s': %u NICs (mrc%u to mrc%u), %u planes, %u switches; ", fabric_name,
        topology->nic_count, first, first + topology->nic_count - 1, topology->config.plane_count,
        topology->switch_count);
    if (!options->in_background)
        puts("Ctrl-C ends it");
    else if (strcmp(fabric_name, "fabric") == 0)
        puts("'mrc fabric stop' ends it");
    else
        printf("'mrc fabric stop -n %s' ends it\n", fabric_name);
    fflush(stdout);
}

static enum cmd_status run_fabric(
    const struct options *options, const struct background *background)
{
    struct dashboard_service *service;
    enum cmd_status status;
    struct soft *soft;
    int err;

    for (uint32_t i = 0; i < options->config.udp_count; i++)
        if (check_udp(&options->udp[i], &options->config.fabric->topology) != CMD_DONE)
            return CMD_MISUSED;
    err = soft_open(&soft, &options->config);
    if (err)
        return complain_about(options, err);
    status = fabric_web_open(&options->web, options->config.name, &service);
    if (status == CMD_DONE) {
        introduce_fabric(options, soft_first_device(soft));
        fabric_web_print(service);
        if (background)
            background_detach(background, options->config.root, options->config.name);
        err = soft_run(soft, options->is_interrupted);
    }
    soft_close(soft); /* first: the page may be waiting for an answer of the fabric */
    fabric_web_close(service);
    return err ? complain_about(options, err) : status;
}

static enum cmd_status run_somewhere(const struct options *options)
{
    struct background background;

    if (!options->in_background)
        return run_fabric(options, NULL);
    if (background_fork(&background))
        return run_fabric(options, &background);
    if (background.reason[0])
        return cmd_complain(CMD_FAILED, name, "%s", background.reason);
    return background.exit_status == CMD_MISUSED ? CMD_MISUSED
           : background.exit_status              ? CMD_FAILED
                                                 : CMD_DONE;
}

static enum cmd_status fabric_run(int argument_count, char **arguments)
{
    char root[RUN_PLACE_BYTES];
    struct options options = {
        .config = { .root = root, .name = "fabric", .slower = 1, .spin_us = 50, .seed = 1 }
    };
    struct plan fabric;
    struct yaml yaml;
    enum cmd_status status;
    char *text;
    int err;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind != argument_count - 1)
        return cmd_complain(CMD_MISUSED, name, "name one FABRIC.yaml");
    options.file = arguments[optind];
    options.config.udp = options.udp;
    err = run_place_make(root, sizeof(root));
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", root, strerror(-err));
    status = fabric_load(name, options.file, &yaml, &fabric);
    if (status != CMD_DONE)
        return status;
    options.config.fabric = &fabric;
    text = whole_file_text(options.file);
    options.config.text = text;
    options.is_interrupted = cmd_catch_interrupts(0);
    status = run_somewhere(&options);
    free(text);
    yaml_fini(&yaml);
    return status;
}

const struct cmd fabric_run_command = {
    .name = "run",
    .summary = "emulate all switches and links of a fabric in this process",
    .run = fabric_run,
    .options = &table,
};
