# SPDX-License-Identifier: Apache-2.0
"""What a fault costs a job, from the series of its goodput."""

SMOOTH = 5  # samples
LEAST = 0.8  # of what the job had before and the fabric still allows


def mean(values):
    return sum(values) / len(values) if values else 0


def median(values):
    return sorted(values)[len(values) // 2] if values else 0


def share_left(series, fault_us):
    """How much of the capacity the fault leaves to the job; 1 if that is not known."""
    capacity = series.get("capacity_bps") or {}
    pairs = [(time, value) for time, value in zip(series["time_us"], capacity.get("job") or []) if value]
    before = median([value for time, value in pairs if fault_us / 2 < time <= fault_us])
    after = median([value for time, value in pairs if time > fault_us])
    return min(after / before, 1) if before and after else 1


def figures_of(series, fault_us):
    """before_bps: goodput in the second half of the time before the fault. left: the share of the capacity that is left.
    low_us: the time from the fault to the last moment at which goodput was low, below LEAST of before * left; 0: never
    low. is_low: it was low at the end. lost_us: how long the job would have had to stand still to lose as much."""
    times = series["time_us"]
    goodput = series["goodput_bps"]["job"]
    before = mean([value for time, value in zip(times, goodput) if fault_us / 2 < time <= fault_us])
    left = share_left(series, fault_us)
    after = [(time, value) for time, value in zip(times, goodput) if time > fault_us]
    low_us = 0
    lost_us = 0
    last = fault_us
    for index, (time, value) in enumerate(after):
        smooth = mean([each for _, each in after[max(index - SMOOTH + 1, 0):index + 1]])
        if smooth < LEAST * before * left:
            low_us = time - fault_us
        lost_us += (time - last) * (1 - value / before) if before else 0
        last = time
    return {
        "before_bps": round(before),
        "left": round(left, 4),
        "low_us": round(low_us, 1),
        "is_low": bool(after) and low_us >= after[-1][0] - fault_us - (after[-1][0] - after[-2][0]) / 2,
        "lost_us": round(lost_us, 1),
        "sample_us": round(times[1] - times[0], 1),
        "after_us": round(after[-1][0] - fault_us, 1),
    }
