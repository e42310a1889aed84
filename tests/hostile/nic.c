/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile NIC: attaches to a soft fabric and misuses sockets, rings, doorbells, frames and
 * requests, at random and by a grammar.
 *
 *     hostile_nic run=RUN/mrc/fabric fabric=FABRIC.yaml first=2 seed=1 actions=100000 [rate=N]
 *                 [udp=LOCAL-PORT,REMOTE-PORT of the last NIC]
 *
 * It plays the NICs from h`first` on. The others are bystanders: it may send to them, seldom, but
 * touches nothing of theirs. It fails if the fabric does not answer the questions of another
 * process any more. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "asker.h"
#include "attacker.h"
#include "conform/conform.h"
#include "files/files.h"
#include "grammar.h"
#include "raw_attach.h"

enum { PORTS = 4, SILENT = 40, PATH_BYTES = 108, TO_BYSTANDER = 64 };

struct nic {
    char attach[PATH_BYTES];
    char control[PATH_BYTES];
    struct plan fabric;
    uint32_t first;                 /* NIC that it plays */
    struct raw_attach ports[PORTS]; /* of these NICs and their planes */
    int silent[SILENT];
    uint32_t silent_next;
    int silent_control[SILENT];
    uint32_t silent_control_next;
    int udp; /* -1: none */
    struct asker asker;
    uint64_t attached; /* times */
    uint8_t bytes[GRAMMAR_FRAME_BYTES];
};

static uint32_t own_nic(const struct nic *nic, struct prng *prng)
{
    return nic->first + prng_below(prng, nic->fabric.topology.nic_count - nic->first);
}

static uint32_t target(const struct nic *nic, struct prng *prng)
{
    return prng_below(prng, TO_BYSTANDER) == 0 ? prng_below(prng, nic->first) : own_nic(nic, prng);
}

/* ---- knocking -------------------------------------------------------------------------------- */

static void remember(int *list, uint32_t *next, int sock)
{
    uint32_t slot = (*next)++ % SILENT;

    if (list[slot] >= 0)
        close(list[slot]);
    list[slot] = sock;
}

static void knock_and_stay(void *context, struct prng *prng)
{
    struct nic *nic = context;

    (void)prng;
    remember(nic->silent, &nic->silent_next, raw_attach_connect(nic->attach));
}

static void knock_and_leave(void *context, struct prng *prng)
{
    int sock = raw_attach_connect(((struct nic *)context)->attach);

    (void)prng;
    if (sock >= 0)
        close(sock);
}

static void make_name(struct nic *nic, struct prng *prng, char name[static SHM_PORT_NAME_BYTES])
{
    static const char *const odd[] = { "", "mrc", "mrc-1", "mrc4294967298", "mrc2x", "mrc 2",
        "mrc18446744073709551618", "../mrc2", "mrc002", "h2" };

    switch (prng_below(prng, 4)) {
    case 0:
        snprintf(name, SHM_PORT_NAME_BYTES, "%s", odd[prng_below(prng, 10)]);
        return;
    case 1:
        hostile_frame_noise(prng, (uint8_t *)name, SHM_PORT_NAME_BYTES); /* not even terminated */
        return;
    default:
        snprintf(name, SHM_PORT_NAME_BYTES, "mrc%u",
            prng_below(prng, nic->fabric.topology.nic_count + 2));
        return;
    }
}

/* Right in form; wishes and names are anything. What comes back is not awaited. */
static void hello_of_any_kind(void *context, struct prng *prng)
{
    struct nic *nic = context;
    struct shm_hello hello = raw_attach_hello("", prng_below(prng, 5));
    int sock = raw_attach_connect(nic->attach);

    make_name(nic, prng, hello.name);
    hello.slot_count = (uint32_t)(prng_next(prng) >> prng_below(prng, 64));
    hello.mtu_bytes = (uint32_t)(prng_next(prng) >> prng_below(prng, 64));
    if (prng_below(prng, 8) == 0)
        hello.version = (uint32_t)prng_next(prng);
    if (sock < 0)
        return;
    raw_attach_say(sock, &hello, sizeof(hello), NULL, 0);
    if (prng_below(prng, 4) == 0) /* twice */
        raw_attach_say(sock, &hello, sizeof(hello), NULL, 0);
    remember(nic->silent, &nic->silent_next, sock);
}

static void hello_of_noise(void *context, struct prng *prng)
{
    struct nic *nic = context;
    int sock = raw_attach_connect(nic->attach);
    size_t length = prng_below(prng, 400);
    struct shm_hello hello = raw_attach_hello("mrc2", 0);

    if (sock < 0)
        return;
    hostile_frame_noise(prng, nic->bytes, length);
    if (prng_below(prng, 2))
        memcpy(nic->bytes, &hello, prng_below(prng, sizeof(hello) + 1));
    raw_attach_say(sock, nic->bytes, length, NULL, 0);
    remember(nic->silent, &nic->silent_next, sock);
}

static void hello_with_descriptors(void *context, struct prng *prng)
{
    struct nic *nic = context;
    struct shm_hello hello = raw_attach_hello("mrc99", 0);
    int sock = raw_attach_connect(nic->attach);
    int fds[16];

    if (sock < 0)
        return;
    for (uint32_t i = 0; i < 16; i++)
        fds[i] = prng_below(prng, 2) ? sock : STDIN_FILENO;
    raw_attach_say(sock, &hello, sizeof(hello), fds, 1 + prng_below(prng, 16));
    close(sock);
}

/* ---- attached -------------------------------------------------------------------------------- */

static struct raw_attach *any_port(struct nic *nic, struct prng *prng)
{
    struct raw_attach *port = &nic->ports[prng_below(prng, PORTS)];

    return port->sock >= 0 ? port : NULL;
}

/* The fabric has hung up. */
static bool is_over(const struct raw_attach *port)
{
    char byte;

    return recv(port->sock, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void attach(void *context, struct prng *prng)
{
    struct nic *nic = context;
    uint32_t slot = prng_below(prng, PORTS);
    uint32_t planes = nic->fabric.topology.config.plane_count;
    struct shm_hello hello;
    char name[16];

    if (nic->ports[slot].sock >= 0 && is_over(&nic->ports[slot]))
        raw_attach_close(&nic->ports[slot]);
    if (nic->ports[slot].sock >= 0)
        return;
    snprintf(name, sizeof(name), "mrc%u", nic->first + slot / planes);
    hello = raw_attach_hello(name, slot % planes);
    hello.slot_count = prng_below(prng, 2) ? 128u << prng_below(prng, 8) : 0;
    nic->attached += raw_attach_open(&nic->ports[slot], nic->attach, &hello);
}

static void detach(void *context, struct prng *prng)
{
    struct raw_attach *port = any_port(context, prng);

    if (port)
        raw_attach_close(port);
}

static void change_counters(void *context, struct prng *prng)
{
    struct raw_attach *port = any_port(context, prng);
    uint32_t word = (uint32_t)(prng_next(prng) >> prng_below(prng, 64));

    if (!port)
        return;
    switch (prng_below(prng, 8)) {
    case 0:
        atomic_store(&port->out->tail, word);
        return;
    case 1:
        atomic_store(&port->out->head, word);
        return;
    case 2:
        atomic_store(&port->in->head, word);
        return;
    case 3:
        atomic_store(&port->in->tail, word);
        return;
    case 4:
        atomic_store(&port->out->consumer_sleeps, word);
        return;
    case 5:
        atomic_store(&port->in->producer_waits, word);
        return;
    case 6: /* reads all */
        atomic_store(&port->in->head, atomic_load(&port->in->tail));
        return;
    default: /* one more or less */
        atomic_fetch_add(&port->out->tail, prng_below(prng, 3) - 1);
        return;
    }
}

static void scribble(void *context, struct prng *prng)
{
    struct raw_attach *port = any_port(context, prng);
    size_t at;
    size_t length;

    if (!port)
        return;
    at = prng_below(prng, 4) == 0 ? 0 : prng_below(prng, (uint32_t)(2 * port->ring_bytes));
    length = prng_below(prng, 512);
    if (at + length > 2 * port->ring_bytes)
        length = 2 * port->ring_bytes - at;
    hostile_frame_noise(prng, port->memory + at, length);
}

static void send_frames(void *context, struct prng *prng)
{
    struct nic *nic = context;
    uint32_t slot = prng_below(prng, PORTS);
    struct raw_attach *port = &nic->ports[slot];
    uint32_t from = nic->first + slot / nic->fabric.topology.config.plane_count;

    if (port->sock < 0)
        return;
    for (uint32_t i = prng_below(prng, 4); i < 4; i++) {
        uint32_t length = grammar_frame(prng, &nic->fabric, from, target(nic, prng), nic->bytes);
        uint32_t claimed = prng_below(prng, 16) == 0 ? (uint32_t)prng_next(prng) : length;

        raw_attach_put(port, nic->bytes, length, claimed);
    }
}

/* The bytes change after they were published. */
static void change_published(void *context, struct prng *prng)
{
    struct raw_attach *port = any_port(context, prng);
    uint32_t tail;
    uint8_t *slot;

    if (!port)
        return;
    tail = atomic_load(&port->out->tail) - 1 - prng_below(prng, 32);
    slot = (uint8_t *)port->out + sizeof(*port->out) +
           (size_t)(tail & (port->slot_count - 1)) * port->slot_bytes;
    hostile_frame_noise(prng, slot + prng_below(prng, 300), 1 + prng_below(prng, 60));
}

static void misuse_bell(void *context, struct prng *prng)
{
    struct nic *nic = context;
    struct raw_attach *port = any_port(nic, prng);
    int bell;

    if (!port)
        return;
    bell = prng_below(prng, 2) ? port->own_bell : port->peer_bell;
    switch (prng_below(prng, 5)) {
    case 0:
        fcntl(bell, F_SETFL, prng_below(prng, 2) ? 0 : O_NONBLOCK | O_APPEND);
        fcntl(bell, F_SETFL, O_NONBLOCK); /* or we would wait ourselves */
        return;
    case 1:
        fcntl(bell, F_SETPIPE_SZ, 4096);
        return;
    case 2:
        if (read(bell, nic->bytes, sizeof(nic->bytes)) < 0)
            return;
        return;
    default:
        if (write(bell, nic->bytes, prng_below(prng, sizeof(nic->bytes))) < 0)
            return;
        return;
    }
}

static void misuse_socket(void *context, struct prng *prng)
{
    struct nic *nic = context;
    struct raw_attach *port = any_port(nic, prng);
    int fds[2] = { STDIN_FILENO, STDIN_FILENO };

    if (!port)
        return;
    switch (prng_below(prng, 16)) {
    case 0:
        shutdown(port->sock, prng_below(prng, 2) ? SHUT_RD : SHUT_WR);
        return;
    case 1:
        raw_attach_say(port->sock, nic->bytes, 1 + prng_below(prng, 100), fds, 2);
        return;
    default:
        raw_attach_say(port->sock, nic->bytes, prng_below(prng, 2000), NULL, 0);
        return;
    }
}

static void misuse_memory(void *context, struct prng *prng)
{
    struct raw_attach *port = any_port(context, prng);

    if (!port)
        return;
    if (prng_below(prng, 8) > 0) {
        fallocate(port->memory_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            prng_below(prng, (uint32_t)port->ring_bytes), 1 + prng_below(prng, 1 << 20));
        return;
    }
    if (ftruncate(port->memory_fd, prng_below(prng, 4096)) == 0)
        attacker_fail("the memory of a port can be cut off");
}

/* ---- control --------------------------------------------------------------------------------- */

static int connect_control(const struct nic *nic)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    strcpy(address.sun_path, nic->control);
    if (sock >= 0 && connect(sock, (struct sockaddr *)&address, sizeof(address)) == 0)
        return sock;
    if (sock >= 0)
        close(sock);
    return -1;
}

static void ask(void *context, struct prng *prng)
{
    struct nic *nic = context;
    int sock = connect_control(nic);
    char text[GRAMMAR_TEXT_BYTES];

    if (sock < 0)
        return;
    grammar_request(prng, &nic->fabric.topology, nic->first, text);
    raw_attach_say(sock, text, strlen(text), NULL, 0);
    if (prng_below(prng, 4) > 0)
        shutdown(sock, SHUT_WR); /* the request is whole */
    remember(nic->silent_control, &nic->silent_control_next, sock);
}

/* ---- UDP ------------------------------------------------------------------------------------- */

static void send_datagram(void *context, struct prng *prng)
{
    struct nic *nic = context;
    uint32_t length = grammar_frame(
        prng, &nic->fabric, nic->fabric.topology.nic_count - 1, target(nic, prng), nic->bytes);

    if (nic->udp < 0)
        return;
    if (send(nic->udp, nic->bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return;
}

static void open_udp(struct nic *nic, const char *ports)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    unsigned int theirs;
    unsigned int ours;

    nic->udp = -1;
    if (!ports)
        return;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (sscanf(ports, "%u,%u", &theirs, &ours) != 2)
        attacker_fail("udp=LOCAL,REMOTE as the fabric has them");
    nic->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    address.sin_port = htons((uint16_t)ours);
    if (bind(nic->udp, (struct sockaddr *)&address, sizeof(address)) != 0)
        attacker_fail("port %u: %s", ours, strerror(errno));
    address.sin_port = htons((uint16_t)theirs);
    if (connect(nic->udp, (struct sockaddr *)&address, sizeof(address)) != 0)
        attacker_fail("port %u: %s", theirs, strerror(errno));
}

/* ---- all of it ------------------------------------------------------------------------------- */

static const struct attacker_action actions[] = {
    { "knock_and_stay", 6, knock_and_stay },
    { "knock_and_leave", 6, knock_and_leave },
    { "hello_of_any_kind", 10, hello_of_any_kind },
    { "hello_of_noise", 8, hello_of_noise },
    { "hello_with_descriptors", 4, hello_with_descriptors },
    { "attach", 4, attach },
    { "detach", 1, detach },
    { "change_counters", 100, change_counters },
    { "scribble", 60, scribble },
    { "send_frames", 500, send_frames },
    { "change_published", 200, change_published },
    { "misuse_bell", 80, misuse_bell },
    { "misuse_socket", 40, misuse_socket },
    { "misuse_memory", 20, misuse_memory },
    { "ask", 8, ask },
    { "send_datagram", 100, send_datagram },
};

static void look(void *context)
{
    asker_check(&((struct nic *)context)->asker);
}

int main(int argument_count, char **arguments)
{
    static struct nic nic;
    struct attacker_options options;
    struct asker_result answers;
    const char *run = attacker_option(argument_count, arguments, "run", NULL);
    const char *file = attacker_option(argument_count, arguments, "fabric", NULL);
    const struct yaml_node *top;
    struct yaml yaml;

    attacker_read_options(&options, argument_count, arguments);
    if (!run || !file)
        attacker_fail(
            "usage: hostile_nic run=FOLDER fabric=FILE [first= seed= actions= rate= udp=]");
    yaml_init(&yaml);
    top = yaml_load(&yaml, file);
    if (!top || !fabric_file_read(&yaml, top, &nic.fabric))
        attacker_fail("%s", yaml.problem);
    nic.first = (uint32_t)atoi(attacker_option(argument_count, arguments, "first", "2"));
    snprintf(nic.attach, sizeof(nic.attach), "%s/attach", run);
    snprintf(nic.control, sizeof(nic.control), "%s/control", run);
    for (uint32_t i = 0; i < SILENT; i++)
        nic.silent[i] = nic.silent_control[i] = -1;
    for (uint32_t i = 0; i < PORTS; i++)
        nic.ports[i].sock = -1;
    open_udp(&nic, attacker_option(argument_count, arguments, "udp", NULL));
    asker_begin(&nic.asker, nic.control);
    attacker_run(&options, actions, sizeof(actions) / sizeof(actions[0]), &nic, look);
    answers = asker_end(&nic.asker);
    printf("# attached %llu times; slowest of %llu answers to another process: %.1f ms\n",
        (unsigned long long)nic.attached, (unsigned long long)answers.count,
        (double)answers.slowest_ns / 1e6);
    yaml_fini(&yaml);
    return 0;
}
