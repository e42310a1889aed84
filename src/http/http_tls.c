/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of clients: judged during the handshake, and again when some are revoked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "http/http_state.h"

#define SERIAL_BYTES_MAX 31

static void write_hex(const unsigned char *bytes, size_t count, char out[static HTTP_SERIAL_BYTES])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

static bool read_identity(const gnutls_datum_t *certificate, struct http_connection *connection)
{
    unsigned char serial[SERIAL_BYTES_MAX];
    size_t serial_bytes = sizeof(serial), name_bytes = sizeof(connection->name);
    gnutls_x509_crt_t parsed;
    bool ok;

    if (gnutls_x509_crt_init(&parsed) != 0)
        return false;
    ok = gnutls_x509_crt_import(parsed, certificate, GNUTLS_X509_FMT_DER) == 0 &&
         gnutls_x509_crt_get_serial(parsed, serial, &serial_bytes) == 0 &&
         gnutls_x509_crt_get_dn_by_oid(
             parsed, GNUTLS_OID_X520_COMMON_NAME, 0, 0, connection->name, &name_bytes) == 0;
    gnutls_x509_crt_deinit(parsed);
    if (ok)
        write_hex(serial, serial_bytes, connection->serial);
    return ok;
}

static bool is_revoked(const char *list, const char *serial)
{
    size_t length = strlen(serial);

    for (const char *line = list; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, serial, length) == 0 && strchr(" \n", line[length]))
            return true;
    }
    return false;
}

/* The certificate of a controller is ours, too, but it is made for a server: its owner may not
 * report as an agent. */
static bool is_for_clients(gnutls_session_t session)
{
    static const char purpose[] = GNUTLS_KP_TLS_WWW_CLIENT;
    gnutls_typed_vdata_st wanted = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
        .data = (unsigned char *)(size_t)purpose,
        .size = sizeof(purpose) - 1 };
    unsigned status = 0;

    return gnutls_certificate_verify_peers(session, &wanted, 1, &status) == 0 && status == 0;
}

static int judge_client(gnutls_session_t session)
{
    struct http_connection *connection = gnutls_session_get_ptr(session);
    const gnutls_datum_t *chain;
    unsigned count = 0;

    chain = gnutls_certificate_get_peers(session, &count);
    if (!chain || count == 0 || !is_for_clients(session) || !read_identity(chain, connection))
        return GNUTLS_E_CERTIFICATE_ERROR;
    if (is_revoked(connection->server->revoked, connection->serial)) {
        http_connection_end(connection, HTTP_REFUSED_REVOKED);
        return GNUTLS_E_CERTIFICATE_ERROR;
    }
    connection->is_trusted = true;
    return 0;
}

void http_tls_demand(struct http_connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    gnutls_session_t session = info ? (gnutls_session_t)info->tls_session : NULL;

    if (!session)
        return;
    gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
    gnutls_session_set_ptr(session, connection);
    gnutls_session_set_verify_function(session, judge_client);
}

int http_server_revoke(struct http_server *server, const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        return -ENOMEM;
    free(server->revoked);
    server->revoked = copy;
    for (struct http_connection *c = server->connections; c; c = c->next) {
        if (!c->is_trusted || c->is_ended || !is_revoked(copy, c->serial))
            continue;
        c->is_trusted = false;
        http_connection_end(c, HTTP_REFUSED_REVOKED);
    }
    http_stream_end_revoked(server);
    return 0;
}
