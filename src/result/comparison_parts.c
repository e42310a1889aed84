/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables of a comparison that are not about one case. */
#include "result/comparison_cell.h"
#include "result/comparison_table.h"

static const json_t *first_entries(const json_t *comparison)
{
    return json_object_get(json_array_get(json_object_get(comparison, "cases"), 0), "entries");
}

/* ---- recovery -------------------------------------------------------------------------------- */

/* Returns the recovery of a contender from this kind of failure, in the worst case that has it. */
static struct comparison_cell worst_recovery(
    const json_t *cases, size_t contender, const char *kind)
{
    struct comparison_cell worst = { "-" };
    double most = -1;
    size_t index;
    json_t *one;

    json_array_foreach(cases, index, one)
    {
        const json_t *entry = json_array_get(json_object_get(one, "entries"), contender);
        const json_t *of_kind = json_object_get(json_object_get(entry, "recovery"), kind);
        const json_t *spread = json_object_get(of_kind, "recovered_us");
        double unrecovered = comparison_cell_number(of_kind, "unrecovered");
        double rank = unrecovered > 0 ? 1e18 : comparison_cell_number(spread, "mean");

        if (!of_kind || rank <= most)
            continue;
        most = rank;
        worst = comparison_cell_recovery(
            spread, unrecovered, comparison_cell_number(of_kind, "faults"));
    }
    return worst;
}

/* Returns an object with the kinds of failures as keys. */
static json_t *kinds_of(const json_t *cases)
{
    json_t *kinds = json_object();
    size_t index;
    json_t *one;

    json_array_foreach(cases, index, one)
    {
        const json_t *entry = json_array_get(json_object_get(one, "entries"), 0);

        json_object_update(kinds, json_object_get(entry, "recovery"));
    }
    return kinds;
}

void comparison_table_recovery(FILE *to, const json_t *comparison)
{
    enum { COLUMNS = 14 };
    const json_t *cases = json_object_get(comparison, "cases");
    const json_t *entries = first_entries(comparison);
    int names = comparison_table_names(entries);
    json_t *kinds = kinds_of(cases);
    const char *kind;
    size_t index;
    json_t *entry;
    json_t *value;

    if (json_object_size(kinds) > 0) {
        fprintf(to, "\nrecovery by kind of failure\n  %-*s", names, "contender");
        json_object_foreach(kinds, kind, value) fprintf(to, "  %*s", COLUMNS, kind);
        json_array_foreach(entries, index, entry)
        {
            fprintf(to, "\n  %-*s", names, comparison_cell_text(entry, "contender"));
            json_object_foreach(kinds, kind, value)
                fprintf(to, "  %*s", COLUMNS, worst_recovery(cases, index, kind).text);
        }
        fputc('\n', to);
    }
    json_decref(kinds);
}

/* ---- search ---------------------------------------------------------------------------------- */

static void print_search(FILE *to, const json_t *contender, int names)
{
    const json_t *search = json_object_get(contender, "search");
    const char *found = comparison_cell_text(search, "found");

    fprintf(to, "  %-*s  %6.0f  %7.2f%%  %7.2f%%  %s\n", names,
        comparison_cell_text(contender, "name"), comparison_cell_number(search, "trials"),
        100 * comparison_cell_number(search, "usual_score"),
        100 * comparison_cell_number(search, "best_score"), *found ? found : "as usual");
}

void comparison_table_search(FILE *to, const json_t *comparison)
{
    const json_t *contenders = json_object_get(comparison, "contenders");
    int names = comparison_table_names(first_entries(comparison));
    size_t index;
    json_t *contender;

    if (!json_object_get(json_array_get(contenders, 0), "search"))
        return;
    fprintf(to,
        "\nbest settings found, by the mean share of the ideal in all cases, on other seeds\n"
        "  %-*s  %6s  %8s  %8s  %s\n",
        names, "contender", "trials", "usual", "best", "settings");
    json_array_foreach(contenders, index, contender) if (json_object_get(contender, "search"))
        print_search(to, contender, names);
}

/* ---- state ----------------------------------------------------------------------------------- */

static void print_state(FILE *to, const json_t *contender, const json_t *entry, int names)
{
    const json_t *published = json_object_get(contender, "state");
    const json_t *state = json_object_get(entry, "state");
    const json_t *measured = json_object_get(state, "qp_bytes");
    double qps = comparison_cell_number(state, "qps_per_nic");
    double least = json_is_number(measured) ? json_number_value(measured)
                                            : comparison_cell_number(published, "qp_bytes_least");
    double most = json_is_number(measured) ? json_number_value(measured)
                                           : comparison_cell_number(published, "qp_bytes_most");

    fprintf(to, "  %-*s  %7.0f  %12s  %18s  %13.0f  %15.0f  %-9s  %s\n", names,
        comparison_cell_text(contender, "name"), qps, comparison_cell_range(least, most).text,
        comparison_cell_range(least * qps, most * qps).text,
        comparison_cell_number(state, "switch_routes"),
        comparison_cell_number(state, "switch_headroom_bytes"),
        comparison_cell_text(published, "origin"), comparison_cell_text(contender, "title"));
}

void comparison_table_states(FILE *to, const json_t *comparison)
{
    const json_t *entries = first_entries(comparison);
    int names = comparison_table_names(entries);
    size_t index;
    json_t *contender;

    fprintf(to,
        "\nstate: bytes of a QP and of a NIC, routes and bytes for PFC of a switch\n"
        "  %-*s  %7s  %12s  %18s  %13s  %15s  %-9s  %s\n",
        names, "contender", "QPs/NIC", "QP", "NIC", "switch routes", "PFC of a switch", "origin",
        "settings");
    json_array_foreach(json_object_get(comparison, "contenders"), index, contender)
        print_state(to, contender, json_array_get(entries, index), names);
}

/* ---- cost ------------------------------------------------------------------------------------ */

static double goodput_gbps(const json_t *entry)
{
    const json_t *spread = json_object_get(json_object_get(entry, "figures"), "goodput_bps");

    return comparison_cell_number(spread, "mean") / 1e9;
}

static void print_cost(FILE *to, const json_t *contender, const json_t *entry, int names)
{
    const json_t *cost = json_object_get(contender, "cost");
    double least = comparison_cell_number(cost, "least_usd");
    double most = comparison_cell_number(cost, "most_usd");
    double gbps = goodput_gbps(entry);
    struct comparison_cell total;
    struct comparison_cell share = { "-" };

    snprintf(total.text, sizeof(total.text), "%.1f to %.1f", least / 1e3, most / 1e3);
    if (gbps > 0)
        snprintf(share.text, sizeof(share.text), "%.1f to %.1f", least / gbps, most / gbps);
    fprintf(to, "  %-*s  %18s  %18s  %s\n", names, comparison_cell_text(contender, "name"),
        total.text, share.text, comparison_cell_text(contender, "fabric"));
}

void comparison_table_costs(FILE *to, const json_t *comparison)
{
    const json_t *entries = first_entries(comparison);
    int names = comparison_table_names(entries);
    size_t index;
    json_t *contender;

    fprintf(to,
        "\ncost of switches and optics, at the prices of resellers: thousand US dollars, and US "
        "dollars for 1 Gb/s of goodput in the first case\n"
        "  %-*s  %18s  %18s  %s\n",
        names, "contender", "k$", "$ for 1 Gb/s", "fabric");
    json_array_foreach(json_object_get(comparison, "contenders"), index, contender)
        print_cost(to, contender, json_array_get(entries, index), names);
}
