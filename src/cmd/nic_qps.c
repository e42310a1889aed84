/* SPDX-License-Identifier: Apache-2.0 */
/* QPs come in pieces. */
#include "cmd/nic_status.h"

#include <stdio.h>

enum cmd_status nic_status_qps(const struct nic_command *command, const struct nic_options *options,
    const char *device, json_t **qps)
{
    long long next = 0;

    *qps = NULL;
    do {
        char request[32];
        json_t *answer;
        enum cmd_status status;

        snprintf(request, sizeof(request), "%s %lld", options->qpn ? "qpn" : "qp",
            options->qpn ? (long long)options->qpn : next);
        status = nic_status_ask_owner(command, options, device, request, &answer);
        if (!answer)
            return status;
        if (!*qps)
            *qps = json_array();
        json_array_extend(*qps, json_object_get(answer, "qps"));
        next = nic_status_number(answer, "next");
        json_decref(answer);
    } while (next > 0);
    if (options->qpn && options->device && json_array_size(*qps) == 0) {
        json_decref(*qps);
        *qps = NULL;
        return cmd_complain(
            CMD_FAILED, command->name, "%s: there is no QP %u", device, options->qpn);
    }
    return CMD_DONE;
}
