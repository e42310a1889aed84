# SPDX-License-Identifier: Apache-2.0
"""Results, sweeps and traces of OpenMRC as tables.

    import openmrc

    sweep = openmrc.read_sweep("out")
    print(sweep.table().group(["parameters.mpr"], "goodput_fraction"))

The module needs only the standard library. Table.to_pandas() needs pandas.
"""

from .result import Result, Run, read_result
from .sweep import Sweep, read_sweep
from .table import Table
from .trace import iter_trace, read_trace

__all__ = ["Result", "Run", "Sweep", "Table", "iter_trace", "read_result", "read_sweep", "read_trace"]
