/* SPDX-License-Identifier: Apache-2.0 */
/* mrc qp: shows the QPs of a running NIC. */
#include <stdio.h>

#include "cmd/nic_status.h"

static const struct option_row rows[] = {
    NIC_JSON_ROW,
};

static const struct option_table table = {
    .command = "qp",
    .intro =
        "usage: mrc qp show [dev DEVICE] [qp NUMBER] [-j]\n"
        "\n"
        "Shows queue pairs: state, peer, PSNs, window, round trips, planes, EVs, and the floors\n"
        "for software that are in force.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const verbs[] = { "show", NULL };
static const struct nic_command command = {
    .name = "qp",
    .options = &table,
    .verbs = verbs,
    .arguments = NIC_WITH_QP,
    .nothing = "no process has a device open; 'mrc dev show' lists devices",
};

static void print_planes(const char *name, const json_t *planes)
{
    const json_t *plane;
    size_t i;

    printf(" %s", name);
    json_array_foreach(planes, i, plane) printf("%s%lld", i ? "," : " ", json_integer_value(plane));
    if (json_array_size(planes) == 0)
        fputs(" none", stdout);
}

static void print_times(const json_t *qp)
{
    const json_t *floors = json_object_get(qp, "floors");
    char base[24];
    char smoothed[24];
    char reorder[24];
    char timeout[24];
    char target[24];
    char probe[24];

    printf("    rtt base %s smoothed %s target %s reorder %s timeout %s timeouts %lld\n",
        nic_status_time(nic_status_number(qp, "base_rtt_ns"), base),
        nic_status_time(nic_status_number(qp, "smoothed_rtt_ns"), smoothed),
        nic_status_time(nic_status_number(qp, "target_delay_ns"), target),
        nic_status_time(nic_status_number(qp, "reorder_window_ns"), reorder),
        nic_status_time(nic_status_number(qp, "timeout_ns"), timeout),
        nic_status_number(qp, "timeouts"));
    printf("    floors base %s target %s reorder %s sack_idle %s tail_probe %s "
           "probe_timeout %s\n",
        nic_status_time(nic_status_number(floors, "base_rtt_ns"), base),
        nic_status_time(nic_status_number(floors, "target_delay_ns"), target),
        nic_status_time(nic_status_number(floors, "reorder_window_ns"), reorder),
        nic_status_time(nic_status_number(floors, "sack_idle_ns"), smoothed),
        nic_status_time(nic_status_number(floors, "tail_probe_ns"), timeout),
        nic_status_time(nic_status_number(floors, "probe_timeout_ns"), probe));
}

static void print_qp(const char *device, const json_t *qp)
{
    printf(
        "%s qp %lld state %s", device, nic_status_number(qp, "qpn"), nic_status_text(qp, "state"));
    if (json_object_get(qp, "peer"))
        printf(" peer %s qp %lld", nic_status_text(qp, "peer"), nic_status_number(qp, "peer_qpn"));
    printf("\n    psn next %lld unacked %lld inflight %lld window %lld mpr %lld pmtu %lld "
           "sends %lld/%lld\n",
        nic_status_number(qp, "next_psn"), nic_status_number(qp, "unacked_psn"),
        nic_status_number(qp, "inflight_bytes"), nic_status_number(qp, "window_bytes"),
        nic_status_number(qp, "mpr_psns"), nic_status_number(qp, "pmtu"),
        nic_status_number(qp, "sends_waiting"), nic_status_number(qp, "send_depth"));
    print_times(qp);
    printf("    evs %lld usable %lld bad %lld", nic_status_number(qp, "evs"),
        nic_status_number(qp, "evs_usable"), nic_status_number(qp, "evs_bad"));
    print_planes("planes", json_object_get(qp, "planes"));
    print_planes("control", json_object_get(qp, "control_planes"));
    putchar('\n');
}

static void print_device(const char *device, const json_t *qps)
{
    const json_t *qp;
    size_t i;

    json_array_foreach(qps, i, qp) print_qp(device, qp);
}

static enum cmd_status run_qp(int argument_count, char **arguments)
{
    struct nic_options options;
    struct device_list devices;
    enum cmd_status status;
    json_t *all;

    if (!nic_status_begin(&command, argument_count, arguments, &options, &devices, &status))
        return status;
    all = json_array();
    for (uint32_t i = 0; i < devices.count && status == CMD_DONE; i++) {
        json_t *qps = NULL;

        status = nic_status_qps(&command, &options, devices.names[i], &qps);
        if (json_array_size(qps) == 0 && options.qpn) {
            json_decref(qps);
            qps = NULL;
        }
        if (!qps)
            continue;
        if (!options.as_json)
            print_device(devices.names[i], qps);
        json_array_append_new(all, json_pack("{s:s,s:o}", "device", devices.names[i], "qps", qps));
    }
    return nic_status_finish(&command, &options, &devices, all, status);
}

const struct cmd qp_command = {
    .name = "qp",
    .summary = "show the queue pairs of a running NIC",
    .run = run_qp,
    .options = &table,
    .complete = nic_status_complete,
};
