/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the driver of a device in a process group of its own, which ends with the kit. */
#include "conform/endpoint_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_MAX = 100, LOOK_NS = 10000000, OF_SIGNAL = 128 };

/* ---- the process ----------------------------------------------------------------------------- */

/* In the child. The signals of the terminal go to the kit, which ends the driver. */
static void run_command(const char *command, int to_fd, int from_fd)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(to_fd, STDIN_FILENO);
    dup2(from_fd, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static int start_process(struct endpoint_driver *driver, const char *command)
{
    int requests[2];
    int answers[2];

    *driver = (struct endpoint_driver){ .line = malloc(ENDPOINT_DRIVER_LINE_BYTES + 1) };
    if (!driver->line)
        return -ENOMEM;
    /* A socket, so that writing to a driver that has ended need not raise a signal. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests) < 0)
        return -errno;
    if (pipe2(answers, O_CLOEXEC) < 0) {
        int err = -errno;

        close(requests[0]);
        close(requests[1]);
        return err;
    }
    driver->to_fd = requests[0];
    driver->from_fd = answers[0];
    driver->pid = fork();
    if (driver->pid == 0)
        run_command(command, requests[1], answers[1]);
    close(requests[1]);
    close(answers[1]);
    fcntl(driver->from_fd, F_SETFL, O_NONBLOCK);
    if (driver->pid < 0)
        return -errno;
    setpgid(driver->pid, driver->pid);
    return 0;
}

static bool has_ended(struct endpoint_driver *driver, int *status)
{
    return waitpid(driver->pid, status, WNOHANG) == driver->pid;
}

void endpoint_driver_stop(struct endpoint_driver *driver)
{
    struct timespec nap = { .tv_nsec = LOOK_NS };
    bool is_over = driver->pid <= 0;
    int status;

    if (!driver->line)
        return;
    close(driver->to_fd); /* a driver ends when its input does */
    for (uint32_t i = 0; i < LOOKS_MAX && !is_over; i++) {
        is_over = has_ended(driver, &status);
        if (!is_over)
            nanosleep(&nap, NULL);
    }
    if (driver->pid > 0)
        kill(-driver->pid, SIGKILL);
    if (!is_over)
        waitpid(driver->pid, &status, 0);
    close(driver->from_fd);
    free(driver->line);
    *driver = (struct endpoint_driver){ .pid = 0 };
}

void endpoint_driver_fate(struct endpoint_driver *driver, char *text, size_t bytes)
{
    struct timespec nap = { .tv_nsec = LOOK_NS };
    int status = 0;
    bool is_over = false;

    for (uint32_t i = 0; i < LOOKS_MAX && !is_over; i++) {
        is_over = has_ended(driver, &status);
        if (!is_over)
            nanosleep(&nap, NULL);
    }
    if (!is_over) {
        snprintf(text, bytes, "it has closed its standard output");
        return;
    }
    kill(-driver->pid, SIGKILL); /* what it left behind; the number is ours until it is empty */
    driver->pid = 0;
    if (WIFSIGNALED(status))
        snprintf(text, bytes, "it was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) > OF_SIGNAL) /* as the shell tells it */
        snprintf(text, bytes, "it was ended by signal %d", WEXITSTATUS(status) - OF_SIGNAL);
    else
        snprintf(text, bytes, "it has ended with status %d", WEXITSTATUS(status));
}

/* ---- lines ----------------------------------------------------------------------------------- */

bool endpoint_driver_send(struct endpoint_driver *driver, const char *request)
{
    size_t length = strlen(request);

    driver->used_bytes = 0;
    return send(driver->to_fd, request, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static enum endpoint_driver_news judge_line(struct endpoint_driver *driver)
{
    char *end = memchr(driver->line, '\n', driver->used_bytes);

    if (!end)
        return driver->used_bytes == ENDPOINT_DRIVER_LINE_BYTES ? ENDPOINT_DRIVER_BABBLE
                                                                : ENDPOINT_DRIVER_SILENT;
    *end = '\0';
    if (strncmp(driver->line, "ok", 2) == 0 || strncmp(driver->line, "error", 5) == 0)
        return ENDPOINT_DRIVER_ANSWERS;
    return ENDPOINT_DRIVER_BABBLE;
}

enum endpoint_driver_news endpoint_driver_read(struct endpoint_driver *driver)
{
    ssize_t got = read(driver->from_fd, driver->line + driver->used_bytes,
        ENDPOINT_DRIVER_LINE_BYTES - driver->used_bytes);

    if (got == 0)
        return ENDPOINT_DRIVER_GONE;
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? ENDPOINT_DRIVER_SILENT : ENDPOINT_DRIVER_GONE;
    driver->used_bytes += (size_t)got;
    driver->line[driver->used_bytes] = '\0';
    return judge_line(driver);
}

/* ---- the start ------------------------------------------------------------------------------- */

static bool greet_driver(struct endpoint_driver *driver, char *reason, size_t reason_bytes)
{
    enum endpoint_driver_news news = ENDPOINT_DRIVER_SILENT;
    char fate[64];

    if (!endpoint_driver_send(driver, "hello\n"))
        news = ENDPOINT_DRIVER_GONE;
    for (uint32_t i = 0; i < 10 * ENDPOINT_DRIVER_PATIENCE_S && news == ENDPOINT_DRIVER_SILENT;
         i++) {
        struct pollfd fd = { .fd = driver->from_fd, .events = POLLIN };

        poll(&fd, 1, 100);
        news = endpoint_driver_read(driver);
    }
    if (news == ENDPOINT_DRIVER_ANSWERS && strncmp(driver->line, "ok", 2) == 0)
        return true;
    if (news == ENDPOINT_DRIVER_SILENT) {
        snprintf(reason, reason_bytes, "the driver has not answered 'hello' for %d s",
            ENDPOINT_DRIVER_PATIENCE_S);
    } else if (news == ENDPOINT_DRIVER_GONE) {
        endpoint_driver_fate(driver, fate, sizeof(fate));
        snprintf(reason, reason_bytes, "the driver has not answered 'hello': %s", fate);
    } else {
        snprintf(reason, reason_bytes, "the driver answers 'hello' with '%.60s'", driver->line);
    }
    return false;
}

bool endpoint_driver_start(
    struct endpoint_driver *driver, const char *command, char *reason, size_t reason_bytes)
{
    int err = start_process(driver, command);

    if (err)
        snprintf(reason, reason_bytes, "the driver: %s", strerror(-err));
    return !err && greet_driver(driver, reason, reason_bytes);
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *find_value(const char *answer, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = strchr(answer, ' '); at; at = strchr(at, ' ')) {
        at++;
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

bool endpoint_driver_number(const char *answer, const char *key, uint64_t *value)
{
    const char *text = find_value(answer, key);
    char *end;

    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return errno == 0 && (*end == ' ' || *end == '\0');
}

bool endpoint_driver_word(const char *answer, const char *key, char *word, size_t bytes)
{
    const char *text = find_value(answer, key);

    if (!text || strcspn(text, " ") >= bytes)
        return false;
    snprintf(word, bytes, "%.*s", (int)strcspn(text, " "), text);
    return true;
}
