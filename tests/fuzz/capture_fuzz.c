/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of any format: every packet's bytes can be read, and reading comes to an end. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "must.h"
#include "pktio/capture.h"

static volatile uint8_t sink;

static void touch(const struct capture_packet *packet)
{
    MUST(packet->captured_bytes == 0 || packet->bytes);
    for (uint32_t i = 0; i < packet->captured_bytes; i++)
        sink ^= packet->bytes[i];
    if (packet->name)
        sink ^= (uint8_t)strlen(packet->name);
}

static void read_all(const char *path)
{
    struct capture capture;
    struct capture_packet packet;
    int result = capture_open(&capture, path);

    if (result == 0) {
        while ((result = capture_next(&capture, &packet)) > 0)
            touch(&packet);
        capture_close(&capture);
    }
    MUST(result <= 0);
    MUST(result == 0 || capture.error[0] != 0);
    MUST(result == 0 || memchr(capture.error, 0, sizeof(capture.error)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    int file = memfd_create("capture", 0);
    char path[64];

    if (file < 0 || write(file, data, length_bytes) != (ssize_t)length_bytes)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    read_all(path);
    close(file);
    return 0;
}
