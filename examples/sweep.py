#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the sets of values of a sweep, and shows the slowest run over time.

    mrc sweep -o out --sweep parameters.mpr=2,4,8 --seeds 1-5 experiments/incast.yaml
    examples/sweep.py out
"""

import sys

import openmrc


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: sweep.py FOLDER, which mrc sweep has written")
    sweep = openmrc.read_sweep(sys.argv[1])
    print(sweep.sets("goodput_fraction", "completion_us.p99"))

    slowest = min(sweep, key=lambda run: run.summary["goodput_bps"])
    series = slowest.series()
    print(f"\n{slowest.experiment} {slowest.label}, seed {slowest.seed}, is the slowest:")
    print(series.select("time_us", *[name for name in series.columns if name.startswith("goodput_bps.")]))


if __name__ == "__main__":
    main()
