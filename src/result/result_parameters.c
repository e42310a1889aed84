/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the parameters of the transport. */
#include "result/result_parameters.h"

#include "files/files.h"

static void print_choices(FILE *to, uint32_t index, uint64_t value)
{
    const struct parameter_description *parameter = &parameter_descriptions[index];

    fprintf(to, "%-22s  %s (", parameter->name, parameters_choice(index, value));
    for (uint32_t i = 0; parameter->choices[i]; i++)
        fprintf(to, "%s%s", i ? "|" : "", parameter->choices[i]);
    fprintf(to, ")\n");
}

void result_parameters_print(FILE *to)
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        const struct parameter_description *parameter = &parameter_descriptions[i];
        uint64_t value = parameter->default_value;

        if (experiment_parameter_is_of_fabric(parameter->name))
            continue;
        if (parameter->choices)
            print_choices(to, i, value);
        else if (parameter->software_value != value)
            fprintf(to, "%-22s  %llu, in software %llu %s (%llu to %llu)\n", parameter->name,
                (unsigned long long)value, (unsigned long long)parameter->software_value,
                parameter->unit, (unsigned long long)parameter->minimum,
                (unsigned long long)parameter->maximum);
        else
            fprintf(to, "%-22s  %llu %s (%llu to %llu)\n", parameter->name,
                (unsigned long long)value, parameter->unit, (unsigned long long)parameter->minimum,
                (unsigned long long)parameter->maximum);
        fprintf(to, "%-22s    %s\n", "", parameter->help);
    }
}
