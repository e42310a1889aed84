/* SPDX-License-Identifier: Apache-2.0 */
/* A controller under the load of a large cluster: `mrcd controller` as a process of its own, and
 * agents that connect over TLS with a certificate each, stay connected, and report events.
 *
 *     controller [MRCD [CONNECTIONS [EVENTS-PER-SECOND [SECONDS]]]]
 *
 * Each agent reports at least every three seconds. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agents.h"

enum { HOSTS_PER_T0 = 40, CONNECTING_MAX = 64, PORT = 24781, REPORT_SECONDS = 3 };

struct load {
    const char *program;
    uint32_t connections;
    uint32_t events_per_second;
    uint32_t seconds;
    char path[64]; /* of the state folder */
    struct ctl_folder folder;
    struct plan plan;
    pid_t controller;
    struct agents agents;
};

static void must(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "bench/controller: %s\n", what);
    exit(1);
}

static double clock_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the controller -------------------------------------------------------------------------- */

static void make_fabric(struct load *load)
{
    uint32_t t0s = (load->connections + HOSTS_PER_T0 - 1) / HOSTS_PER_T0;
    static struct topology_exception none;
    struct topology_config config;
    struct topology_problem problem;
    char text[256];

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = t0s;
    config.t1_count = 8;
    config.hosts_per_t0 = HOSTS_PER_T0;
    must(plan_init(&load->plan, &config, &none, &problem), "the fabric is refused");
    snprintf(
        text, sizeof(text), "planes: 2\nt0s: %u\nt1s: 8\nhosts_per_t0: %d\n", t0s, HOSTS_PER_T0);
    must(ctl_folder_write(&load->folder, "fabric.yaml", text) == 0, "cannot write the fabric");
}

static void start_controller(struct load *load)
{
    static const char *const none[] = { NULL };
    char reason[CTL_REASON_BYTES], fabric[CTL_PATH_BYTES], url[CTL_PATH_BYTES], agents[64];

    snprintf(load->path, sizeof(load->path), "/tmp/mrc-bench-XXXXXX");
    must(mkdtemp(load->path) && ctl_folder_name(&load->folder, load->path), "no folder");
    must(ctl_setup_controller(&load->folder, none, reason) == 0, reason);
    make_fabric(load);
    ctl_folder_file(&load->folder, "fabric.yaml", fabric);
    snprintf(agents, sizeof(agents), "127.0.0.1:%d", PORT);
    load->controller = fork();
    if (load->controller == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execl(load->program, load->program, "controller", "--fabric", fabric, "--state", load->path,
            "--listen", "127.0.0.1:0", "--agents", agents, (char *)NULL);
        perror(load->program);
        _exit(1);
    }
    ctl_folder_file(&load->folder, "url", url);
    while (access(url, R_OK) != 0) {
        must(waitpid(load->controller, NULL, WNOHANG) == 0, "the controller has ended");
        usleep(10000);
    }
}

static void stop_controller(struct load *load)
{
    char remove[] = "rm", all[] = "-rf";
    char *const words[] = { remove, all, load->path, NULL };
    int status = -1;
    pid_t child;

    kill(load->controller, SIGTERM);
    waitpid(load->controller, NULL, 0);
    must(posix_spawnp(&child, remove, NULL, NULL, words, environ) == 0 &&
             waitpid(child, &status, 0) == child && status == 0,
        "cannot remove the folder");
}

/* Returns the word of this index, counted from 0. */
static unsigned long number_at(const char *words, unsigned index)
{
    for (unsigned i = 0; i < index; i++) {
        words = strchr(words, ' ');
        must(words != NULL, "/proc has another form");
        words++;
    }
    return strtoul(words, NULL, 10);
}

/* Processor time of the controller so far. */
static double controller_seconds(const struct load *load)
{
    char path[64], text[1024] = "";
    const char *end;
    unsigned long ticks;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)load->controller);
    file = fopen(path, "re");
    must(file && fgets(text, sizeof(text), file), "the controller has ended");
    (void)fclose(file);
    end = strrchr(text, ')');
    must(end && end[1], "/proc has another form");
    ticks = number_at(end + 2, 11) + number_at(end + 2, 12); /* of users and of the system */
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double controller_mebibytes(const struct load *load)
{
    char path[64], line[256];
    unsigned long kib = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)load->controller);
    file = fopen(path, "re");
    must(file != NULL, "the controller has ended");
    while (kib == 0 && fgets(line, sizeof(line), file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoul(line + 6, NULL, 10);
    (void)fclose(file);
    return (double)kib / 1024;
}

static json_t *ask_controller(const struct load *load, const char *path)
{
    char reason[CTL_REASON_BYTES];
    struct ctl_client client;
    json_t *answer = NULL;

    must(ctl_client_find(&client, &load->folder, reason), reason);
    must(ctl_client_ask(&client, path, NULL, &answer, reason) == 200, reason);
    return answer;
}

static json_int_t events_taken(const struct load *load)
{
    json_t *agents = ask_controller(load, "/v1/agents");
    json_int_t sum = 0;
    json_t *agent;
    size_t i;

    json_array_foreach(agents, i, agent) sum +=
        json_integer_value(json_object_get(agent, "events"));
    json_decref(agents);
    return sum;
}

/* ---- the load -------------------------------------------------------------------------------- */

/* The next agents whose turn it is. Each has its turn once in `period_s`. */
struct turns {
    double begin_s;
    double period_s;
    uint64_t count;
    uint64_t late; /* turns of agents that still waited for an answer */
};

static void take_turns(struct load *load, struct turns *turns, uint32_t events)
{
    uint64_t due =
        (uint64_t)((clock_s() - turns->begin_s) / turns->period_s * (double)load->connections);

    for (; turns->count < due; turns->count++)
        if (!agents_report(&load->agents, (uint32_t)(turns->count % load->connections), events))
            turns->late++;
}

/* Agents that are connected report from the beginning: idle connections are closed. */
static double connect_all(struct load *load)
{
    struct agents *agents = &load->agents;
    double begin_s = clock_s();
    struct turns turns = { .begin_s = begin_s, .period_s = REPORT_SECONDS };
    uint32_t begun = 0;

    while (agents->connected + agents->failed < load->connections) {
        while (begun < load->connections &&
               begun - agents->connected - agents->failed < CONNECTING_MAX)
            agents_connect(agents, begun++);
        agents_serve(agents, 10);
        take_turns(load, &turns, 0);
    }
    return clock_s() - begin_s;
}

static void print_figure(const char *metric, double value, const char *unit)
{
    printf("{\"bench\": \"controller\", \"metric\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n",
        metric, value, unit);
    fflush(stdout);
}

/* Why the server of agents refused, if it did. */
static void print_refusals(const struct load *load)
{
    json_t *servers = ask_controller(load, "/v1/server");
    const char *reason;
    json_t *count;

    json_object_foreach(json_object_get(servers, "agents"), reason, count)
    {
        if (json_integer_value(count) > 0)
            fprintf(stderr, "bench/controller: refused: %s %lld\n", reason,
                (long long)json_integer_value(count));
    }
    json_decref(servers);
}

/* One event in each report, or several if agents would report more often than once a second. */
static void measure_load(struct load *load)
{
    double rate = load->events_per_second;
    uint32_t events = rate > load->connections ? (uint32_t)(rate / load->connections) : 1;
    struct turns turns = { .begin_s = clock_s(),
        .period_s = (double)load->connections * events / rate };
    double cpu_s = controller_seconds(load), end_s = turns.begin_s + load->seconds, took_s;
    json_int_t taken = events_taken(load);
    uint64_t reports = load->agents.reports;
    json_t *state;

    load->agents.longest_ns = 0;
    while (clock_s() < end_s) {
        take_turns(load, &turns, events);
        agents_serve(&load->agents, 1);
    }
    took_s = clock_s() - turns.begin_s;
    cpu_s = controller_seconds(load) - cpu_s;
    taken = events_taken(load) - taken;
    state = ask_controller(load, "/v1/state");
    print_figure("events taken", (double)taken / took_s, "per second");
    print_figure("events dropped",
        (double)json_integer_value(json_object_get(state, "events_dropped")), "events");
    print_figure(
        "reports answered", (double)(load->agents.reports - reports) / took_s, "per second");
    print_figure("reports refused", (double)load->agents.refused, "reports");
    print_figure("turns of agents that still waited", (double)turns.late, "turns");
    print_figure("longest answer", (double)load->agents.longest_ns / 1e6, "ms");
    print_figure("connections lost", load->agents.failed, "connections");
    print_figure("processor of the controller", cpu_s / took_s * 100, "% of a core");
    print_figure("memory of the controller", controller_mebibytes(load), "MiB");
    fprintf(stderr, "bench/controller: store: %s\n",
        json_string_value(json_object_get(state, "store")));
    json_decref(state);
    print_refusals(load);
}

static uint32_t number_or(const char *text, uint32_t otherwise)
{
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

int main(int argument_count, char **arguments)
{
    const char *words[5] = { 0 };
    struct load *load = calloc(1, sizeof(*load));
    struct rlimit files;
    double took_s;

    must(load != NULL, "no memory");
    for (int i = 1; i < argument_count && i < 5; i++)
        words[i] = arguments[i];
    load->program = words[1] ? words[1] : "build/bin/mrcd";
    load->connections = number_or(words[2], 10000);
    load->events_per_second = number_or(words[3], 10000);
    load->seconds = number_or(words[4], 20);
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    must(files.rlim_cur > load->connections + 64, "the limit on open files is too low (ulimit -n)");
    signal(SIGPIPE, SIG_IGN);
    start_controller(load);
    agents_open(&load->agents, &load->folder, &load->plan, load->connections);
    load->agents.controller = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
    };
    took_s = connect_all(load);
    print_figure("connections", load->agents.connected, "connections");
    print_figure("connecting", load->agents.connected / took_s, "per second");
    measure_load(load);
    agents_close(&load->agents);
    stop_controller(load);
    free(load);
    return 0;
}
