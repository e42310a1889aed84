/* SPDX-License-Identifier: Apache-2.0 */
/* An asker. */
#include "asker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attacker.h"
#include "pktio/control_client.h"

enum { PAUSE_MS = 20 };

static void ask_once(const char *control_path, struct asker_result *result)
{
    uint64_t start_ns = attacker_now_ns();
    char *answer = NULL;
    int err = control_ask(control_path, "ping", &answer);
    uint64_t taken_ns = attacker_now_ns() - start_ns;

    free(answer);
    if (err)
        attacker_fail("the fabric does not answer: %s", strerror(-err));
    result->count++;
    if (taken_ns > result->slowest_ns)
        result->slowest_ns = taken_ns;
}

__attribute__((noreturn)) static void ask_until(const char *control_path, int stop, int out)
{
    struct pollfd poll_fd = { .fd = stop, .events = POLLIN };
    struct asker_result result = { 0 };

    while (poll(&poll_fd, 1, PAUSE_MS) == 0)
        ask_once(control_path, &result);
    _exit(write(out, &result, sizeof(result)) != sizeof(result));
}

void asker_begin(struct asker *asker, const char *control_path)
{
    int stop[2];
    int result[2];

    if (pipe(stop) != 0 || pipe(result) != 0)
        attacker_fail("pipe: %s", strerror(errno));
    asker->process = fork();
    if (asker->process == 0) {
        close(stop[1]);
        ask_until(control_path, stop[0], result[1]);
    }
    close(stop[0]);
    close(result[1]);
    *asker = (struct asker){ asker->process, stop[1], result[0] };
}

void asker_check(const struct asker *asker)
{
    if (waitpid(asker->process, NULL, WNOHANG) != 0)
        exit(1); /* it has said why */
}

struct asker_result asker_end(struct asker *asker)
{
    struct asker_result result;

    close(asker->stop);
    if (read(asker->result, &result, sizeof(result)) != sizeof(result))
        exit(1); /* it has said why */
    close(asker->result);
    waitpid(asker->process, NULL, 0);
    return result;
}
