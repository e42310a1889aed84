/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the files of a state folder. */
#include "ctl/ctl_setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ctl_agent.h"
#include "ctl/ctl_certificate.h"

enum { AUTHORITY_DAYS = 3650, CERTIFICATE_DAYS = 1825 };

static bool file_exists(const struct ctl_folder *folder, const char *name)
{
    char path[CTL_PATH_BYTES];

    ctl_folder_file(folder, name, path);
    return access(path, F_OK) == 0;
}

static int refuse_setup(int err, const char *what, char reason[static CTL_REASON_BYTES])
{
    snprintf(reason, CTL_REASON_BYTES, "%s: %s", what, strerror(-err));
    return err;
}

/* The key first: a certificate without its key would be taken for a complete pair. */
static int write_pair(
    const struct ctl_folder *folder, const char *stem, const struct ctl_certificate *pair)
{
    char name[CTL_PATH_BYTES];
    int err;

    snprintf(name, sizeof(name), "%s-key.pem", stem);
    err = ctl_folder_write(folder, name, pair->key);
    snprintf(name, sizeof(name), "%s.pem", stem);
    return err ? err : ctl_folder_write(folder, name, pair->certificate);
}

static int make_authority(const struct ctl_folder *folder)
{
    struct ctl_certificate authority = { 0 };
    int err = ctl_certificate_authority("mrcd authority", AUTHORITY_DAYS, &authority);

    if (!err)
        err = write_pair(folder, "ca", &authority);
    ctl_certificate_free(&authority);
    return err;
}

static int load_authority(const struct ctl_folder *folder, struct ctl_certificate *authority)
{
    *authority = (struct ctl_certificate){ ctl_folder_read(folder, "ca.pem"),
        ctl_folder_read(folder, "ca-key.pem") };
    return authority->certificate && authority->key ? 0 : -ENOENT;
}

static int make_certificate(const struct ctl_folder *folder, const char *stem,
    const struct ctl_certificate_request *request)
{
    struct ctl_certificate authority, made = { 0 };
    int err = load_authority(folder, &authority);

    if (!err)
        err = ctl_certificate_sign(&authority, request, &made);
    if (!err)
        err = write_pair(folder, stem, &made);
    ctl_certificate_free(&authority);
    ctl_certificate_free(&made);
    return err;
}

static int make_controller(const struct ctl_folder *folder, const char *const *hosts)
{
    const char *all[CTL_HOSTS_MAX + 5] = { "localhost", "127.0.0.1", "::1" };
    struct ctl_certificate_request request = {
        .name = "controller", .hosts = all, .is_server = true, .days = CERTIFICATE_DAYS
    };
    char own[256] = "";
    unsigned count = 3;

    if (gethostname(own, sizeof(own) - 1) == 0 && own[0])
        all[count++] = own;
    for (; *hosts && count < CTL_HOSTS_MAX + 4; hosts++)
        all[count++] = *hosts;
    return make_certificate(folder, "controller", &request);
}

int ctl_setup_controller(
    const struct ctl_folder *folder, const char *const *hosts, char reason[static CTL_REASON_BYTES])
{
    int err = ctl_folder_create(folder);

    if (err)
        return refuse_setup(err, folder->path, reason);
    if (!file_exists(folder, "ca.pem"))
        err = make_authority(folder);
    if (!err && !file_exists(folder, "controller.pem"))
        err = make_controller(folder, hosts);
    return err ? refuse_setup(err, "certificates", reason) : 0;
}

/* A name becomes part of a path. */
static bool is_agent_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

    return name[0] && name[0] != '.' && strlen(name) < CTL_NAME_BYTES &&
           strspn(name, allowed) == strlen(name);
}

static int refuse_name(const char *name, char reason[static CTL_REASON_BYTES])
{
    snprintf(reason, CTL_REASON_BYTES,
        "'%s' cannot be the name of an agent: use letters, digits, '-', '_' and '.'", name);
    return -EINVAL;
}

int ctl_setup_agent(
    const struct ctl_folder *folder, const char *name, char reason[static CTL_REASON_BYTES])
{
    struct ctl_certificate_request request = { .name = name, .days = CERTIFICATE_DAYS };
    char stem[CTL_PATH_BYTES], file[CTL_PATH_BYTES + 16];
    char *authority;
    int err;

    if (!is_agent_name(name))
        return refuse_name(name, reason);
    snprintf(stem, sizeof(stem), "agents/%s/agent", name);
    snprintf(file, sizeof(file), "%s.pem", stem);
    if (file_exists(folder, file)) {
        snprintf(reason, CTL_REASON_BYTES, "%s/agents/%s exists already", folder->path, name);
        return -EEXIST;
    }
    snprintf(file, sizeof(file), "agents/%s", name);
    err = ctl_folder_make(folder, file);
    if (!err)
        err = make_certificate(folder, stem, &request);
    authority = ctl_folder_read(folder, "ca.pem");
    snprintf(file, sizeof(file), "agents/%s/ca.pem", name);
    if (!err)
        err = authority ? ctl_folder_write(folder, file, authority) : -ENOENT;
    free(authority);
    if (err == -ENOENT)
        snprintf(
            reason, CTL_REASON_BYTES, "%s has no authority; run 'mrcd init' first", folder->path);
    else if (err)
        refuse_setup(err, file, reason);
    return err;
}

static void remove_pair(const struct ctl_folder *folder, const char *name)
{
    static const char *const files[] = { "agent.pem", "agent-key.pem" };

    for (unsigned i = 0; i < 2; i++) {
        char file[CTL_PATH_BYTES], path[CTL_PATH_BYTES];

        snprintf(file, sizeof(file), "agents/%s/%s", name, files[i]);
        ctl_folder_file(folder, file, path);
        unlink(path);
    }
}

int ctl_setup_revoke(
    const struct ctl_folder *folder, const char *name, char reason[static CTL_REASON_BYTES])
{
    char file[CTL_PATH_BYTES], serial[CTL_SERIAL_BYTES];
    char line[CTL_SERIAL_BYTES + CTL_NAME_BYTES + 3];
    char *certificate;
    int err;

    if (!is_agent_name(name))
        return refuse_name(name, reason);
    snprintf(file, sizeof(file), "agents/%s/agent.pem", name);
    certificate = ctl_folder_read(folder, file);
    err = certificate ? ctl_certificate_serial(certificate, serial) : -ENOENT;
    if (err)
        snprintf(reason, CTL_REASON_BYTES,
            "%s/%s: %s; copy the certificate of the agent there, and try again", folder->path, file,
            certificate ? "it is no certificate" : "there is no such file");
    free(certificate);
    if (err)
        return err;
    /* The last line may have been edited, and lack its end. */
    snprintf(line, sizeof(line), "\n%s %s\n", serial, name);
    err = ctl_folder_append(folder, "revoked", line);
    if (err)
        return refuse_setup(err, "revoked", reason);
    remove_pair(folder, name);
    return 0;
}
