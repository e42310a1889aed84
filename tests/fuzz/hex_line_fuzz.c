/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of hexadecimal text: the bytes found lie inside the line. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "pktio/hex_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    char *text = malloc(length_bytes + 1);
    struct hex_line line;

    if (!text)
        abort();
    memcpy(text, data, length_bytes);
    text[length_bytes] = 0;
    if (hex_line_parse(text, length_bytes, &line)) {
        const char *bytes = (const char *)line.bytes;

        MUST(line.length <= HEX_LINE_BYTES_MAX);
        MUST(line.length == 0 || bytes >= text);
        MUST(line.length == 0 || bytes + line.length <= text + length_bytes);
        MUST(!line.name ||
             (line.name >= text && line.name + strlen(line.name) <= text + length_bytes));
    } else {
        MUST(memchr(line.fault, 0, sizeof(line.fault)) != NULL);
        MUST(line.fault[0] != 0);
        MUST(line.fault_column >= 1 && line.fault_column <= length_bytes + 1);
    }
    free(text);
    return 0;
}
