/* SPDX-License-Identifier: Apache-2.0 */
/* mrc ev: shows the entropy values of QPs, and denies EVs of a device. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/nic_status.h"

static const struct option_row rows[] = {
    { OPTION_FLAG, 'a', "all", NULL, "with several QPs, also print good EVs that never changed",
        OPTION_AT(struct nic_options, all) },
    NIC_JSON_ROW,
};

static const struct option_table table = {
    .command = "ev",
    .intro =
        "usage: mrc ev show [dev DEVICE] [qp NUMBER] [-a] [-j]\n"
        "       mrc ev deny|allow dev DEVICE [EV...]\n"
        "\n"
        "Shows the entropy values of queue pairs: plane, uplink, state, whether active or backup,\n"
        "and the cause and time of the last change of state.\n"
        "\n"
        "deny adds EVs, such as p1/u3, to the denylist of a device, and allow removes them. "
        "Without\n"
        "an EV, both print the list. 'mrc drain' does this for the elements of a whole fabric.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const verbs[] = { "show", "deny", "allow", NULL };
static const struct nic_command command = {
    .name = "ev",
    .options = &table,
    .verbs = verbs,
    .arguments = NIC_WITH_QP | NIC_WITH_EV,
    .nothing = "no process has a QP; 'mrc dev show' lists devices",
};

static void print_ago(const json_t *ev)
{
    long long ms = nic_status_number(ev, "ms_ago");

    if (!json_object_get(ev, "ms_ago"))
        puts("-");
    else if (ms < 10000)
        printf("%lldms ago\n", ms);
    else
        printf("%llds ago\n", ms / 1000);
}

static void print_ev(const json_t *ev)
{
    char uplink[24] = "-";

    if (json_object_get(ev, "uplink"))
        snprintf(uplink, sizeof(uplink), "%lld", nic_status_number(ev, "uplink"));
    printf("  %#8llx %5lld %6s %-7s %-7s %-18s ", (unsigned long long)nic_status_number(ev, "ev"),
        nic_status_number(ev, "plane"), uplink, nic_status_text(ev, "state"),
        json_is_true(json_object_get(ev, "active")) ? "active" : "backup",
        nic_status_text(ev, "cause"));
    print_ago(ev);
}

static bool is_quiet(const json_t *ev)
{
    return strcmp(nic_status_text(ev, "state"), "good") == 0 && !json_object_get(ev, "cause");
}

static void print_qp(const char *device, const json_t *answer, bool all)
{
    const json_t *evs = json_object_get(answer, "evs");
    const json_t *ev;
    size_t quiet = 0;
    size_t i;

    printf("%s qp %lld: %zu EVs\n", device, nic_status_number(answer, "qpn"), json_array_size(evs));
    printf("  %8s %5s %6s %-7s %-7s %-18s %s\n", "EV", "PLANE", "UPLINK", "STATE", "USE", "CAUSE",
        "CHANGED");
    json_array_foreach(evs, i, ev)
    {
        if (all || !is_quiet(ev))
            print_ev(ev);
        else
            quiet++;
    }
    if (quiet)
        printf("  and %zu good EVs that never changed\n", quiet);
}

static enum cmd_status show_qps(
    const struct nic_options *options, const char *device, const json_t *qps, json_t *all)
{
    bool in_full = options->all || json_array_size(qps) == 1;
    enum cmd_status status = CMD_DONE;
    const json_t *qp;
    size_t i;

    json_array_foreach(qps, i, qp)
    {
        char request[32];
        json_t *answer = NULL;

        snprintf(request, sizeof(request), "ev %lld", nic_status_number(qp, "qpn"));
        status = nic_status_ask(&command, device, request, &answer);
        if (!answer)
            break;
        if (!options->as_json)
            print_qp(device, answer, in_full);
        json_array_append_new(all, answer);
    }
    return status;
}

/* ---- deny, allow ----------------------------------------------------------------------------- */

static void print_denied(const struct port_admin *device)
{
    struct ev_admin_ev evs[EV_ADMIN_MAX];
    int count = ev_admin_list(device, evs);

    for (int i = 0; i < count; i++)
        printf("%#x plane %u denied\n", evs[i].ev, evs[i].plane);
}

static enum cmd_status change_evs(const struct nic_options *options)
{
    struct port_admin device;
    enum cmd_status status = CMD_DONE;
    int err = 0;

    if (!options->device)
        return cmd_complain(CMD_MISUSED, "ev", "usage: mrc ev %s dev DEVICE EV...", options->verb);
    if (!port_admin_open(&device, options->device))
        status = cmd_complain(CMD_FAILED, "ev", "cannot open %s", options->device);
    else if (options->ev_count > 0)
        err = ev_admin_set(
            &device, options->evs, options->ev_count, strcmp(options->verb, "deny") == 0);
    else
        print_denied(&device);
    if (err)
        status = cmd_complain(CMD_FAILED, "ev", "%s: %s", options->device,
            err == -EINVAL ? "it has no such plane" : strerror(-err));
    port_admin_close(&device);
    return status;
}

static enum cmd_status run_ev(int argument_count, char **arguments)
{
    struct nic_options options;
    struct device_list devices;
    enum cmd_status status;
    json_t *all;

    if (!nic_status_parse(&command, argument_count, arguments, &options, &status))
        return status;
    if (strcmp(options.verb, "show") != 0)
        return change_evs(&options);
    if (options.ev_count > 0)
        return cmd_complain(
            CMD_MISUSED, "ev", "an EV is a word of 'mrc ev deny' and 'mrc ev allow'");
    status = nic_status_devices(&command, &options, &devices);
    if (status != CMD_DONE)
        return status;
    all = json_array();
    for (uint32_t i = 0; i < devices.count && status == CMD_DONE; i++) {
        json_t *qps = NULL;

        status = nic_status_qps(&command, &options, devices.names[i], &qps);
        if (qps)
            status = show_qps(&options, devices.names[i], qps, all);
        json_decref(qps);
    }
    return nic_status_finish(&command, &options, &devices, all, status);
}

const struct cmd ev_command = {
    .name = "ev",
    .summary = "show the entropy values of queue pairs of a running NIC",
    .run = run_ev,
    .options = &table,
    .complete = nic_status_complete,
};
