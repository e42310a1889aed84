/* SPDX-License-Identifier: Apache-2.0 */
/* The public header of this folder: files that users write and read. */
#pragma once

#include "files/claim_file.h"
#include "files/criterion.h"
#include "files/experiment.h"
#include "files/fabric_file.h"
#include "files/fabric_layout.h"
#include "files/fault_entry.h"
#include "files/fault_script.h"
#include "files/fault_write.h"
#include "files/graph_file.h"
#include "files/json.h"
#include "files/nearest.h"
#include "files/price_file.h"
#include "files/quantity.h"
#include "files/schedule_file.h"
#include "files/topo_file.h"
#include "files/whole_file.h"
#include "files/word.h"
#include "files/yaml.h"
#include "files/yaml_fields.h"
