/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile neighbour on a cable: sends frames of any kind into a network interface.
 *
 *     hostile_wire interface=p0 fabric=FABRIC.yaml from=2 to=0 seed=1 actions=100000 [rate=N]
 *
 * Frames are those of NIC h`from`, mostly to NIC h`to`. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attacker.h"
#include "conform/conform.h"
#include "files/files.h"
#include "grammar.h"

struct wire {
    int sock;
    struct plan fabric;
    uint32_t from;
    uint32_t to;
    uint64_t sent;
    uint8_t bytes[ETH_HLEN + GRAMMAR_FRAME_BYTES];
};

static void put_header(struct wire *wire, struct prng *prng)
{
    uint16_t type = htons(ETH_P_IPV6);

    memset(wire->bytes, 0xff, 2 * ETH_ALEN); /* to all, from no one address */
    if (prng_below(prng, 16) == 0)
        hostile_frame_noise(prng, wire->bytes, 2 * ETH_ALEN);
    if (prng_below(prng, 32) == 0)
        type = (uint16_t)prng_next(prng);
    memcpy(wire->bytes + 2 * ETH_ALEN, &type, sizeof(type));
}

static void transmit(struct wire *wire, uint32_t length)
{
    wire->sent += send(wire->sock, wire->bytes, length, MSG_DONTWAIT) > 0;
}

static void send_frame(void *context, struct prng *prng)
{
    struct wire *wire = context;
    uint32_t to =
        prng_below(prng, 8) ? wire->to : prng_below(prng, wire->fabric.topology.nic_count);

    put_header(wire, prng);
    transmit(wire,
        ETH_HLEN + grammar_frame(prng, &wire->fabric, wire->from, to, wire->bytes + ETH_HLEN));
}

static void send_noise(void *context, struct prng *prng)
{
    struct wire *wire = context;
    uint32_t length = ETH_HLEN + prng_below(prng, GRAMMAR_FRAME_BYTES);

    hostile_frame_noise(prng, wire->bytes, length);
    put_header(wire, prng);
    transmit(wire, length);
}

static void send_runt(void *context, struct prng *prng)
{
    struct wire *wire = context;

    put_header(wire, prng);
    transmit(wire, ETH_HLEN + prng_below(prng, 60));
}

static const struct attacker_action actions[] = {
    { "send_frame", 20, send_frame },
    { "send_noise", 3, send_noise },
    { "send_runt", 1, send_runt },
};

static void look(void *context)
{
    (void)context;
}

static int open_interface(const char *name)
{
    struct sockaddr_ll address = { .sll_family = AF_PACKET,
        .sll_protocol = htons(ETH_P_IPV6),
        .sll_ifindex = (int)if_nametoindex(name) };
    int sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

    if (sock < 0 || bind(sock, (struct sockaddr *)&address, sizeof(address)) != 0)
        attacker_fail("%s: %s", name, strerror(errno));
    return sock;
}

int main(int argument_count, char **arguments)
{
    static struct wire wire;
    struct attacker_options options;
    const char *file = attacker_option(argument_count, arguments, "fabric", "");
    const struct yaml_node *top;
    struct yaml yaml;

    attacker_read_options(&options, argument_count, arguments);
    yaml_init(&yaml);
    top = yaml_load(&yaml, file);
    if (!top || !fabric_file_read(&yaml, top, &wire.fabric))
        attacker_fail("%s", yaml.problem);
    wire.from = (uint32_t)atoi(attacker_option(argument_count, arguments, "from", "2"));
    wire.to = (uint32_t)atoi(attacker_option(argument_count, arguments, "to", "0"));
    wire.sock = open_interface(attacker_option(argument_count, arguments, "interface", "p0"));
    attacker_run(&options, actions, sizeof(actions) / sizeof(actions[0]), &wire, look);
    printf("# %llu frames left\n", (unsigned long long)wire.sent);
    yaml_fini(&yaml);
    return 0;
}
