/* SPDX-License-Identifier: Apache-2.0 */
/* Tries the ways to move frames. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scan.h"
#include "doctor/doctor_look.h"

enum { BUFFER_WANTED = 4 << 20 };

void doctor_look_at_shared_memory(struct doctor_finding *finding)
{
    int fd = memfd_create("mrc-doctor", MFD_CLOEXEC);
    bool is_sized = fd >= 0 && ftruncate(fd, 1 << 20) == 0;
    void *memory =
        is_sized ? mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

    if (memory != MAP_FAILED)
        doctor_find(finding, DOCTOR_OK, "", "memory can be shared between processes");
    else
        doctor_find(
            finding, DOCTOR_NO, "use udp ports", "memfd_create or mmap: %s", strerror(errno));
    if (memory != MAP_FAILED)
        munmap(memory, 1 << 20);
    if (fd >= 0)
        close(fd);
}

void doctor_look_at_udp(struct doctor_finding *finding)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char text[32] = "0";
    const char *digits = text;
    uint64_t limit_bytes;

    if (sock < 0 || bind(sock, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        doctor_find(finding, DOCTOR_NO, "allow UDP sockets", "%s", strerror(errno));
    } else {
        doctor_read("/proc/sys/net/core/rmem_max", text, sizeof(text));
        if ((scan_u64(&digits, &limit_bytes) && limit_bytes >= BUFFER_WANTED) || geteuid() == 0)
            doctor_find(finding, DOCTOR_OK, "", "sockets work, receive buffers up to %s bytes%s",
                text, geteuid() == 0 ? " and beyond for root" : "");
        else
            doctor_find(finding, DOCTOR_LIMITED, "sysctl -w net.core.rmem_max=8388608",
                "receive buffers of at most %s bytes overflow at high rates", text);
    }
    if (sock >= 0)
        close(sock);
}

void doctor_look_at_packet_sockets(struct doctor_finding *finding)
{
    int sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

    if (sock >= 0)
        doctor_find(finding, DOCTOR_OK, "", "packet sockets can be opened");
    else if (errno == EPERM)
        doctor_find(finding, DOCTOR_NO, "run as root or give the program CAP_NET_RAW",
            "no permission to open packet sockets");
    else
        doctor_find(finding, DOCTOR_NO, "use a kernel with CONFIG_PACKET", "%s", strerror(errno));
    if (sock >= 0)
        close(sock);
}

void doctor_look_at_xdp(struct doctor_finding *finding)
{
    void *library = dlopen("libxdp.so.1", RTLD_LAZY);
    int sock = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    int err = sock < 0 ? errno : 0;

    if (err == EAFNOSUPPORT)
        doctor_find(
            finding, DOCTOR_NO, "use a kernel with CONFIG_XDP_SOCKETS", "the kernel has no AF_XDP");
    else if (err)
        doctor_find(finding, DOCTOR_NO, "run as root or give the program CAP_NET_RAW and CAP_BPF",
            "AF_XDP socket: %s", strerror(err));
    else if (!library)
        doctor_find(finding, DOCTOR_NO, "apt install libxdp1", "libxdp.so.1 is not installed");
    else
        doctor_find(finding, DOCTOR_OK, "",
            "kernel and libxdp are available; zero copy if the driver supports it");
    if (sock >= 0)
        close(sock);
    if (library)
        dlclose(library);
}

/* Runs `command` in a network namespace of its own. Returns its exit status, or 126 if no namespace
 * can be created. */
static int run_apart(const char *command)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);

        if (unshare(CLONE_NEWNET) != 0)
            _exit(126);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 126;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

void doctor_look_at_namespaces(struct doctor_finding *finding)
{
    int status = run_apart("ip link set lo up && ip link add name left type veth peer name right");

    if (status == 0)
        doctor_find(finding, DOCTOR_OK, "", "network namespaces and veth pairs can be created");
    else if (status == 126)
        doctor_find(finding, DOCTOR_NO,
            "run as root, or try 'unshare -rn' first; or use mrc fabric run",
            "no permission to create network namespaces");
    else
        doctor_find(finding, DOCTOR_NO, "apt install iproute2; load the module veth",
            "a namespace can be created, but no veth pair in it");
}

void doctor_look_at_segment_routing(struct doctor_finding *finding)
{
    static const char prepare[] = "ip link set lo up && ip -6 route add fc00:42:1::/48 encap "
                                  "seg6local action End flavors next-csid lblen 32 nflen 16 dev lo";
    int status = run_apart(prepare);

    if (status == 0)
        doctor_find(finding, DOCTOR_OK, "", "the kernel shifts uSIDs (seg6local End next-csid)");
    else if (status == 126)
        doctor_find(
            finding, DOCTOR_NO, "run as root", "cannot be tested without a network namespace");
    else if (run_apart(
                 "ip link set lo up && ip -6 route add fc00:42:1::/48 encap seg6local action End "
                 "dev lo") == 0)
        doctor_find(finding, DOCTOR_NO,
            "use kernel 6.1 and iproute2 6.1, or software switches: mrc fabric up",
            "seg6local works, but the kernel or iproute2 does not support next-csid");
    else
        doctor_find(finding, DOCTOR_NO,
            "use a kernel with CONFIG_IPV6_SEG6_LWTUNNEL, or software switches: mrc fabric up",
            "the kernel or iproute2 does not support seg6local");
}
