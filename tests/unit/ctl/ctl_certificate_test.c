/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates, and the server that demands them: tests ctl/ctl_setup.c, ctl/ctl_link.c and
 * http/http_tls.c with real handshakes. */
#include "ctl/ctl_certificate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <curl/curl.h>

#include "ctl_bench.h"
#include "patience.h"
#include "spec.h"

struct world {
    char path[64];
    struct ctl_folder folder;
    struct ctl_bench bench;
    struct http_server *server;
    struct http_tls tls;
    char url[64];
    char reason[CTL_REASON_BYTES];
};

static void world_open(struct world *world)
{
    const char *const hosts[] = { "controller.example", "192.0.2.1", NULL };
    struct http_config config = {
        .routes = ctl_agent_routes, .context = &world->bench.controller, .tls = &world->tls
    };

    snprintf(world->path, sizeof(world->path), "/tmp/mrc-test-tls-XXXXXX");
    EXPECT(mkdtemp(world->path) != NULL);
    EXPECT(ctl_folder_name(&world->folder, world->path));
    EXPECT_EQ(ctl_setup_controller(&world->folder, hosts, world->reason), 0);
    EXPECT_EQ(ctl_setup_agent(&world->folder, "node-1", world->reason), 0);
    EXPECT(ctl_bench_open(&world->bench, 0));
    world->tls = (struct http_tls){ ctl_folder_read(&world->folder, "controller.pem"),
        ctl_folder_read(&world->folder, "controller-key.pem"),
        ctl_folder_read(&world->folder, "ca.pem") };
    EXPECT_EQ(http_server_open(&world->server, &config), 0);
    snprintf(
        world->url, sizeof(world->url), "https://localhost:%u", http_server_port(world->server));
}

static void world_close(struct world *world)
{
    char command[128];

    http_server_close(world->server);
    ctl_bench_close(&world->bench);
    free((char *)(size_t)world->tls.certificate);
    free((char *)(size_t)world->tls.key);
    free((char *)(size_t)world->tls.authority);
    snprintf(command, sizeof(command), "rm -rf %s", world->path);
    EXPECT_EQ(system(command), 0);
}

static uint64_t refusals(const struct world *world)
{
    const uint64_t *refused = http_server_counts(world->server)->refused;

    return refused[HTTP_REFUSED_CERTIFICATE] + refused[HTTP_REFUSED_REVOKED] +
           refused[HTTP_REFUSED_NO_REQUEST];
}

/* Lets an agent with the certificates of the folder talk to the server for a while. Returns whether
 * it was heard. */
static bool is_heard(struct world *world, const char *folder_path, const char *name)
{
    static struct ctl_agent agent;
    struct ctl_folder folder;
    struct ctl_link link;
    int64_t end_s = patience_end_s();
    uint64_t refused = refusals(world);

    EXPECT(ctl_folder_name(&folder, folder_path));
    ctl_agent_init(&agent, world->bench.store, name);
    EXPECT_EQ(ctl_link_open(&link, &agent, &folder, world->url), 0);
    while (patience_lasts(end_s) && world->bench.controller.members.count == 0 &&
           refusals(world) == refused) {
        ctl_link_wait(&link, 5);
        http_server_poll(world->server);
    }
    ctl_link_close(&link);
    ctl_agent_fini(&agent);
    return world->bench.controller.members.count > 0;
}

SPEC("an agent with a certificate of ours is heard, under the name in its certificate")
{
    static struct world world;
    char path[128];

    world_open(&world);
    snprintf(path, sizeof(path), "%s/agents/node-1", world.path);
    EXPECT(is_heard(&world, path, "another name"));
    EXPECT_STR_EQ(world.bench.controller.members.members[0]->name, "node-1");
    world_close(&world);
}

SPEC("an agent with a certificate of another authority gets nothing, and is counted")
{
    static struct world world, other;
    char path[128], own[192], command[512];

    world_open(&world);
    world_open(&other);
    /* It trusts our controller, so that only the server can refuse. */
    snprintf(path, sizeof(path), "%s/agents/node-1", other.path);
    snprintf(own, sizeof(own), "%s/ca.pem", world.path);
    snprintf(command, sizeof(command), "cp %s %s/ca.pem", own, path);
    EXPECT_EQ(system(command), 0);
    EXPECT(!is_heard(&world, path, "evil"));
    EXPECT_EQ(http_server_counts(world.server)->answered, 0);
    EXPECT_GE(http_server_counts(world.server)->refused[HTTP_REFUSED_CERTIFICATE], 1);
    world_close(&other);
    world_close(&world);
}

SPEC("a certificate that is made for a server is none of an agent")
{
    static struct world world;
    char path[128], command[512];

    world_open(&world);
    snprintf(path, sizeof(path), "%s/agents/node-1", world.path);
    snprintf(command, sizeof(command),
        "cp %s/controller.pem %s/agent.pem && cp %s/controller-key.pem %s/agent-key.pem",
        world.path, path, world.path, path);
    EXPECT_EQ(system(command), 0);
    EXPECT(!is_heard(&world, path, "node-1"));
    EXPECT_GE(http_server_counts(world.server)->refused[HTTP_REFUSED_CERTIFICATE], 1);
    world_close(&world);
}

/* Copies the folder of an agent. */
static void steal(const struct world *world, const char *path, char copy[static 128])
{
    char command[512];

    snprintf(copy, 128, "%s/stolen", world->path);
    snprintf(command, sizeof(command), "cp -r %s %s", path, copy);
    EXPECT_EQ(system(command), 0);
}

static void take_revocations(struct world *world)
{
    char *revoked = ctl_folder_read(&world->folder, "revoked");

    EXPECT_EQ(http_server_revoke(world->server, revoked), 0);
    free(revoked);
}

SPEC("a revoked certificate gets nothing, and is counted; one made later under its name is heard")
{
    static struct world world;
    char path[128], copy[128];

    world_open(&world);
    snprintf(path, sizeof(path), "%s/agents/node-1", world.path);
    steal(&world, path, copy);
    EXPECT_EQ(ctl_setup_revoke(&world.folder, "node-1", world.reason), 0);
    EXPECT_EQ(ctl_setup_revoke(&world.folder, "node-1", world.reason), -ENOENT);
    EXPECT_EQ(ctl_setup_revoke(&world.folder, "../node-1", world.reason), -EINVAL);
    EXPECT_EQ(ctl_setup_agent(&world.folder, "node-1", world.reason), 0);
    take_revocations(&world);
    EXPECT(!is_heard(&world, copy, "node-1"));
    EXPECT_GE(http_server_counts(world.server)->refused[HTTP_REFUSED_REVOKED], 1);
    EXPECT(is_heard(&world, path, "node-1"));
    world_close(&world);
}

SPEC("a revocation counts though the line before it lacks its end")
{
    static struct world world;
    char path[128], copy[128];

    world_open(&world);
    snprintf(path, sizeof(path), "%s/agents/node-1", world.path);
    steal(&world, path, copy);
    EXPECT_EQ(ctl_folder_write(&world.folder, "revoked", "\n00 node-0"), 0);
    EXPECT_EQ(ctl_setup_revoke(&world.folder, "node-1", world.reason), 0);
    take_revocations(&world);
    EXPECT(!is_heard(&world, copy, "node-1"));
    EXPECT_EQ(http_server_counts(world.server)->refused[HTTP_REFUSED_REVOKED], 1);
    world_close(&world);
}

SPEC("an agent refuses a controller of another authority")
{
    static struct world world, other;
    char path[128];

    world_open(&world);
    world_open(&other);
    snprintf(path, sizeof(path), "%s/agents/node-1", other.path);
    EXPECT(!is_heard(&world, path, "node-1"));
    EXPECT_EQ(http_server_counts(world.server)->answered, 0);
    world_close(&other);
    world_close(&world);
}

SPEC("keys are readable by their user only, and init changes nothing that exists")
{
    static struct world world;
    char path[128];
    struct stat status;
    char *before, *after;
    const char *const none[] = { NULL };

    world_open(&world);
    for (unsigned i = 0; i < 4; i++) {
        static const char *const names[] = { "token", "ca-key.pem", "controller-key.pem",
            "agents/node-1/agent-key.pem" };

        snprintf(path, sizeof(path), "%s/%s", world.path, names[i]);
        EXPECT_EQ(stat(path, &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0600);
    }
    before = ctl_folder_read(&world.folder, "ca.pem");
    EXPECT_EQ(ctl_setup_controller(&world.folder, none, world.reason), 0);
    after = ctl_folder_read(&world.folder, "ca.pem");
    EXPECT_STR_EQ(before, after);
    free(before);
    free(after);
    EXPECT_EQ(ctl_setup_agent(&world.folder, "node-1", world.reason), -EEXIST);
    EXPECT_EQ(ctl_setup_agent(&world.folder, "../evil", world.reason), -EINVAL);
    EXPECT_EQ(ctl_setup_agent(&world.folder, "", world.reason), -EINVAL);
    world_close(&world);
}
