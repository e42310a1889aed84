/* SPDX-License-Identifier: Apache-2.0 */
/* Checks processors, clocks, memory and limits. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/scan.h"
#include "doctor/doctor_look.h"

enum {
    KERNEL_MAJOR = 5,
    KERNEL_MINOR = 10,
    READS = 100000,
    SLEEPS = 200,
    SLEEP_NS = 100 * 1000,
    LATE_NS = 2 * 1000 * 1000,
    FILES_WANTED = 4096,
};

static long long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void doctor_look_at_kernel(struct doctor_finding *finding)
{
    struct utsname name;
    const char *release = name.release;
    uint32_t major = 0;
    uint32_t minor = 0;

    uname(&name);
    if (scan_u32(&release, &major) && scan_word(&release, "."))
        scan_u32(&release, &minor);
    if (major > KERNEL_MAJOR || (major == KERNEL_MAJOR && minor >= KERNEL_MINOR))
        doctor_find(
            finding, DOCTOR_OK, "", "%s %s on %s", name.sysname, name.release, name.machine);
    else
        doctor_find(finding, DOCTOR_LIMITED, "use kernel 5.10 or later",
            "%s %s is older than the tested versions", name.sysname, name.release);
}

void doctor_look_at_processors(struct doctor_finding *finding)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    if (count >= 4)
        doctor_find(finding, DOCTOR_OK, "", "%d processors", count);
    else
        doctor_find(finding, DOCTOR_LIMITED, "expect less speed and more delay",
            "%d processor%s: a fabric and two NICs with their programs need four", count,
            count == 1 ? "" : "s");
}

void doctor_look_at_clock(struct doctor_finding *finding)
{
    char source[64] = "unknown";
    long long begin = now_ns();
    long long each_ns;

    for (int i = 0; i < READS; i++)
        now_ns();
    each_ns = (now_ns() - begin) / READS;
    doctor_read(
        "/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof(source));
    if (each_ns < 150)
        doctor_find(finding, DOCTOR_OK, "", "%s, %lld ns per reading", source, each_ns);
    else
        doctor_find(finding, DOCTOR_LIMITED, "boot with a clock source that needs no system call",
            "%s takes %lld ns per reading, and every pass of an engine reads it", source, each_ns);
}

/* A late end of a short sleep shows how late an engine wakes up on shared processors. */
void doctor_look_at_scheduling(struct doctor_finding *finding)
{
    const struct timespec nap = { .tv_nsec = SLEEP_NS };
    long long worst_ns = 0;
    double load = 0;

    for (int i = 0; i < SLEEPS; i++) {
        long long begin = now_ns();
        long long late_ns;

        nanosleep(&nap, NULL);
        late_ns = now_ns() - begin - SLEEP_NS;
        worst_ns = late_ns > worst_ns ? late_ns : worst_ns;
    }
    if (getloadavg(&load, 1) != 1)
        load = 0;
    if (worst_ns < LATE_NS)
        doctor_find(finding, DOCTOR_OK, "", "sleeps end at most %lld us late, load %.1f",
            worst_ns / 1000, load);
    else
        doctor_find(finding, DOCTOR_LIMITED,
            "reduce the load; losses are inferred only after reo_wnd",
            "sleeps end up to %.1f ms late, load %.1f", (double)worst_ns / 1e6, load);
}

static bool read_total(const char *line, uint64_t *total)
{
    if (!scan_word(&line, "HugePages_Total:"))
        return false;
    scan_blanks(&line);
    return scan_u64(&line, total);
}

void doctor_look_at_huge_pages(struct doctor_finding *finding)
{
    char line[128];
    char transparent[128] = "unknown";
    uint64_t total = 0;
    FILE *file = fopen("/proc/meminfo", "re");

    while (file && fgets(line, sizeof(line), file))
        if (read_total(line, &total))
            break;
    if (file)
        (void)fclose(file);
    doctor_read("/sys/kernel/mm/transparent_hugepage/enabled", transparent, sizeof(transparent));
    if (total > 0 || strstr(transparent, "[always]") || strstr(transparent, "[madvise]"))
        doctor_find(
            finding, DOCTOR_OK, "", "%" PRIu64 " reserved, transparent: %s", total, transparent);
    else
        doctor_find(finding, DOCTOR_LIMITED,
            "not required; large buffers are slightly faster with them",
            "none reserved, transparent: %s", transparent);
}

static void write_limit(rlim_t limit, char *text, size_t room)
{
    if (limit == RLIM_INFINITY)
        snprintf(text, room, "unlimited");
    else
        snprintf(text, room, "%llu", (unsigned long long)limit);
}

void doctor_look_at_locked_memory(struct doctor_finding *finding)
{
    struct rlimit limit = { 0 };
    char text[32];

    getrlimit(RLIMIT_MEMLOCK, &limit);
    write_limit(limit.rlim_cur, text, sizeof(text));
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= 64u << 20)
        doctor_find(finding, DOCTOR_OK, "", "%s bytes; registered memory is not locked", text);
    else
        doctor_find(finding, DOCTOR_LIMITED, "ulimit -l unlimited, or kernel 5.11 and later",
            "%s bytes; only AF_XDP on old kernels needs more", text);
}

void doctor_look_at_open_files(struct doctor_finding *finding)
{
    struct rlimit limit = { 0 };
    char text[32];

    getrlimit(RLIMIT_NOFILE, &limit);
    write_limit(limit.rlim_cur, text, sizeof(text));
    if (limit.rlim_cur >= FILES_WANTED)
        doctor_find(finding, DOCTOR_OK, "", "%s", text);
    else
        doctor_find(finding, DOCTOR_LIMITED, "ulimit -n 4096",
            "%s; a device needs 10, and 3 for each port; a fabric needs 3 for each port of each "
            "NIC",
            text);
}
