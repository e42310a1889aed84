/* SPDX-License-Identifier: Apache-2.0 */
/* Files in MRC_CONFIG that say anything, and questions of any kind to a NIC: programs that have
 * them get errors, and go on. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api_world.h"
#include "attacker.h"
#include "conform/conform.h"
#include "endpoint.h"
#include "grammar.h"
#include "spec.h"

enum { FILES = 300, QUESTIONS = 2000 };

static uint64_t times(uint64_t otherwise)
{
    const char *text = getenv("HOSTILE_ACTIONS");

    return text ? strtoull(text, NULL, 10) / 100 : otherwise;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    EXPECT(file != NULL);
    fputs(text, file);
    fclose(file);
}

/* As any program would: lists devices, opens the first, and makes what claims its NIC. */
static void use_devices(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *verbs = list && list[0] ? ibv_open_device(list[0]) : NULL;
    struct mrc_context *mrc = verbs ? mrc_create_context(verbs, NULL) : NULL;
    struct mrc_cq *cq = mrc ? mrc_create_cq(mrc, 16, NULL, NULL, 0) : NULL;

    if (cq)
        EXPECT_EQ(mrc_destroy_cq(cq), 0);
    if (mrc)
        EXPECT_EQ(mrc_destroy_context(mrc), 0);
    if (verbs)
        EXPECT_EQ(ibv_close_device(verbs), 0);
    if (list)
        ibv_free_device_list(list);
}

PROPERTY("for any MRC_CONFIG, devices are opened or refused", 1)
{
    struct prng prng = { .state = seed };
    char folder[] = "/tmp/mrc-hostile-XXXXXX";
    char text[GRAMMAR_TEXT_BYTES];
    char command[64];
    char path[64];

    EXPECT(mkdtemp(folder));
    EXPECT_EQ(chdir(folder), 0); /* a capture may have any name */
    snprintf(path, sizeof(path), "%s/devices", folder);
    setenv("MRC_RUN_DIR", folder, 1);
    setenv("MRC_CONFIG", path, 1);
    setenv("MRC_LOG_LEVEL", "ERROR", 1);
    for (uint64_t i = 0; i < times(FILES); i++) {
        grammar_config(&prng, text);
        write_file(path, text);
        use_devices();
    }
    EXPECT_EQ(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    EXPECT_EQ(system(command), 0);
}

/* A question, whole or not, asked or followed, and the answer read or not. */
static void ask(const char *path, struct prng *prng, int *kept)
{
    static const char *const words[] = { "dev", "port", "stat", "qp", "qpn", "ev", "probe",
        "monitor", "monitor all", "x", "" };
    char text[GRAMMAR_TEXT_BYTES + 64];
    uint8_t noise[64];
    int sock;

    hostile_frame_noise(prng, noise, sizeof(noise));
    noise[sizeof(noise) - 1] = 0;
    snprintf(text, sizeof(text), "%s %lld%s", words[prng_below(prng, 11)],
        (long long)(prng_next(prng) >> prng_below(prng, 64)),
        prng_below(prng, 4) ? "" : (const char *)noise);
    sock = control_follow(path, text);
    if (*kept >= 0)
        close(*kept);
    *kept = sock;
}

PROPERTY("requests of any kind to a NIC are answered and do not affect its traffic", 1)
{
    static struct endpoint_pair pair;
    struct prng prng = { .state = seed };
    char folder[] = "/tmp/mrc-hostile-XXXXXX";
    char path[64];
    int kept[12];

    EXPECT(mkdtemp(folder));
    setenv("MRC_RUN_DIR", folder, 1);
    snprintf(path, sizeof(path), "%s/mrc", folder);
    EXPECT_EQ(mkdir(path, 0700), 0);
    strcat(path, "/mrc0");
    EXPECT_EQ(mkdir(path, 0700), 0);
    strcat(path, "/status");
    endpoint_pair_open(&pair, 2, &(struct pair_port_config){ 0 }, 1 << 20);
    endpoint_pair_connect(&pair, 0);
    memset(kept, 0xff, sizeof(kept));
    for (uint64_t i = 0; i < times(QUESTIONS); i++) {
        struct host_completion completion;
        uint64_t offset = i * 1000 % 900000;

        ask(path, &prng, &kept[i % 12]);
        endpoint_fill(pair.ends[0].memory + offset, 10000, i + 1);
        EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], offset, 10000), 0);
        EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
        EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
        EXPECT_MEM_EQ(pair.ends[0].memory + offset, pair.ends[1].memory + offset, 10000);
    }
    for (uint32_t i = 0; i < 12; i++)
        if (kept[i] >= 0)
            close(kept[i]);
    endpoint_pair_close(&pair);
    snprintf(path, sizeof(path), "rm -rf %s", folder);
    EXPECT_EQ(system(path), 0);
}
