/* SPDX-License-Identifier: Apache-2.0 */
/* Unnamed FIFOs, opened once for each side. */
#include "pktio/doorbell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANSWER_BYTES = 512 };

static int open_again(int fifo)
{
    char path[32];
    int fd;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fifo);
    fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int doorbell_open(int sides[2])
{
    int fifo[2];

    if (pipe2(fifo, O_CLOEXEC) < 0)
        return -errno;
    sides[0] = open_again(fifo[0]);
    sides[1] = open_again(fifo[0]);
    close(fifo[0]);
    close(fifo[1]);
    if (sides[0] >= 0 && sides[1] >= 0)
        return 0;
    for (uint32_t i = 0; i < 2; i++)
        if (sides[i] >= 0)
            close(sides[i]);
    return sides[0] < 0 ? sides[0] : sides[1];
}

int doorbell_take(int received)
{
    struct stat status;
    int side =
        fstat(received, &status) == 0 && S_ISFIFO(status.st_mode) ? open_again(received) : -EPROTO;

    close(received);
    return side;
}

void doorbell_ring(int side)
{
    const uint64_t one = 1;

    if (write(side, &one, sizeof(one)) < 0)
        return;
}

void doorbell_answer(int side)
{
    char bytes[ANSWER_BYTES];

    if (read(side, bytes, sizeof(bytes)) < 0)
        return;
}
