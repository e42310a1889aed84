/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces, and the process that forwards in them. */
#include "lab/netns_fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/netns_state.h"
#include "pktio/pktio.h"

enum {
    ARGUMENTS_MAX = 16,
    FILE_PATH_BYTES = NETNS_FABRIC_PATH_BYTES + 16,
    LOOK_MS = 10,
    PATIENCE_MS = 15000,
    END_PATIENCE_MS = 10000, /* closing hundreds of packet sockets takes seconds */
};

void netns_fabric_folder(
    const char *root, const char *prefix, char out[static NETNS_FABRIC_PATH_BYTES])
{
    snprintf(out, NETNS_FABRIC_PATH_BYTES, "%s/%s", root, prefix);
}

static void path_of(const char *folder, const char *file, char out[static FILE_PATH_BYTES])
{
    snprintf(out, FILE_PATH_BYTES, "%s/%s", folder, file);
}

/* ---- switches -------------------------------------------------------------------------------- */

/* Runs in the child: executes `mrc switch` or exits. */
static _Noreturn void become_switch(const struct netns_fabric *fabric, const char *log)
{
    const char *arguments[ARGUMENTS_MAX] = { "mrc", "switch", "--quiet", "--netns",
        fabric->netns.prefix };
    char program[FILE_PATH_BYTES] = "";
    char slower[16];
    uint32_t count = 5;
    int null = open("/dev/null", O_RDONLY);
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fabric->is_paced) {
        snprintf(slower, sizeof(slower), "%u", fabric->netns.slower);
        arguments[count++] = "--slower";
        arguments[count++] = slower;
    }
    if (fabric->seed) {
        arguments[count++] = "--seed";
        arguments[count++] = fabric->seed;
    }
    arguments[count++] = fabric->file;
    setsid();
    if (null >= 0 && out >= 0 && readlink("/proc/self/exe", program, sizeof(program) - 1) > 0) {
        dup2(null, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        execv(program, (char *const *)(uintptr_t)arguments);
    }
    _exit(1);
}

static void read_log(const char *log, char reason[static NETNS_FABRIC_REASON_BYTES])
{
    char line[256] = "";
    FILE *file = fopen(log, "re");

    if (file && fgets(line, sizeof(line), file))
        line[strcspn(line, "\n")] = '\0';
    if (file)
        (void)fclose(file);
    snprintf(reason, NETNS_FABRIC_REASON_BYTES, "the switches did not start: %s",
        line[0] ? line : "no answer from their control socket");
}

/* Waits until the control socket answers. Returns false if the process ends or takes too long. */
static bool answers(pid_t child, const char *control)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };
    char *answer;

    for (uint32_t waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += LOOK_MS) {
        if (control_ask(control, "ping", &answer) == 0) {
            free(answer);
            return true;
        }
        if (waitpid(child, NULL, WNOHANG) != 0)
            return false;
        nanosleep(&nap, NULL);
    }
    return false;
}

static bool start_switches(const struct netns_fabric *fabric, const char *folder,
    struct netns_state *state, char reason[static NETNS_FABRIC_REASON_BYTES])
{
    char log[FILE_PATH_BYTES];
    char control[FILE_PATH_BYTES];
    pid_t child;

    path_of(folder, "switch.log", log);
    path_of(folder, "control", control);
    child = fork();
    if (child == 0)
        become_switch(fabric, log);
    if (child < 0) {
        snprintf(reason, NETNS_FABRIC_REASON_BYTES, "%s", strerror(errno));
        return false;
    }
    netns_state_adopt(state, child);
    netns_state_write(folder, state); /* so that the process is found even if this one ends now */
    if (answers(child, control))
        return true;
    read_log(log, reason);
    return false;
}

/* ---- down ------------------------------------------------------------------------------------ */

int netns_fabric_down(const char *root, const char *prefix)
{
    static const char *const files[] = { "state", "state.new", "control", "switch.log", "lock" };
    char folder[NETNS_FABRIC_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    struct netns_state state;
    int count;

    netns_fabric_folder(root, prefix, folder);
    if (netns_state_read(folder, &state) == 0)
        netns_state_end_process(&state, END_PATIENCE_MS);
    count = netns_remove(root, prefix);
    if (count < 0)
        return count;
    for (uint32_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        path_of(folder, files[i], path);
        unlink(path);
    }
    rmdir(folder);
    return 0;
}

/* ---- up -------------------------------------------------------------------------------------- */

/* Returns NETNS_FABRIC_FAILED if there is no fabric, or only a part of one. */
static enum netns_fabric_result find_fabric(const struct netns *netns, const char *folder)
{
    struct netns_state state;

    if (netns_state_read(folder, &state) != 0)
        return NETNS_FABRIC_FAILED;
    if (!state.is_kernel && !netns_state_is_running(&state))
        return NETNS_FABRIC_FAILED;
    if (state.is_kernel != netns->is_kernel || state.digest != netns_state_digest(netns->fabric))
        return NETNS_FABRIC_OTHER;
    return netns_is_whole(netns) ? NETNS_FABRIC_WAS_UP : NETNS_FABRIC_FAILED;
}

static enum netns_fabric_result explain_failure(
    int err, char reason[static NETNS_FABRIC_REASON_BYTES])
{
    if (err == -ENOPKG)
        snprintf(reason, NETNS_FABRIC_REASON_BYTES, "there is no 'ip' command; install iproute2");
    else if (err == -EREMOTEIO)
        snprintf(reason, NETNS_FABRIC_REASON_BYTES,
            "'ip' failed (see its messages); does this kernel have namespaces, veth and, "
            "for --kernel, seg6local End with next-csid (Linux 6.1)?");
    else
        snprintf(reason, NETNS_FABRIC_REASON_BYTES, "%s", strerror(-err));
    return NETNS_FABRIC_FAILED;
}

static enum netns_fabric_result build_fabric(const struct netns_fabric *fabric, const char *folder,
    char reason[static NETNS_FABRIC_REASON_BYTES])
{
    const struct netns *netns = &fabric->netns;
    struct netns_state state = { .is_kernel = netns->is_kernel,
        .nic_count = netns->fabric->topology.nic_count,
        .switch_count = netns->fabric->topology.switch_count,
        .digest = netns_state_digest(netns->fabric) };
    int err = netns_build(netns);
    bool is_started = !err && (netns->is_kernel || start_switches(fabric, folder, &state, reason));

    if (is_started)
        err = netns_state_write(folder, &state);
    if (is_started && !err)
        return NETNS_FABRIC_UP;
    netns_state_end_process(&state, END_PATIENCE_MS);
    netns_fabric_down(netns->root, netns->prefix);
    return err ? explain_failure(err, reason) : NETNS_FABRIC_FAILED;
}

enum netns_fabric_result netns_fabric_up(
    const struct netns_fabric *fabric, char reason[static NETNS_FABRIC_REASON_BYTES])
{
    const struct netns *netns = &fabric->netns;
    char folder[NETNS_FABRIC_PATH_BYTES];
    enum netns_fabric_result found;
    int err = 0;

    netns_fabric_folder(netns->root, netns->prefix, folder);
    found = find_fabric(netns, folder);
    if (found == NETNS_FABRIC_WAS_UP && netns->is_kernel)
        err = netns_repair(netns);
    if (err)
        return explain_failure(err, reason);
    if (found != NETNS_FABRIC_FAILED)
        return found;
    err = netns_fabric_down(netns->root, netns->prefix);
    if (err) {
        snprintf(reason, NETNS_FABRIC_REASON_BYTES, "%s-*: the namespaces could not be removed: %s",
            netns->prefix, strerror(-err));
        return NETNS_FABRIC_FAILED;
    }
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return explain_failure(-errno, reason);
    return build_fabric(fabric, folder, reason);
}
