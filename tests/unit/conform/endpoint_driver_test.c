/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers of devices: their answers and their ends. */
#include "spec.h"

#include <stdio.h>
#include <string.h>

#include "conform/endpoint_driver.h"

SPEC("keys of an answer are found by their whole name")
{
    const char *answer = "ok qp=1 qpn=0x112 address=2001:db8::2 empty=";
    uint64_t number = 0;
    char word[16];

    EXPECT(endpoint_driver_number(answer, "qp", &number));
    EXPECT_EQ(number, 1);
    EXPECT(endpoint_driver_number(answer, "qpn", &number));
    EXPECT_EQ(number, 0x112);
    EXPECT(endpoint_driver_word(answer, "address", word, sizeof(word)));
    EXPECT_STR_EQ(word, "2001:db8::2");
    EXPECT(!endpoint_driver_number(answer, "address", &number));
    EXPECT(!endpoint_driver_number(answer, "empty", &number));
    EXPECT(!endpoint_driver_number(answer, "pn", &number));
    EXPECT(!endpoint_driver_word(answer, "address", word, 5));
}

static const char *start_driver(const char *command)
{
    static char reason[256];
    struct endpoint_driver driver;

    reason[0] = '\0';
    endpoint_driver_start(&driver, command, reason, sizeof(reason));
    endpoint_driver_stop(&driver);
    return reason;
}

SPEC("a driver that answers hello is started and stopped")
{
    EXPECT_STR_EQ(start_driver("read -r line; echo ok driver=1; read -r line"), "");
}

SPEC("a driver that ends, refuses or babbles is reported")
{
    EXPECT(strstr(start_driver("exit 3"), "it has ended with status 3"));
    EXPECT(strstr(start_driver("kill -9 $$"), "it was ended by signal 9"));
    EXPECT(strstr(
        start_driver("read -r line; echo error broken"), "answers 'hello' with 'error broken'"));
    EXPECT(
        strstr(start_driver("read -r line; echo what; sleep 100"), "answers 'hello' with 'what'"));
}
