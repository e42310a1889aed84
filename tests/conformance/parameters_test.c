/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §23: every parameter under its name, with its default and range, at run time. */
#include <string.h>

#include "observe.h"
#include "spec.h"

static struct by_hand nic;

static const struct {
    const char *name;
    uint64_t default_value;
    uint64_t minimum;
    uint64_t maximum;
} table[] = {
    { "pmtu", 4096, 256, 4096 },
    { "mpr", 0, 0, 255 }, /* 0: derived */
    { "max_wimm", 128, 1, 32768 },
    { "sack_gen_threshold", 0, 0, 1048576 }, /* 0: 16 KiB */
    { "sack_min_charge", 1024, 0, 16384 },
    { "retry_linear", 3, 0, 7 },
    { "reo_wnd_factor_max", 4, 1, 64 },
    { "sleek_factor", 1500, 100, 100000 },
    { "sleek_min_packets", 5, 1, 1024 },
    { "nack_delay_max", 1000000, 0, 1000000000 },
    { "ev_active", 0, 0, 1024 }, /* 0: all paths */
    { "ev_backup", 64, 0, 1024 },
    { "ev_min_active", 0, 0, 1024 }, /* 0: max(1, EVs / 4) */
    { "ev_probe_lossy_longest", 1000000000, 1000, 100000000000 },
    { "ev_probe_successes", 1, 1, 24 },
    { "ev_probe_successes_max", 64, 1, 255 },
    { "port_up_probes", 3, 0, 16 },
    { "port_update_retries", 5, 0, 100 },
    { "oor_nack_every", 8, 1, 65536 },
};

/* Of timers: for NICs that keep time to a microsecond, and for software on a shared CPU. */
static const struct {
    const char *name;
    uint64_t hardware_value;
    uint64_t software_value;
    uint64_t minimum;
    uint64_t maximum;
} timers[] = {
    { "sack_idle_flush", 5000, 1000000, 0, 1000000000 },
    { "timeout", 8, 17, 0, 24 },
    { "retry_exponential", 10, 4, 0, 25 },
    { "reo_wnd", 0, 40000000, 0, 1000000000 },
    { "tail_floor", 0, 5000000, 0, 1000000000 },
    { "nack_delay", 0, 0, 0, 1000000000 },
    { "probe_timeout", 0, 20000000, 0, 10000000000 },
    { "ev_probe_first", 20000, 16000000, 1000, 10000000000 },
    { "ev_probe_longest", 500000, 1000000000, 1000, 100000000000 },
    { "ev_probe_rate", 100000, 1000, 1, 10000000 },
    { "reverse_probe_interval", 0, 0, 0, 1000000000 },
    { "port_up_holddown", 100000, 100000000, 0, 10000000000 },
    { "base_rtt", 10000, 200000, 100, 1000000000 },
    { "base_rtt_floor", 0, 200000, 0, 1000000000 },
    { "target_delay_floor", 0, 1000000, 0, 1000000000 },
};

static const struct {
    const char *name;
    const char *words[8];
    uint32_t default_value;
} choices[] = {
    { "timers", { "hardware", "software" }, TIMERS_HARDWARE },
    { "sack_gap", { "literal", "filled" }, SACK_GAP_FILLED },
    { "loss_to_bad", { "literal", "compared" }, LOSS_TO_BAD_COMPARED },
    { "ev_policy", { "rotation", "single", "flowlet", "retire", "oblivious", "bitmap", "reps" },
        EV_POLICY_ROTATION },
    { "placement", { "any_order", "in_order" }, PLACEMENT_ANY_ORDER },
    { "ev_skip", { "literal", "delay" }, EV_SKIP_DELAY },
    { "plane_share", { "equal", "delivered" }, PLANE_SHARE_DELIVERED },
    { "ev_state_scope", { "qp", "destination" }, EV_STATE_SCOPE_DESTINATION },
    { "congestion_control", { "fair", "nscc", "none" }, CONGESTION_CONTROL_FAIR },
    { "nscc_unmarked_delay", { "fair", "decrease", "auto" }, NSCC_UNMARKED_DELAY_AUTO },
};

SPEC("§23: numbers have the names, defaults and ranges of the table")
{
    for (uint32_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        uint32_t index = parameters_find(table[i].name, (uint32_t)strlen(table[i].name));
        const struct parameter_description *parameter = &parameter_descriptions[index];

        EXPECT_LT(index, parameter_count);
        EXPECT_EQ(parameter->default_value, table[i].default_value);
        EXPECT_EQ(parameter->minimum, table[i].minimum);
        EXPECT_EQ(parameter->maximum, table[i].maximum);
    }
}

SPEC("§23: timers have the names, defaults of both profiles and ranges of the table")
{
    for (uint32_t i = 0; i < sizeof(timers) / sizeof(*timers); i++) {
        uint32_t index = parameters_find(timers[i].name, (uint32_t)strlen(timers[i].name));
        const struct parameter_description *parameter = &parameter_descriptions[index];

        EXPECT_LT(index, parameter_count);
        EXPECT_EQ(parameter->default_value, timers[i].hardware_value);
        EXPECT_EQ(parameter->software_value, timers[i].software_value);
        EXPECT_EQ(parameter->minimum, timers[i].minimum);
        EXPECT_EQ(parameter->maximum, timers[i].maximum);
    }
}

SPEC("§23: timers=software sets all timers and nothing else, and timers=hardware sets them back")
{
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    parameters.retry_linear = 5;
    EXPECT_EQ(parameters_set(&parameters, "timers", "software"), PARAMETERS_OK);
    for (uint32_t i = 0; i < sizeof(timers) / sizeof(*timers); i++)
        EXPECT_EQ(parameters_get(&parameters,
                      parameters_find(timers[i].name, (uint32_t)strlen(timers[i].name))),
            timers[i].software_value);
    EXPECT_EQ(parameters.retry_linear, 5);
    EXPECT_EQ(parameters_set(&parameters, "timers", "hardware"), PARAMETERS_OK);
    EXPECT_EQ(parameters.timeout, 8);
    EXPECT_EQ(parameters.retry_linear, 5);
}

SPEC("§23: choices have the names, words and defaults of the table")
{
    for (uint32_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
        uint32_t index = parameters_find(choices[i].name, (uint32_t)strlen(choices[i].name));

        EXPECT_LT(index, parameter_count);
        for (uint32_t value = 0; choices[i].words[value]; value++) {
            EXPECT(parameters_choice(index, value));
            EXPECT_STR_EQ(parameters_choice(index, value), choices[i].words[value]);
        }
        EXPECT_EQ(parameter_descriptions[index].default_value, choices[i].default_value);
    }
}

SPEC("§23: a value outside its range is refused and changes nothing")
{
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    EXPECT_EQ(parameters_set(&parameters, "timeout", "25"), PARAMETERS_OUT_OF_RANGE);
    EXPECT_EQ(parameters_set(&parameters, "retry_linear", "8"), PARAMETERS_OUT_OF_RANGE);
    EXPECT_EQ(parameters_set(&parameters, "mpr", "256"), PARAMETERS_OUT_OF_RANGE);
    EXPECT_EQ(parameters.timeout, 8);
    EXPECT_EQ(parameters.retry_linear, 3);
    EXPECT_EQ(parameters.mpr, 0);
}

SPEC("§23: what is set while QPs run takes effect: SACK generation, NACK delay")
{
    struct parameters parameters;
    struct packet first;
    uint64_t wait_ns;

    observe_open(&nic);
    parameters = *transport_parameters(nic.transport);
    EXPECT_EQ(parameters_set(&parameters, "sack_min_charge", "16KiB"), PARAMETERS_OK);
    EXPECT_EQ(parameters_set(&parameters, "nack_delay", "77us"), PARAMETERS_OK);
    transport_set_parameters(nic.transport, &parameters);
    observe_answers(&nic, 0, 0);
    EXPECT_EQ(observe_answers(&nic, 1, 0), 1); /* each packet reaches the threshold */
    observe_post(&nic, 1, 64);
    first = *observe_nth(&nic, observe_is_data, 0);
    EXPECT_EQ(observe_nacked(&nic, &first, NACK_NO_RESOURCE), DROP_NONE);
    wait_ns = observe_wait_for(&nic, observe_is_repeat, 1000000);
    EXPECT_AFTER(wait_ns, 77000);
    by_hand_close(&nic);
}

SPEC("§23: defaults of a new QP are the parameters of the moment")
{
    struct parameters parameters;
    struct qp_attributes attributes;

    observe_open(&nic);
    parameters = *transport_parameters(nic.transport);
    EXPECT_EQ(parameters_set(&parameters, "timeout", "8"), PARAMETERS_OK);
    EXPECT_EQ(parameters_set(&parameters, "retry_exponential", "25"), PARAMETERS_OK);
    transport_set_parameters(nic.transport, &parameters);
    by_hand_connect(&nic, OBSERVE_QPN + 1);
    EXPECT_EQ(transport_qp_query(nic.transport, OBSERVE_QPN + 1, &attributes), 0);
    EXPECT_EQ(attributes.timeout, 8);
    EXPECT_EQ(attributes.retry_exponential, 25);
    EXPECT_EQ(transport_qp_query(nic.transport, OBSERVE_QPN, &attributes), 0);
    EXPECT_EQ(attributes.timeout, 14);
    by_hand_close(&nic);
}

SPEC("§23: pmtu is one of five values, none between them")
{
    static const char *const values[] = { "256", "512", "1024", "2048", "4096" };
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        EXPECT_EQ(parameters_set(&parameters, "pmtu", values[i]), PARAMETERS_OK);
        EXPECT_EQ(parameters.pmtu, 256u << i);
    }
    EXPECT_EQ(parameters_set(&parameters, "pmtu", "1500"), PARAMETERS_OUT_OF_RANGE);
    EXPECT_EQ(parameters_set(&parameters, "pmtu", "128"), PARAMETERS_OUT_OF_RANGE);
    EXPECT_EQ(parameters_set(&parameters, "pmtu", "8192"), PARAMETERS_OUT_OF_RANGE);
    EXPECT_EQ(parameters.pmtu, 4096);
}
