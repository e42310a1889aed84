/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of devices: each device that a text names is there or says what is wrong with it. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/description.h"
#include "must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    static struct description_names names;
    static struct description device;
    char problem[DESCRIPTION_PROBLEM_BYTES];
    char *text = malloc(length_bytes + 1);

    if (!text)
        abort();
    memcpy(text, data, length_bytes);
    text[length_bytes] = 0;
    description_names(text, &names);
    MUST(names.count <= DESCRIPTION_DEVICES_MAX);
    for (uint32_t i = 0; i < names.count && i < 4; i++) {
        int err = description_parse(text, names.names[i], &device, problem);

        MUST(folder_name_is_valid(names.names[i]));
        MUST(err == 0 || err == -EINVAL);
        MUST(err == 0 || memchr(problem, 0, sizeof(problem)) != NULL);
        MUST(err != 0 || (device.host.port_count >= 1 && device.host.port_count <= 16));
        MUST(err != 0 || strcmp(device.host.name, names.names[i]) == 0);
    }
    free(text);
    return 0;
}
