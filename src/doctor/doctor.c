/* SPDX-License-Identifier: Apache-2.0 */
/* The list of checks. */
#include "doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/doctor_look.h"

const struct doctor_check doctor_checks[] = {
    { "kernel", "everything", doctor_look_at_kernel },
    { "processors", "speed", doctor_look_at_processors },
    { "clock", "round trips", doctor_look_at_clock },
    { "scheduling", "timers", doctor_look_at_scheduling },
    { "run folder", "devices and fabrics", doctor_look_at_run_folder },
    { "shm", "ports to a fabric on this machine", doctor_look_at_shared_memory },
    { "udp", "ports without privileges", doctor_look_at_udp },
    { "AF_PACKET", "ports on interfaces", doctor_look_at_packet_sockets },
    { "AF_XDP", "fast ports on interfaces", doctor_look_at_xdp },
    { "namespaces", "mrc fabric up", doctor_look_at_namespaces },
    { "seg6 next-csid", "mrc fabric up --kernel", doctor_look_at_segment_routing },
    { "huge pages", "speed", doctor_look_at_huge_pages },
    { "locked memory", "AF_XDP", doctor_look_at_locked_memory },
    { "open files", "many devices", doctor_look_at_open_files },
    { "fabrics", "running soft fabrics", doctor_look_at_fabrics },
    { "devices", "devices that programs can open", doctor_look_at_devices },
};

const size_t doctor_check_count = sizeof(doctor_checks) / sizeof(doctor_checks[0]);

void doctor_find(struct doctor_finding *finding, enum doctor_level level, const char *advice,
    const char *reason, ...)
{
    va_list arguments;

    finding->level = level;
    snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
    va_start(arguments, reason);
    vsnprintf(finding->reason, sizeof(finding->reason), reason, arguments);
    va_end(arguments);
}

bool doctor_read(const char *path, char *line, int room_bytes)
{
    FILE *file = fopen(path, "re");
    bool is_read = file && fgets(line, room_bytes, file);

    if (file)
        (void)fclose(file);
    if (is_read)
        line[strcspn(line, "\n")] = '\0';
    return is_read;
}
