/* SPDX-License-Identifier: Apache-2.0 */
/* The file `state`, in JSON, and the process that it names. */
#include "lab/netns_state.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/scan.h"
#include "plan/plan.h"

#define PATH_BYTES 512

enum {
    LOOK_MS = 10,
    /* Fields of /proc/PID/stat, counted from 1. */
    STAT_STATUS = 3,
    STAT_BIRTH = 22,
};

/* ---- the file -------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t digest, uint64_t value)
{
    return (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (digest >> 29);
}

static uint64_t mix_cable(uint64_t digest, const struct topology *topology, struct topology_end end)
{
    struct topology_link_kind kind;
    struct topology_element link;
    struct topology_end peer;

    if (!topology_peer(topology, end, &peer) || !topology_link_at(topology, end, &link, &kind))
        return mix(digest, UINT64_MAX);
    digest = mix(mix(digest, (uint64_t)peer.node << 1 | peer.is_nic), peer.port);
    return mix(mix(digest, kind.rate_bps), kind.delay_ps);
}

static uint64_t mix_switch(uint64_t digest, const struct plan *fabric, uint32_t node)
{
    struct topology_element element = topology_switch_at(&fabric->topology, node);

    digest = mix(digest, plan_usid(fabric, &element));
    for (uint32_t port = 0; port < topology_port_count(&fabric->topology, node); port++)
        digest = mix_cable(
            digest, &fabric->topology, (struct topology_end){ .node = node, .port = port });
    return digest;
}

uint64_t netns_state_digest(const struct plan *fabric)
{
    const struct topology_config *config = &fabric->topology.config;
    uint64_t digest = mix(1, config->plane_count);

    digest = mix(mix(digest, fabric->topology.nic_count), fabric->topology.switch_count);
    digest = mix(mix(digest, config->usid_block), config->buffers.data_bytes);
    digest = mix(mix(digest, config->buffers.host_data_bytes), config->buffers.red_max_bytes);
    digest = mix(mix(digest, config->buffers.trims), config->checks_source);
    digest = mix(digest, fabric->topology.graph ? 1 + fabric->graph.detour : 0);
    digest = mix(digest, fabric->graph.choice);
    for (uint32_t i = 0; i < fabric->topology.switch_count; i++)
        digest = mix_switch(digest, fabric, i);
    return digest >> 1; /* JSON integers are signed */
}

static void state_path(const char *folder, const char *end, char path[static PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/state%s", folder, end);
}

int netns_state_read(const char *folder, struct netns_state *state)
{
    char path[PATH_BYTES];
    json_error_t error;
    json_t *file;
    json_int_t nics;
    json_int_t switches;
    json_int_t digest;
    json_int_t pid;
    json_int_t born;
    int is_kernel;
    int err;

    state_path(folder, "", path);
    if (access(path, F_OK) != 0)
        return -errno;
    file = json_load_file(path, 0, &error);
    err = json_unpack(file, "{s:b, s:I, s:I, s:I, s:I, s:I}", "kernel", &is_kernel, "nics", &nics,
        "switches", &switches, "digest", &digest, "pid", &pid, "born", &born);
    json_decref(file);
    if (err)
        return -EINVAL;
    *state = (struct netns_state){ .is_kernel = is_kernel != 0,
        .nic_count = (uint32_t)nics,
        .switch_count = (uint32_t)switches,
        .digest = (uint64_t)digest,
        .pid = (pid_t)pid,
        .born = (uint64_t)born };
    return 0;
}

int netns_state_write(const char *folder, const struct netns_state *state)
{
    char path[PATH_BYTES];
    char unfinished[PATH_BYTES];
    json_t *file = json_pack("{s:b, s:I, s:I, s:I, s:I, s:I}", "kernel", state->is_kernel, "nics",
        (json_int_t)state->nic_count, "switches", (json_int_t)state->switch_count, "digest",
        (json_int_t)state->digest, "pid", (json_int_t)state->pid, "born", (json_int_t)state->born);
    int err;

    state_path(folder, "", path);
    state_path(folder, ".new", unfinished);
    err = file ? json_dump_file(file, unfinished, JSON_INDENT(2)) : -1;
    json_decref(file);
    if (err)
        return -EIO;
    return rename(unfinished, path) == 0 ? 0 : -errno;
}

/* ---- the process ----------------------------------------------------------------------------- */

/* Returns the start time of a process, the 22nd field of /proc/PID/stat, in ticks since boot.
 * Returns 0 if the process has ended or is a zombie. */
static uint64_t birth_of(pid_t pid)
{
    char path[64];
    char line[1024];
    const char *at = NULL;
    uint64_t ticks;
    char status;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    if (fgets(line, sizeof(line), file))
        at = strrchr(line, ')'); /* the name before it may contain any character */
    (void)fclose(file);
    if (!at || !scan_word(&at, ") "))
        return 0;
    status = *at;
    for (uint32_t field = STAT_STATUS; field < STAT_BIRTH; field++) {
        at = strchr(at, ' ');
        if (!at++)
            return 0;
    }
    if (!scan_u64(&at, &ticks))
        return 0;
    return status == 'Z' || status == 'X' ? 0 : ticks;
}

bool netns_state_adopt(struct netns_state *state, pid_t pid)
{
    state->pid = pid;
    state->born = birth_of(pid);
    return state->born != 0;
}

bool netns_state_is_running(const struct netns_state *state)
{
    return state->pid > 0 && state->born != 0 && birth_of(state->pid) == state->born;
}

static bool has_ended(const struct netns_state *state, uint32_t patience_ms)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };

    for (uint32_t waited_ms = 0; waited_ms < patience_ms; waited_ms += LOOK_MS) {
        if (!netns_state_is_running(state)) {
            waitpid(state->pid, NULL, WNOHANG); /* if it is a child of ours */
            return true;
        }
        nanosleep(&nap, NULL);
    }
    return false;
}

void netns_state_end_process(const struct netns_state *state, uint32_t patience_ms)
{
    static const int signals[] = { SIGTERM, SIGKILL };

    for (uint32_t i = 0; i < 2 && netns_state_is_running(state); i++) {
        kill(state->pid, signals[i]);
        if (has_ended(state, patience_ms))
            return;
    }
}
