/* SPDX-License-Identifier: Apache-2.0 */
/* From experiment and fabric files to what the simulator takes, and the JSON they leave. */
#include "files/experiment.h"

#include <string.h>

#include "files/files.h"
#include "spec.h"

static struct yaml yaml;
static struct experiment experiment;

/* Everything that must be there. */
static const char minimal[] = "duration: 1ms\n"
                              "workloads: [{ kind: permutation, message_bytes: 1MiB }]\n";

static struct yaml_node *tree_of(const char *text, const char *more)
{
    char all[4096];

    yaml_fini(&yaml);
    yaml_init(&yaml);
    snprintf(all, sizeof(all), "%s%s", text, more);
    return yaml_parse(&yaml, "dir/x.yaml", all, strlen(all), true);
}

static const struct experiment *read(const char *text, const char *more)
{
    struct yaml_node *top = tree_of(text, more);

    EXPECT(top && experiment_read(&yaml, top, &experiment));
    EXPECT_STR_EQ(yaml.problem, "");
    return &experiment;
}

static const char *refusal_of(const char *more)
{
    struct yaml_node *top = tree_of(minimal, more);

    EXPECT(!top || !experiment_read(&yaml, top, &experiment));
    return yaml.problem;
}

SPEC("keys that a file omits have their defaults")
{
    const struct experiment *read_one = read(minimal, "");

    EXPECT_STR_EQ(read_one->name, "x");
    EXPECT_EQ(read_one->sim.seed, 1);
    EXPECT_EQ(read_one->repeat, 1);
    EXPECT_EQ(read_one->sim.duration_ps, 1000000000);
    EXPECT_EQ(read_one->measure.sample_ps, 5000000);
    EXPECT_EQ(read_one->fabric.topology.nic_count, 64);
    EXPECT_EQ(read_one->sim.workload_count, 1);
    EXPECT_STR_EQ(read_one->sim.workloads[0].name, "permutation");
    EXPECT_EQ(read_one->sim.workloads[0].rank_count, 64);
    EXPECT_EQ(read_one->sim.workloads[0].qps, 1);
    EXPECT_EQ(read_one->victim, MEASURE_NONE);
    EXPECT_EQ(read_one->measure.observe.workload, MEASURE_NONE);
}

SPEC("a fabric is read with all its keys")
{
    const struct topology_config *config = &read(minimal,
        "fabric:\n  name: n\n  planes: 2\n  t0s: 3\n  t1s: 4\n  hosts_per_t0: 5\n  nics: 14\n"
        "  radix: 16\n  host_link: { rate: 200G, delay: 1us }\n  uplink: { rate: 50G, delay: 2us "
        "}\n"
        "  switch_latency: 300ns\n  nic_latency: 400ns\n"
        "  buffers: { trims: no, marks: off, data: 1MB, host_data: 2MB, control: 64KiB,\n"
        "             red_min: 10000, red_max: 20000, trimmed: 200 }\n  usid_block: fd12:0034\n"
        "  exceptions:\n  - { link: p1.t0.2-t1.3, missing: yes }\n  - { link: h3.p0, rate: 1G }\n")
                                                ->fabric.topology.config;

    EXPECT_STR_EQ(config->name, "n");
    EXPECT_EQ(config->plane_count, 2);
    EXPECT_EQ(config->t0_count, 3);
    EXPECT_EQ(config->t1_count, 4);
    EXPECT_EQ(config->nic_count, 14);
    EXPECT_EQ(config->host_link.rate_bps, 200000000000);
    EXPECT_EQ(config->uplink.delay_ps, 2000000);
    EXPECT_EQ(config->switch_latency_ps, 300000);
    EXPECT_EQ(config->nic_latency_ps, 400000);
    EXPECT(!config->buffers.trims && !config->buffers.marks);
    EXPECT_EQ(config->buffers.host_data_bytes, 2000000);
    EXPECT_EQ(config->buffers.trimmed_bytes, 200);
    EXPECT_EQ(config->usid_block, 0xfd120034);
    EXPECT_EQ(config->exception_count, 2);
    EXPECT_EQ(config->exceptions[0].link.kind, TOPOLOGY_HOST_LINK);
    EXPECT(config->exceptions[1].missing);
}

SPEC("a workload is read with all its keys")
{
    const struct sim_workload *workload =
        &read("duration: 1ms\nworkloads:\n- name: w\n  kind: training\n  nics: [0-3, 9, 11]\n"
              "  message_bytes: 6MB\n  iterations: 7\n  qps: 3\n  start: 1us\n  jitter: 2us\n"
              "  stagger: 3us\n  compute: 4us\n  overlap: 12.5%\n  collective: reduce_scatter\n"
              "  evs: [p0/u1, p1/u2]\n  ev_active_per_plane: 1\n",
            "")
             ->sim.workloads[0];

    EXPECT_EQ(workload->kind, SIM_TRAINING);
    EXPECT_EQ(workload->placement, SIM_LIST);
    EXPECT_EQ(workload->rank_count, 6);
    EXPECT_EQ(workload->nics[3], 3);
    EXPECT_EQ(workload->nics[5], 11);
    EXPECT_EQ(workload->iterations, 7);
    EXPECT_EQ(workload->stagger_ps, 3000000);
    EXPECT_EQ(workload->overlap_permille, 125);
    EXPECT_EQ(workload->collective, SIM_REDUCE_SCATTER);
    EXPECT_EQ(workload->ev_count, 2);
    EXPECT_EQ(workload->evs[1], 1u << experiment.fabric.uplink_bits | 2);
}

SPEC("a model gives the published volumes of its parallel training, and scale divides them")
{
    const struct sim_workload *workload =
        &read("duration: 1ms\nworkloads:\n- { kind: parallel_training, model: gpt3-175b, tensor: "
              "8,\n    pipeline: 8, local_rate: 3600G, scale: 10 }\n",
            "")
             ->sim.workloads[0];

    EXPECT_EQ(workload->message_bytes, 546875000); /* 5.47 GB */
    EXPECT_EQ(workload->activation_bytes, 629145);
    EXPECT_EQ(workload->exchanges, 0);
    EXPECT_EQ(workload->compute_ps / 100000000, 84); /* 6 * 175e9 * 2048 / 64 / 400e12 s */
    workload = &read("duration: 1ms\nworkloads:\n- { kind: parallel_training, model: deepseek-v3,\n"
                     "    pipeline: 16, expert: 4, scale: 10, combine_bytes: 7777 }\n",
        "")
                    ->sim.workloads[0];
    EXPECT_EQ(workload->dispatch_bytes, 11744051); /* of 117 MB for 4096 tokens */
    EXPECT_EQ(workload->combine_bytes, 7777);
    EXPECT_EQ(workload->exchanges, 4);
}

SPEC("a fault has a place, a time and the parameters of its kind")
{
    const struct fault *faults = read(minimal,
        "faults:\n- { kind: loss, where: p0.t0.1-t1.2, probability: 50%, direction: up, at: 5us,\n"
        "    for: 3us, ev: p0/u2 }\n- { kind: flap, where: [h0.p1, h1.p1], period: 4us, duty: "
        "20%,\n"
        "    until: 90us }\n- { kind: slow, where: h2.p0, rate: 10G, at: 1us }\n")
                                     ->sim.faults;

    EXPECT_EQ(experiment.sim.fault_count, 3);
    EXPECT_EQ(faults[0].kind, FAULT_LOSS);
    EXPECT_EQ(faults[0].direction, FAULT_UPWARD);
    EXPECT_EQ(faults[0].where[0].t1, 2);
    EXPECT_EQ(faults[0].until_ps, 8000000);
    EXPECT(faults[0].of_ev);
    EXPECT_EQ(faults[0].probability, UINT32_C(1) << 31);
    EXPECT_EQ(faults[1].where_count, 2);
    EXPECT_EQ(faults[1].duty_permille, 200);
    EXPECT_EQ(faults[2].until_ps, SIM_NEVER_PS);
}

SPEC("a fault of an EV without a place affects all links of its plane")
{
    const struct fault *fault =
        read(minimal, "faults: [{ kind: blackhole, ev: p1/u2 }]\n")->sim.faults;

    EXPECT_EQ(fault->where_count, 1);
    EXPECT_EQ(fault->where[0].kind, TOPOLOGY_PLANE);
    EXPECT_EQ(fault->where[0].plane, 1);
    EXPECT(fault->of_ev);
}

SPEC("generators break components of a kind")
{
    const struct fault_generator *generator = &read(
        minimal, "generators: [{ kind: down, component: uplink, mean_between: 2s, for: 10us }]\n")
                                                   ->sim.generators[0];

    EXPECT_EQ(generator->component, TOPOLOGY_UPLINK);
    EXPECT_EQ(generator->mean_between_ps, 2 * SIM_PS_PER_S);
    EXPECT_EQ(generator->duration_ps, 10000000);
}

SPEC("any link can be watched, also between switches of a graph; a switch cannot")
{
    static const char graph[] =
        "fabric: { shape: clos, tiers: 3, planes: 2, "
        "hosts_per_leaf: 2, leaves_per_pod: 2, spines_per_pod: 2, pods: 2, cores: 4 }\n";
    const struct experiment *read_one = read(minimal, "watch: { a: p0.t0.0-t1.0, b: h3.p0 }\n");
    char more[256];

    EXPECT_EQ(read_one->measure.watch_count, 2);
    snprintf(more, sizeof(more), "%swatch: { a: p0.t1.0-t2.0 }\n", graph);
    EXPECT_EQ(read(minimal, more)->measure.watch_count, 1);
    EXPECT(strstr(refusal_of("watch: { a: p0.t0.0 }\n"), "is not a link") != NULL);
}

SPEC("parameters have the same names as elsewhere")
{
    read(minimal, "parameters: { mpr: 4, loss_to_bad: literal, tail_floor: 3us }\n");
    EXPECT_EQ(experiment.sim.parameters.mpr, 4);
    EXPECT_EQ(experiment.sim.parameters.loss_to_bad, 0);
    EXPECT_EQ(experiment.sim.parameters.tail_floor, 3000);
}

SPEC("an error is reported with its line and column")
{
    EXPECT_STR_EQ(refusal_of("fabric: { radix: 3 }\n"),
        "dir/x.yaml:3:18: fabric.radix: radix 3 cannot hold 8 hosts and 8 uplinks");
    EXPECT_STR_EQ(refusal_of("faults: [{ kind: down, where: p9 }]\n"),
        "dir/x.yaml:3:31: faults.0.where: 'p9': no plane p9: the last of 4 is p3");
    EXPECT_STR_EQ(refusal_of("faults: [{ kind: loss, where: p1 }]\n"),
        "dir/x.yaml:3:10: faults.0: a fault of kind 'loss' needs the key 'probability'");
    EXPECT_STR_EQ(refusal_of("victim: nobody\n"),
        "dir/x.yaml:3:9: victim: there is no workload 'nobody'; name one of 'workloads'");
    EXPECT_STR_EQ(refusal_of("criteria: [phases.x.permutation.goodput_fraction > 1]\n"),
        "dir/x.yaml:3:12: criteria.0: 'phases.x.permutation.goodput_fraction > 1': there is no "
        "'phases.x.permutation.goodput_fraction'; write e.g. goodput_fraction >= 0.95");
    EXPECT_STR_EQ(refusal_of("criteria: [faults.0.began.recovered_us < 9]\n"),
        "dir/x.yaml:3:12: criteria.0: 'faults.0.began.recovered_us < 9': there is no "
        "'faults.0.began.recovered_us'; write e.g. goodput_fraction >= 0.95");
    EXPECT_STR_EQ(refusal_of("parameters: { base_rtt: 1us }\n"),
        "dir/x.yaml:3:15: parameters.base_rtt: is derived from the fabric; set it there instead");
    EXPECT_STR_EQ(refusal_of("sample: 1ns\n"), "dir/x.yaml:3:9: sample: 1ns is too short: there "
                                               "would be more than 100000 samples");
}

SPEC("--set changes the tree, and an error in its value is reported with the option")
{
    struct yaml_node *top = tree_of(minimal, "");

    EXPECT(experiment_set(&yaml, top, "fabric.planes=2"));
    EXPECT(experiment_set(&yaml, top, "workloads.0.message_bytes=2MB"));
    EXPECT(experiment_read(&yaml, top, &experiment));
    EXPECT_EQ(experiment.fabric.topology.config.plane_count, 2);
    EXPECT_EQ(experiment.sim.workloads[0].message_bytes, 2000000);
    EXPECT(experiment_set(&yaml, top, "fabric.planes=0"));
    EXPECT(!experiment_read(&yaml, top, &experiment));
    EXPECT_STR_EQ(
        yaml.problem, "--set fabric.planes=0: fabric.planes: 0 is out of range; give 1 to 16");
}

SPEC("a sweep makes a tree for each set of values")
{
    struct yaml_node *top = tree_of(minimal,
        "sweep:\n- { label: small, workloads.0.message_bytes: 4096 }\n- { parameters.mpr: 3 }\n");
    char label[EXPERIMENT_LABEL_BYTES];

    EXPECT_EQ(experiment_sweep_count(top), 2);
    experiment_sweep_label(top, 0, label);
    EXPECT_STR_EQ(label, "small");
    experiment_sweep_label(top, 1, label);
    EXPECT_STR_EQ(label, "mpr=3");
    EXPECT(experiment_read(&yaml, experiment_sweep_apply(&yaml, top, 0), &experiment));
    EXPECT_EQ(experiment.sim.workloads[0].message_bytes, 4096);
    EXPECT_EQ(experiment.sim.parameters.mpr, 0); /* derived */
    EXPECT(experiment_read(&yaml, experiment_sweep_apply(&yaml, top, 1), &experiment));
    EXPECT_EQ(experiment.sim.workloads[0].message_bytes, 1 << 20);
    EXPECT_EQ(experiment.sim.parameters.mpr, 3);
    EXPECT(!experiment_set(&yaml, top, "parameters.mpr=5"));
}

static void expect_dump(json_t *json, const char *wanted)
{
    char *text = json_dumps(json, JSON_FORM | JSON_ENCODE_ANY);

    EXPECT_STR_EQ(text, wanted);
    free(text);
    json_decref(json);
}

SPEC("numbers of a result are made from integers")
{
    expect_dump(json_millionths(1), "1e-6");
    expect_dump(json_millionths(953421), "0.953421");
    expect_dump(json_millionths(12500000), "12.5");
    expect_dump(json_millionths(4000000), "4");
    expect_dump(json_ratio(1, 3), "0.333333");
    expect_dump(json_ratio(UINT64_C(1) << 62, UINT64_C(1) << 63), "0.5");
    expect_dump(json_ratio(1, 0), "null");
}

SPEC("the hash depends on the contents, not on the order of keys")
{
    json_t *one = json_pack("{s:i,s:i}", "a", 1, "b", 2);
    json_t *two = json_pack("{s:i,s:i}", "b", 2, "a", 1);
    char hashes[2][JSON_HASH_BYTES];

    json_hash(one, hashes[0]);
    json_hash(two, hashes[1]);
    EXPECT_STR_EQ(hashes[0], hashes[1]);
    json_object_set_new(two, "b", json_integer(3));
    json_hash(two, hashes[1]);
    EXPECT(strcmp(hashes[0], hashes[1]) != 0);
    json_decref(one);
    json_decref(two);
}

SPEC("the result has the inputs as they were written")
{
    struct yaml_node *top =
        tree_of("a: 4\nb: 4us\nc: true\nd: '4'\ne: [1, x]\nf: 007\ng: { h: ~ }\n", "");

    expect_dump(json_of_yaml(top), "{\"a\":4,\"b\":\"4us\",\"c\":true,\"d\":\"4\",\"e\":[1,\"x\"],"
                                   "\"f\":\"007\",\"g\":{\"h\":null}}");
}

SPEC("a fault of a failure group affects all its members, and groups may contain groups")
{
    static const char groups[] =
        "fabric:\n"
        "  failure_groups:\n"
        "    - { name: optic, kind: transceiver, members: [p0.t0.0-t1.0, p0.t0.0-t1.1] }\n"
        "    - { name: feed, kind: power_feed, members: [p1.t1.2, optic] }\n"
        "faults: [{ kind: down, where: feed, at: 1us }]\n"
        "generators: [{ kind: down, component: group, mean_between: 1ms, for: 1us }]\n";
    const struct experiment *read_one = read(minimal, groups);
    const struct topology *topology = &read_one->fabric.topology;
    const struct topology_element *where = read_one->sim.faults[0].where;

    EXPECT_EQ(topology->group_count, 2);
    EXPECT_EQ(where->kind, TOPOLOGY_GROUP);
    EXPECT_EQ(where->group->kind, TOPOLOGY_POWER_FEED);
    EXPECT_EQ(where->group->member_count, 3);
    EXPECT_EQ(fault_cover_slots(topology, where), 2 * (8 + 1 + 1));
    EXPECT_EQ(read_one->sim.generators[0].component, TOPOLOGY_GROUP);
}

SPEC("a failure group needs a unique name and members that exist")
{
    EXPECT_STR_EQ(
        refusal_of("fabric: { failure_groups: [{ name: p0, kind: rack, members: [h0] }] }"),
        "dir/x.yaml:3:36: fabric.failure_groups.0.name: the name 'p0' is already in use; "
        "give the group another name");
    EXPECT(
        strstr(refusal_of("fabric: { failure_groups: [{ name: a, kind: rack, members: [h99] }] }"),
            "no NIC h99"));
    EXPECT(strstr(refusal_of("fabric: { failure_groups: [{ name: a, kind: rack, members: [] }] }"),
        "a group needs a member"));
    EXPECT(
        strstr(refusal_of("faults: [{ kind: reboot, where: a, at: 1us, for: 1us }]\n"
                          "fabric: { failure_groups: [{ name: a, kind: rack, members: [h9] }] }"),
            "only a switch can reboot"));
}

SPEC("a shape of a fabric has its own keys; those of another shape are refused")
{
    EXPECT_EQ(read(minimal, "fabric: { shape: zcube, n: 2, k: 2 }\n")->sim.workload_count, 1);
    EXPECT(strstr(refusal_of("fabric: { shape: zcube, n: 2, k: 2, rails: 2 }\n"), "rails"));
    EXPECT(strstr(refusal_of("fabric: { shape: ring, n: 2, k: 2 }\n"), "ring"));
}

SPEC("a file may state its version of the format, and another version is refused")
{
    EXPECT_EQ(read(minimal, "version: 1\nfabric: { version: 1 }\n")->sim.workload_count, 1);
    EXPECT(strstr(refusal_of("version: 2\n"), "version"));
    EXPECT(strstr(refusal_of("fabric: { version: 2 }\n"), "version"));
    EXPECT(strstr(refusal_of("fabric: { shape: zcube, n: 2, k: 2, version: 2 }\n"), "version"));
}

SPEC("a parameter that a shape refuses is named with its line and column")
{
    EXPECT(strstr(refusal_of("fabric: { shape: zcube, n: 4, k: 9 }\n"),
        ":3:31: fabric.k: k = 9: 2 and 3 can be built"));
    EXPECT(strstr(refusal_of("fabric:\n  shape: clos\n  tiers: 9\n"),
        ":5:3: fabric.tiers: 9 tiers: 2 to 4 can be built"));
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static const char *refusal_of_jobs(const char *jobs)
{
    struct yaml_node *top = tree_of("duration: 1ms\njobs:\n", jobs);

    EXPECT(!top || !experiment_read(&yaml, top, &experiment));
    return yaml.problem;
}

SPEC("jobs have NICs, a start that is added, and workloads with their names")
{
    const struct sim_config *sim = &read("duration: 1ms\njobs:\n",
        "- { name: a, nics: 8, placement: spread, start: 2us, workloads: [\n"
        "    { kind: all_reduce, message_bytes: 1MiB, start: 1us }] }\n"
        "- { name: b, nics: [60-63], workloads: [ { kind: incast, message_bytes: 1MiB, ranks: 3 "
        "},\n"
        "    { kind: stream, message_bytes: 1MiB, nics: [3, 0] }] }\n")
                                        ->sim;

    EXPECT_EQ(sim->job_count, 2);
    EXPECT_EQ(sim->workload_count, 3);
    EXPECT_EQ(sim->jobs[0].placement, SIM_SPREAD);
    EXPECT_EQ(sim->jobs[1].placement, SIM_LIST);
    EXPECT_EQ(sim->jobs[1].nic_count, 4);
    EXPECT(sim->workloads[0].job == &sim->jobs[0]);
    EXPECT_STR_EQ(sim->workloads[0].name, "a");
    EXPECT_EQ(sim->workloads[0].rank_count, 8);
    EXPECT_EQ(sim->workloads[0].start_ps, 3000000);
    EXPECT_STR_EQ(sim->workloads[1].name, "b-incast");
    EXPECT_EQ(sim->workloads[2].nics[0], 3);
}

SPEC("the messages about wrong jobs give line, key and reason")
{
    EXPECT_STR_EQ(refusal_of_jobs("- { nics: 8, workloads: [] }\n"),
        "dir/x.yaml:3:3: jobs.0: the key 'name' is missing");
    EXPECT_STR_EQ(refusal_of_jobs("- { name: a, nics: 8, workloads: [] }\n"),
        "dir/x.yaml:3:34: jobs.0.workloads: there is no workload; add one");
    EXPECT_STR_EQ(refusal_of_jobs("- { name: a, nics: 65, workloads: [{ kind: incast, "
                                  "message_bytes: 1 }] }\n"),
        "dir/x.yaml:3:20: jobs.0.nics: this job needs 65 NICs, but only 64 of the fabric are left");
    EXPECT_STR_EQ(refusal_of_jobs("- { name: a, nics: [1, 1], workloads: [{ kind: incast, "
                                  "message_bytes: 1 }] }\n"),
        "dir/x.yaml:3:20: jobs.0.nics: NIC 1 is listed twice");
    EXPECT_STR_EQ(
        refusal_of_jobs("- { name: a, nics: [1, 2], placement: random, workloads: [] }\n"),
        "dir/x.yaml:3:39: jobs.0.placement: the NICs of this job are listed; omit this, or give "
        "their number only");
    EXPECT_STR_EQ(refusal_of_jobs("- { name: a, nics: 8, workloads: [{ kind: incast, "
                                  "message_bytes: 1, ranks: 9 }] }\n"),
        "dir/x.yaml:3:76: jobs.0.workloads.0.ranks: 9 ranks, but the job has 8 NICs");
}
