/* SPDX-License-Identifier: Apache-2.0 */
/* The switch process of a namespace fabric, and cleaning up. */
#include "cmd/fabric_netns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric up";

enum {
    ARGUMENTS_MAX = 16,
    FILE_PATH_BYTES = FABRIC_NETNS_PATH_BYTES + 16,
    LOOK_MS = 10,
    PATIENCE_MS = 15000,
};

void fabric_netns_folder(
    const char *root, const char *prefix, char out[static FABRIC_NETNS_PATH_BYTES])
{
    snprintf(out, FABRIC_NETNS_PATH_BYTES, "%s/%s", root, prefix);
}

static void path_of(const char *folder, const char *file, char out[static FILE_PATH_BYTES])
{
    snprintf(out, FILE_PATH_BYTES, "%s/%s", folder, file);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* The child: becomes `mrc switch`, or exits. */
static _Noreturn void become_switch(
    const struct netns *netns, const struct fabric_netns_switch *how, const char *log)
{
    const char *arguments[ARGUMENTS_MAX] = { "mrc", "switch", "--quiet", "--netns", netns->prefix };
    char program[FILE_PATH_BYTES] = "";
    char slower[16];
    uint32_t count = 5;
    int null = open("/dev/null", O_RDONLY);
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (how->is_paced) {
        snprintf(slower, sizeof(slower), "%u", netns->slower);
        arguments[count++] = "--slower";
        arguments[count++] = slower;
    }
    if (how->seed) {
        arguments[count++] = "--seed";
        arguments[count++] = how->seed;
    }
    arguments[count++] = how->file;
    setsid();
    if (null >= 0 && out >= 0 && readlink("/proc/self/exe", program, sizeof(program) - 1) > 0) {
        dup2(null, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        execv(program, (char *const *)(uintptr_t)arguments);
    }
    _exit(CMD_FAILED);
}

static enum cmd_status complain_with_log(const char *log)
{
    char line[256] = "";
    FILE *file = fopen(log, "re");

    if (file && fgets(line, sizeof(line), file))
        line[strcspn(line, "\n")] = '\0';
    if (file)
        (void)fclose(file);
    return cmd_complain(CMD_FAILED, name, "the switches did not start: %s",
        line[0] ? line : "no answer from their control socket");
}

/* Until the control socket answers. False: the process ended, or takes too long. */
static bool answers(pid_t child, const char *control)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };
    char *answer;

    for (uint32_t waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += LOOK_MS) {
        if (control_ask(control, "{\"do\": \"ping\"}", &answer) == 0) {
            free(answer);
            return true;
        }
        if (waitpid(child, NULL, WNOHANG) != 0)
            return false;
        nanosleep(&nap, NULL);
    }
    return false;
}

enum cmd_status fabric_netns_start(const struct netns *netns, const struct fabric_netns_switch *how,
    const char *folder, struct netns_state *state)
{
    char log[FILE_PATH_BYTES];
    char control[FILE_PATH_BYTES];
    pid_t child;

    path_of(folder, "switch.log", log);
    path_of(folder, "control", control);
    child = fork();
    if (child == 0)
        become_switch(netns, how, log);
    if (child < 0)
        return cmd_complain(CMD_FAILED, name, "%s", strerror(errno));
    netns_state_adopt(state, child);
    netns_state_write(folder, state); /* so that it is found even if this process dies now */
    return answers(child, control) ? CMD_DONE : complain_with_log(log);
}

/* ---- cleaning up ----------------------------------------------------------------------------- */

enum cmd_status fabric_netns_clean(const char *root, const char *prefix)
{
    static const char *const files[] = { "state", "state.new", "control", "switch.log", "lock" };
    char folder[FABRIC_NETNS_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    struct netns_state state;
    int count;

    fabric_netns_folder(root, prefix, folder);
    if (netns_state_read(folder, &state) == 0)
        netns_state_end_process(&state, FABRIC_NETNS_PATIENCE_MS);
    count = netns_remove(root, prefix);
    if (count < 0)
        return cmd_complain(CMD_FAILED, "fabric", "%s-*: the namespaces could not be removed: %s",
            prefix, strerror(-count));
    for (uint32_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        path_of(folder, files[i], path);
        unlink(path);
    }
    rmdir(folder);
    return CMD_DONE;
}
