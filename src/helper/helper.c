/* SPDX-License-Identifier: Apache-2.0 */
/* The program: its options, and requests line by line. */
#include "helper/helper.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mrc-conform-helper [--device NAME] [--library FILE] [--verbs FILE] [--gid-index N]\n"
    "\n"
    "Drives a device through mrc.h for 'mrc conform endpoint --driver', with requests on standard\n"
    "input and answers on standard output (mrc-conform-endpoint(1)).\n"
    "\n"
    "  --device NAME   the device [the first one]\n"
    "  --library FILE  the library with the calls of mrc.h [libmrc.so.1]\n"
    "  --verbs FILE    the library with the verbs [libmrc-verbs.so.1, or libibverbs.so.1]\n"
    "  --gid-index N   the index of the address of the device [0]\n"
    "  -h, --help      print this\n";

/* ---- requests -------------------------------------------------------------------------------- */

const char *helper_value(const char *request, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = strchr(request, ' '); at; at = strchr(at, ' ')) {
        at++;
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

uint64_t helper_number(const char *request, const char *key, uint64_t otherwise)
{
    const char *text = helper_value(request, key);

    return text ? strtoull(text, NULL, strncmp(text, "0x", 2) == 0 ? 16 : 10) : otherwise;
}

void helper_refuse(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("error ", stdout);
    vfprintf(stdout, format, arguments);
    fputc('\n', stdout);
    va_end(arguments);
}

static void greet(struct helper *helper, const char *request)
{
    (void)request;
    printf("ok driver=1 device=%s\n", helper->device);
}

static const struct {
    const char *word;
    void (*answer)(struct helper *, const char *request);
} requests[] = {
    { "hello", greet },
    { "qp", helper_make_qp },
    { "connect", helper_connect },
    { "state", helper_state },
    { "destroy", helper_destroy },
    { "receive", helper_post_receives },
    { "write", helper_post_writes },
    { "completion", helper_complete },
    { "read", helper_read },
    { "fill", helper_fill },
    { "put", helper_put },
    { "port", helper_set_port },
};

/* Answers one request with one line. Returns false after `quit`. */
static bool answer_request(struct helper *helper, char *request)
{
    size_t length = strcspn(request, " \n");

    request[strcspn(request, "\n")] = '\0';
    if (strcmp(request, "quit") == 0) {
        puts("ok");
        return false;
    }
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        if (strlen(requests[i].word) == length && strncmp(request, requests[i].word, length) == 0) {
            requests[i].answer(helper, request);
            return true;
        }
    helper_refuse("unsupported request '%.*s'", (int)length, request);
    return true;
}

/* ---- the program ----------------------------------------------------------------------------- */

static int serve_requests(struct helper *helper)
{
    char *line = NULL;
    size_t room = 0;
    bool goes_on = true;

    while (goes_on && getline(&line, &room, stdin) > 0) {
        goes_on = answer_request(helper, line);
        (void)fflush(stdout);
    }
    free(line);
    return 0;
}

int main(int argument_count, char **arguments)
{
    static const struct option options[] = { { "device", required_argument, NULL, 'd' },
        { "library", required_argument, NULL, 'l' }, { "verbs", required_argument, NULL, 'v' },
        { "gid-index", required_argument, NULL, 'g' }, { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 } };
    static struct helper helper;
    const char *device = "", *library = "", *verbs = "";
    int option;

    while ((option = getopt_long(argument_count, arguments, "h", options, NULL)) >= 0) {
        switch (option) {
        case 'd':
            device = optarg;
            break;
        case 'l':
            library = optarg;
            break;
        case 'v':
            verbs = optarg;
            break;
        case 'g':
            helper.gid_index = (int)strtol(optarg, NULL, 10);
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            return 2;
        }
    }
    if (optind < argument_count) {
        fprintf(stderr, "mrc-conform-helper: unexpected argument '%s'\n", arguments[optind]);
        return 2;
    }
    if (!helper_load(&helper, library, verbs) || !helper_open(&helper, device))
        return 1;
    return serve_requests(&helper);
}
