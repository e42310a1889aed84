/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of clients. */
#include <string.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "http/http_state.h"

static gnutls_session_t session_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    return info ? (gnutls_session_t)info->tls_session : NULL;
}

void http_tls_demand(struct MHD_Connection *connection)
{
    gnutls_session_t session = session_of(connection);

    if (!session)
        return;
    gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
    gnutls_session_set_verify_cert(session, NULL, 0);
}

static bool read_common_name(const gnutls_datum_t *certificate, char *name, size_t bytes)
{
    gnutls_x509_crt_t parsed;
    bool ok;

    if (gnutls_x509_crt_init(&parsed) != 0)
        return false;
    ok =
        gnutls_x509_crt_import(parsed, certificate, GNUTLS_X509_FMT_DER) == 0 &&
        gnutls_x509_crt_get_dn_by_oid(parsed, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &bytes) == 0;
    gnutls_x509_crt_deinit(parsed);
    return ok;
}

bool http_tls_peer(struct MHD_Connection *connection, char name[static HTTP_PEER_BYTES])
{
    gnutls_session_t session = session_of(connection);
    const gnutls_datum_t *chain;
    unsigned count = 0, status = 0;

    name[0] = '\0';
    if (!session || gnutls_certificate_verify_peers2(session, &status) != 0 || status != 0)
        return false;
    chain = gnutls_certificate_get_peers(session, &count);
    return chain && count > 0 && read_common_name(chain, name, HTTP_PEER_BYTES);
}
