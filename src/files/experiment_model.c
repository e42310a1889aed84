/* SPDX-License-Identifier: Apache-2.0 */
/* The volumes and times of a training step, from the sizes of a published model. */
#include "files/experiment_part.h"

/* Parameters and activations have 16 bits, tokens on their way to experts 8, and back 16. */
enum { ELEMENT_BYTES = 2, DISPATCH_BYTES = 1, COMBINE_BYTES = 2 };

#define GPU_FLOPS 400e12 /* that a GPU achieves */

struct model {
    double shared_millions;
    double expert_millions;
    double active_millions;
    double layers;
    uint32_t expert_layers;
    double hidden;
    double sequence;
    double token_nodes;
};

enum {
    MODEL_NONE,
#define MODEL(ID, name, shared, experts, active, layers, expert_layers, hidden, sequence, nodes)   \
    MODEL_##ID,
#include "files/models.def"
    MODEL_COUNT,
};

const char *const experiment_models[] = {
    [MODEL_NONE] = "none",
#define MODEL(ID, name, shared, experts, active, layers, expert_layers, hidden, sequence, nodes)   \
    [MODEL_##ID] = (name),
#include "files/models.def"
    [MODEL_COUNT] = NULL,
};

static const struct model models[MODEL_COUNT] = {
#define MODEL(ID, name, shared, experts, active, layers, expert_layers, hidden, sequence, nodes)   \
    [MODEL_##ID] = { shared, experts, active, layers, expert_layers, hidden, sequence, nodes },
#include "files/models.def"
};

static uint32_t at_least_one(uint32_t count)
{
    return count > 0 ? count : 1;
}

/* Sets what the file does not give. */
static void set_bytes(uint64_t *member, double bytes, uint32_t scale)
{
    double scaled = bytes / scale;

    if (*member == 0)
        *member = scaled < 1 && bytes > 0 ? 1 : (uint64_t)scaled;
}

static void set_exchanges(const struct model *model, struct sim_workload *workload, uint32_t scale)
{
    uint32_t stages = at_least_one(workload->pipeline);
    double tokens = model->sequence * model->token_nodes * model->hidden;

    if (at_least_one(workload->expert) == 1)
        return;
    if (workload->exchanges == 0)
        workload->exchanges = (model->expert_layers + stages - 1) / stages;
    set_bytes(&workload->dispatch_bytes, tokens * DISPATCH_BYTES, scale);
    set_bytes(&workload->combine_bytes, tokens * COMBINE_BYTES, scale);
}

void experiment_set_model(uint32_t which, uint32_t scale, struct sim_workload *workload)
{
    const struct model *model = &models[which];
    double tensor = at_least_one(workload->tensor);
    double stages = at_least_one(workload->pipeline);
    double activation = model->sequence * model->hidden * ELEMENT_BYTES;
    double of_stage = (model->shared_millions / tensor +
                          model->expert_millions / at_least_one(workload->expert)) *
                      1e6 / stages;
    double flops = 6 * model->active_millions * 1e6 * model->sequence *
                   at_least_one(workload->micro_batches) / (tensor * stages);

    set_bytes(&workload->message_bytes, of_stage * ELEMENT_BYTES, scale);
    set_bytes(&workload->activation_bytes, activation / tensor, scale);
    /* Two all-reduces in each layer send the activations of the layer twice. */
    set_bytes(&workload->tensor_bytes, 4 * model->layers / stages * activation, scale);
    set_bytes(&workload->compute_ps, flops / GPU_FLOPS * (double)SIM_PS_PER_S, scale);
    set_exchanges(model, workload, scale);
}
