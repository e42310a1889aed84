/* SPDX-License-Identifier: Apache-2.0 */
/* Requests QPs until there are no more. */
#include "control/qp_list.h"

#include <stdio.h>

enum request_result qp_list_read(
    const char *device, uint32_t qpn, json_t **qps, char reason[REQUEST_REASON_BYTES])
{
    json_int_t next = 0;

    *qps = json_array();
    do {
        char request[32];
        json_t *answer;
        enum request_result result;

        snprintf(request, sizeof(request), "%s %lld", qpn ? "qpn" : "qp",
            qpn ? (long long)qpn : (long long)next);
        result = request_device(device, request, &answer, reason);
        if (result != REQUEST_ANSWERED) {
            json_decref(*qps);
            *qps = NULL;
            return result;
        }
        json_array_extend(*qps, json_object_get(answer, "qps"));
        next = json_integer_value(json_object_get(answer, "next"));
        json_decref(answer);
    } while (next > 0);
    return REQUEST_ANSWERED;
}
