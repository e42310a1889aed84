/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics as Prometheus reads them: names, labels, units, and the order of samples. */
#include "control/control.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "control/metric_family.h"
#include "control/metric_shown.h"
#include "spec.h"

static struct metric_family family_named(enum metric_group group, const char *name)
{
    struct metric_family family;

    metric_family_of(metric_find(group, name), &family);
    return family;
}

static void expect_family(enum metric_group group, const char *name, const char *family)
{
    EXPECT_STR_EQ(family_named(group, name).name, family);
}

/* Returns the text of one object with one owner; the caller frees it. */
static char *page_of(enum metric_group group, const char *json, const char *const *labels)
{
    struct metric_page page = { 0 };
    json_t *values = json_loads(json, 0, NULL);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    metric_page_add(&page, group, values, labels);
    metric_page_write(&page, out);
    fclose(out);
    metric_page_fini(&page);
    json_decref(values);
    return text;
}

SPEC("a name has the prefix, the group, the base unit and, for a counter, the suffix")
{
    expect_family(METRIC_OF_TRANSPORT, "data_sent", "mrc_data_sent_total");
    expect_family(METRIC_OF_TRANSPORT, "bytes_placed", "mrc_placed_bytes_total");
    expect_family(METRIC_OF_PORT, "bytes_received", "mrc_port_received_bytes_total");
    expect_family(METRIC_OF_PORT, "rate_bps", "mrc_port_rate_bytes_per_second");
    expect_family(METRIC_OF_PORT, "usable", "mrc_port_usable");
    expect_family(METRIC_OF_QP, "base_rtt_ns", "mrc_qp_base_rtt_seconds");
    expect_family(METRIC_OF_LINK, "bytes", "mrc_link_bytes_total");
    expect_family(METRIC_OF_LINK, "up", "mrc_link_up");
    expect_family(METRIC_OF_EGRESS, "data_depth_bytes_max", "mrc_switch_data_depth_max_bytes");
}

SPEC("reasons, states and parts of a sum are labels of one family")
{
    struct metric_family family = family_named(METRIC_OF_TRANSPORT, "retransmit_timeout");

    EXPECT_STR_EQ(family.name, "mrc_retransmitted_packets_total");
    EXPECT_EQ(family.label_count, 2);
    EXPECT_STR_EQ(family.labels[0].value, "timeout");
    EXPECT_STR_EQ(family.labels[1].name, "reason");
    EXPECT_STR_EQ(family.labels[1].value, "rto");
    expect_family(METRIC_OF_DROP, "unknown_qp", "mrc_dropped_packets_total");
    expect_family(METRIC_OF_EV, "good", "mrc_evs");
    expect_family(METRIC_OF_LOSS, "fault", "mrc_fabric_lost_packets_total");
    expect_family(METRIC_OF_EGRESS, "trimmed_tail", "mrc_switch_trimmed_packets_total");
}

static bool is_name(const char *text)
{
    for (; *text; text++)
        if (!islower((unsigned char)*text) && !isdigit((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

SPEC("each name is valid, and metrics of one name have one kind and one group")
{
    for (uint32_t i = 0; i < metric_count; i++) {
        struct metric_family mine;

        metric_family_of(&metric_list[i], &mine);
        EXPECT(is_name(mine.name));
        for (uint32_t j = 0; j < i; j++) {
            struct metric_family other;

            metric_family_of(&metric_list[j], &other);
            if (strcmp(mine.name, other.name) != 0)
                continue;
            EXPECT_EQ(metric_list[i].kind, metric_list[j].kind);
            EXPECT_EQ(metric_list[i].group, metric_list[j].group);
            EXPECT(strcmp(mine.labels[0].value, other.labels[0].value) != 0);
        }
    }
}

SPEC("a sample has its labels and its value in base units")
{
    char *text = page_of(METRIC_OF_PORT, "{\"rate_bps\": 800, \"usable\": true, \"kind\": \"shm\"}",
        (const char *const[]){ "mrc0", "1", "0", NULL });

    EXPECT_STR_EQ(text, "# HELP mrc_port_usable the port carries traffic: its link is up, and the "
                        "operator has enabled it\n"
                        "# TYPE mrc_port_usable gauge\n"
                        "mrc_port_usable{device=\"mrc0\",port=\"1\",plane=\"0\"} 1\n"
                        "# HELP mrc_port_rate_bytes_per_second rate of the link\n"
                        "# TYPE mrc_port_rate_bytes_per_second gauge\n"
                        "mrc_port_rate_bytes_per_second{device=\"mrc0\",port=\"1\",plane=\"0\"} "
                        "100\n");
    free(text);
}

SPEC("times are in seconds")
{
    char *text =
        page_of(METRIC_OF_QP, "{\"base_rtt_ns\": 1500}", (const char *const[]){ "mrc0", NULL });

    EXPECT(strstr(text, "mrc_qp_base_rtt_seconds{device=\"mrc0\"} 1.5e-06\n") != NULL);
    free(text);
}

SPEC("labels cannot break out of their quotes")
{
    char *text =
        page_of(METRIC_OF_FABRIC, "{\"planes\": 2}", (const char *const[]){ "a\"b\\c\nd", NULL });

    EXPECT(strstr(text, "{fabric=\"a\\\"b\\\\c\\nd\"} 2\n") != NULL);
    free(text);
}

SPEC("a page of nothing, and values that are no numbers, are an empty text")
{
    char *text =
        page_of(METRIC_OF_FABRIC, "{\"planes\": \"2\"}", (const char *const[]){ "f", NULL });

    EXPECT_STR_EQ(text, "");
    free(text);
    text = page_of(METRIC_OF_FABRIC, "[2]", (const char *const[]){ "f", NULL });
    EXPECT_STR_EQ(text, "");
    free(text);
}

SPEC("samples of a family are together, whatever the order in which they are added")
{
    struct metric_page page = { 0 };
    json_t *first = json_pack("{s:i, s:i}", "data_sent", 1, "retransmit_nack", 2);
    json_t *second = json_pack("{s:i, s:i}", "data_sent", 3, "retransmit_time", 4);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    metric_page_add(&page, METRIC_OF_TRANSPORT, first, (const char *const[]){ "mrc0", NULL });
    metric_page_add(&page, METRIC_OF_TRANSPORT, second, (const char *const[]){ "mrc1", NULL });
    metric_page_write(&page, out);
    fclose(out);
    EXPECT(strstr(text, "mrc_data_sent_total{device=\"mrc0\"} 1\n"
                        "mrc_data_sent_total{device=\"mrc1\"} 3\n") != NULL);
    EXPECT(strstr(text,
               "mrc_retransmitted_packets_total{device=\"mrc0\",rule=\"nack\",reason=\"nack\"} 2\n"
               "mrc_retransmitted_packets_total{device=\"mrc1\",rule=\"time\",reason=\"sack\"} "
               "4\n") != NULL);
    metric_page_fini(&page);
    json_decref(first);
    json_decref(second);
    free(text);
}

SPEC("what a fabric shows becomes metrics of links, switch ports, refusals and losses")
{
    struct metric_page page = { 0 };
    json_t *shown = json_loads(
        "{\"planes\": 1, \"lost\": {\"fault\": 7}, \"nics\": [{\"ports\": [{\"link\": \"h0.p0\", "
        "\"plane\": 0, \"up\": false, \"frames\": 5}]}], \"switches\": [{\"name\": \"p0.t0.0\", "
        "\"drops\": {\"unknown_qp\": 3}, \"ports\": [{\"link\": \"h0.p0\", \"plane\": 0, "
        "\"data_packets\": 9, \"frames\": 8}]}]}",
        0, NULL);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    metric_shown_add(&page, "lab", shown);
    metric_page_write(&page, out);
    fclose(out);
    EXPECT(strstr(text, "mrc_link_up{fabric=\"lab\",from=\"h0\",link=\"h0.p0\",plane=\"0\"} 0\n"));
    EXPECT(strstr(text, "mrc_link_frames_total{fabric=\"lab\",from=\"p0.t0.0\",link=\"h0.p0\","
                        "plane=\"0\"} 8\n"));
    EXPECT(strstr(text, "mrc_switch_data_packets_total{fabric=\"lab\",switch=\"p0.t0.0\","
                        "port=\"h0.p0\",plane=\"0\"} 9\n"));
    EXPECT(strstr(text, "mrc_switch_refused_packets_total{fabric=\"lab\",switch=\"p0.t0.0\","
                        "reason=\"unknown_qp\"} 3\n"));
    EXPECT(strstr(text, "mrc_fabric_lost_packets_total{fabric=\"lab\",reason=\"fault\"} 7\n"));
    EXPECT(strstr(text, "mrc_fabric_lost_packets_total{fabric=\"lab\",reason=\"reboot\"} 0\n"));
    metric_page_fini(&page);
    json_decref(shown);
    free(text);
}
