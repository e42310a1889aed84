# SPDX-License-Identifier: Apache-2.0
"""What a fault costs a job, from the series of its goodput."""

SMOOTH = 5  # samples
STEADY = 50  # samples
LEAST = 0.5  # of what the job had before and the fault leaves


def mean(values):
    return sum(values) / len(values) if values else 0


def low_us(after, fault_us, least):
    """Returns how long goodput was low: from the fault to the end of the last low sample before the first STEADY samples
    that are not low; 0: it was never low."""
    end_us = 0
    steady = 0
    for index, (time, _) in enumerate(after):
        smooth = mean([value for _, value in after[max(index - SMOOTH + 1, 0):index + 1]])
        if smooth < least:
            end_us = time - fault_us
            steady = 0
        else:
            steady += 1
        if steady == STEADY:
            break
    return end_us


def figures_of(series, fault_us, left):
    """`left`: the share of the capacity that the fault leaves to the job. Returns before_bps, goodput in the second half
    of the time before the fault; low_us, how long goodput was below LEAST of before_bps * left; is_low, whether that
    lasted to the end; end_share, goodput in the last quarter as a share of before_bps; lost_us, how long the job would have had to stand still to lose as much as it lost to the end."""
    points = list(zip(series["time_us"], series["goodput_bps"]["job"]))
    before = mean([value for time, value in points if fault_us / 2 < time <= fault_us])
    after = [(time, value) for time, value in points if time > fault_us]
    last_us = after[-1][0] - fault_us
    sample_us = points[1][0] - points[0][0]
    low = low_us(after, fault_us, LEAST * before * left)
    return {
        "before_bps": round(before),
        "low_us": round(low, 1),
        "is_low": low > last_us - STEADY * sample_us,
        "end_share": round(mean([value for time, value in after if time - fault_us > last_us * 3 / 4]) / before, 4),
        "lost_us": round(sum(sample_us * (1 - value / before) for _, value in after), 1),
        "sample_us": round(sample_us, 1),
        "after_us": round(last_us, 1),
    }
