/* SPDX-License-Identifier: Apache-2.0 */
/* Requests with libcurl. */
#include "ctl/ctl_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "ctl/ctl_text.h"

#define ANSWER_BYTES_MAX (64u << 20)
#define TIMEOUT_S        20L

static void copy_line(char *out, size_t room, const char *text)
{
    snprintf(out, room, "%.*s", (int)strcspn(text, "\r\n"), text);
}

bool ctl_client_find(struct ctl_client *client, const struct ctl_folder *folder,
    char reason[static CTL_REASON_BYTES])
{
    char *url = ctl_folder_read(folder, "url");
    char *token;

    *client = (struct ctl_client){ 0 };
    if (!url) {
        snprintf(reason, CTL_REASON_BYTES,
            "no controller has run on %s; start 'mrcd controller', or name its folder with --state",
            folder->path);
        return false;
    }
    copy_line(client->url, sizeof(client->url), url);
    free(url);
    token = ctl_folder_read(folder, "token");
    if (token)
        copy_line(client->token, sizeof(client->token), token);
    free(token);
    return true;
}

static struct curl_slist *list_headers(const struct ctl_client *client)
{
    char authorization[CTL_TOKEN_BYTES + 128];

    snprintf(authorization, sizeof(authorization), "Authorization: Bearer %s", client->token);
    return client->token[0] ? curl_slist_append(NULL, authorization) : NULL;
}

static CURLcode perform(CURL *curl, const struct ctl_client *client, const char *path,
    const char *body, struct ctl_text *text)
{
    struct curl_slist *headers = list_headers(client);
    char url[CTL_PATH_BYTES + 256];
    CURLcode code;

    snprintf(url, sizeof(url), "%s%s", client->url, path);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, TIMEOUT_S);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ctl_text_append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, text);
    if (body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    code = curl_easy_perform(curl);
    curl_slist_free_all(headers);
    return code;
}

unsigned ctl_client_ask(const struct ctl_client *client, const char *path, const json_t *body,
    json_t **answer, char reason[static CTL_REASON_BYTES])
{
    struct ctl_text text = { .bytes_max = ANSWER_BYTES_MAX };
    char *body_text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    CURL *curl = curl_easy_init();
    CURLcode code = CURLE_OUT_OF_MEMORY;
    long status = 0;

    *answer = NULL;
    if (curl)
        code = perform(curl, client, path, body_text, &text);
    if (code == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    else
        snprintf(reason, CTL_REASON_BYTES, "%s does not answer: %s", client->url,
            curl_easy_strerror(code));
    if (status && text.bytes)
        *answer = json_loadb(text.bytes, text.length, JSON_DECODE_ANY, NULL);
    if (status && !*answer)
        snprintf(reason, CTL_REASON_BYTES, "%s: its answer is not JSON", client->url);
    curl_easy_cleanup(curl);
    free(body_text);
    free(text.bytes);
    return *answer ? (unsigned)status : 0;
}
