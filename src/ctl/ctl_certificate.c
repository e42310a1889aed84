/* SPDX-License-Identifier: Apache-2.0 */
/* Makes keys and certificates with GnuTLS. */
#include "ctl/ctl_certificate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

enum { SERIAL_BYTES = 16, CLOCKS_DIFFER_S = 3600, DAY_S = 86400 };

/* A certificate in the making, and its key. */
struct draft {
    gnutls_x509_crt_t certificate;
    gnutls_x509_privkey_t key;
};

static void draft_fini(struct draft *draft)
{
    gnutls_x509_crt_deinit(draft->certificate);
    gnutls_x509_privkey_deinit(draft->key);
}

static int set_life(gnutls_x509_crt_t certificate, unsigned days)
{
    time_t now = time(NULL);
    int result = gnutls_x509_crt_set_activation_time(certificate, now - CLOCKS_DIFFER_S);

    return result ? result
                  : gnutls_x509_crt_set_expiration_time(certificate, now + (time_t)days * DAY_S);
}

static int set_serial(gnutls_x509_crt_t certificate)
{
    unsigned char serial[SERIAL_BYTES];
    int result = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));

    serial[0] &= 0x7f; /* a serial number is positive */
    return result ? result : gnutls_x509_crt_set_serial(certificate, serial, sizeof(serial));
}

/* What all certificates have. The draft must be finished in either case. */
static int draft_begin(struct draft *draft, const char *name, unsigned days)
{
    int result = gnutls_x509_crt_init(&draft->certificate);

    if (!result)
        result = gnutls_x509_privkey_init(&draft->key);
    if (!result)
        result = gnutls_x509_privkey_generate2(draft->key, GNUTLS_PK_ECDSA,
            GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0, NULL, 0);
    if (!result)
        result = gnutls_x509_crt_set_key(draft->certificate, draft->key);
    if (!result)
        result = gnutls_x509_crt_set_version(draft->certificate, 3);
    if (!result)
        result = set_serial(draft->certificate);
    if (!result)
        result = set_life(draft->certificate, days);
    if (!result)
        result = gnutls_x509_crt_set_dn_by_oid(
            draft->certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, (unsigned)strlen(name));
    return result;
}

static char *copy_datum(gnutls_datum_t *datum)
{
    char *text = strndup((const char *)datum->data, datum->size);

    gnutls_free(datum->data);
    return text;
}

static int draft_export(const struct draft *draft, struct ctl_certificate *out)
{
    gnutls_datum_t certificate = { 0 }, key = { 0 };

    if (gnutls_x509_crt_export2(draft->certificate, GNUTLS_X509_FMT_PEM, &certificate) != 0 ||
        gnutls_x509_privkey_export2(draft->key, GNUTLS_X509_FMT_PEM, &key) != 0) {
        gnutls_free(certificate.data);
        return -EIO;
    }
    *out = (struct ctl_certificate){ copy_datum(&certificate), copy_datum(&key) };
    return out->certificate && out->key ? 0 : -ENOMEM;
}

int ctl_certificate_authority(const char *name, unsigned days, struct ctl_certificate *out)
{
    struct draft draft = { 0 };
    int result = draft_begin(&draft, name, days);

    if (!result)
        result = gnutls_x509_crt_set_basic_constraints(draft.certificate, 1, 0);
    if (!result)
        result = gnutls_x509_crt_set_key_usage(draft.certificate, GNUTLS_KEY_KEY_CERT_SIGN);
    if (!result)
        result = gnutls_x509_crt_sign2(
            draft.certificate, draft.certificate, draft.key, GNUTLS_DIG_SHA256, 0);
    result = result ? -EIO : draft_export(&draft, out);
    draft_fini(&draft);
    return result;
}

/* A name, or an address in its binary form. */
static int add_host(gnutls_x509_crt_t certificate, const char *host)
{
    unsigned char address[16];

    if (inet_pton(AF_INET, host, address) == 1)
        return gnutls_x509_crt_set_subject_alt_name(
            certificate, GNUTLS_SAN_IPADDRESS, address, 4, GNUTLS_FSAN_APPEND);
    if (inet_pton(AF_INET6, host, address) == 1)
        return gnutls_x509_crt_set_subject_alt_name(
            certificate, GNUTLS_SAN_IPADDRESS, address, 16, GNUTLS_FSAN_APPEND);
    return gnutls_x509_crt_set_subject_alt_name(
        certificate, GNUTLS_SAN_DNSNAME, host, (unsigned)strlen(host), GNUTLS_FSAN_APPEND);
}

static int set_purpose(gnutls_x509_crt_t certificate, const struct ctl_certificate_request *request)
{
    int result = gnutls_x509_crt_set_basic_constraints(certificate, 0, -1);

    if (!result)
        result = gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (!result)
        result = gnutls_x509_crt_set_key_purpose_oid(certificate,
            request->is_server ? GNUTLS_KP_TLS_WWW_SERVER : GNUTLS_KP_TLS_WWW_CLIENT, 0);
    for (const char *const *host = request->hosts; host && *host && !result; host++)
        result = add_host(certificate, *host);
    return result;
}

static int import_authority(const struct ctl_certificate *from, struct draft *authority)
{
    gnutls_datum_t certificate = { (unsigned char *)from->certificate,
        (unsigned)strlen(from->certificate) };
    gnutls_datum_t key = { (unsigned char *)from->key, (unsigned)strlen(from->key) };
    int result = gnutls_x509_crt_init(&authority->certificate);

    if (!result)
        result = gnutls_x509_privkey_init(&authority->key);
    if (!result)
        result = gnutls_x509_crt_import(authority->certificate, &certificate, GNUTLS_X509_FMT_PEM);
    return result ? result : gnutls_x509_privkey_import(authority->key, &key, GNUTLS_X509_FMT_PEM);
}

int ctl_certificate_sign(const struct ctl_certificate *authority,
    const struct ctl_certificate_request *request, struct ctl_certificate *out)
{
    struct draft signer = { 0 }, draft = { 0 };
    int result = import_authority(authority, &signer);

    if (!result)
        result = draft_begin(&draft, request->name, request->days);
    if (!result)
        result = set_purpose(draft.certificate, request);
    if (!result)
        result = gnutls_x509_crt_sign2(
            draft.certificate, signer.certificate, signer.key, GNUTLS_DIG_SHA256, 0);
    result = result ? -EIO : draft_export(&draft, out);
    draft_fini(&draft);
    draft_fini(&signer);
    return result;
}

int ctl_certificate_serial(const char *certificate, char out[static CTL_SERIAL_BYTES])
{
    gnutls_datum_t pem = { (unsigned char *)(size_t)certificate, (unsigned)strlen(certificate) };
    unsigned char bytes[CTL_SERIAL_BYTES / 2 - 1];
    gnutls_datum_t serial = { bytes, sizeof(bytes) };
    size_t room = CTL_SERIAL_BYTES, serial_bytes = sizeof(bytes);
    gnutls_x509_crt_t parsed;
    int result = gnutls_x509_crt_init(&parsed);

    if (result)
        return -EINVAL;
    result = gnutls_x509_crt_import(parsed, &pem, GNUTLS_X509_FMT_PEM);
    if (!result)
        result = gnutls_x509_crt_get_serial(parsed, bytes, &serial_bytes);
    serial.size = (unsigned)serial_bytes;
    if (!result)
        result = gnutls_hex_encode(&serial, out, &room);
    gnutls_x509_crt_deinit(parsed);
    return result ? -EINVAL : 0;
}

void ctl_certificate_free(struct ctl_certificate *certificate)
{
    free(certificate->certificate);
    free(certificate->key);
}
