# SPDX-License-Identifier: Apache-2.0
"""One rank of a set of NCCL collectives whose every result is checked; and the table of what all of them took.

  ranks.py measure RESULTS.json     every operation, all sizes
  ranks.py endure RESULTS.json      all-reduces of one size for a time; what each took, and when
  ranks.py table MRC.json SOCKET.json BROKEN.json ENDURED.json     the last two while things failed

Started once per rank by the script `run`, with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set. Rank 0 writes, and
makes the file READY when the ranks have met.
"""
import json
import os
import sys
import time

SIZES = [1 << 10, 32 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20]
ENDURE_BYTES = 16 << 20
BUCKET_S = 0.25


def pattern(count, seed, device):
    """Integers that depend on place and seed, small enough to be summed exactly."""
    import torch

    places = torch.arange(count, dtype=torch.int32, device=device)
    return (places * 7 + seed * 1000003) % 65521


class Operation:
    """A collective: its buffers, what it does, what must come out, how many bytes count as bus traffic."""

    def __init__(self, rank, ranks, size, device):
        self.rank, self.ranks, self.device = rank, ranks, device
        self.count = max(size // 4 // ranks, 1) * ranks

    def check(self):
        import torch

        torch.cuda.synchronize()
        return bool(torch.equal(self.out, self.expected()))


class AllReduce(Operation):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.source = pattern(self.count, self.rank, self.device)
        self.out = self.source.clone()
        self.bus = 2 * (self.ranks - 1) / self.ranks

    def run(self, distributed):
        self.out.copy_(self.source)
        distributed.all_reduce(self.out)

    def expected(self):
        return sum(pattern(self.count, other, self.device) for other in range(self.ranks))


class AllGather(Operation):
    def __init__(self, *arguments):
        import torch

        super().__init__(*arguments)
        self.source = pattern(self.count // self.ranks, self.rank, self.device)
        self.out = torch.zeros(self.count, dtype=torch.int32, device=self.device)
        self.bus = (self.ranks - 1) / self.ranks

    def run(self, distributed):
        distributed.all_gather_into_tensor(self.out, self.source)

    def expected(self):
        import torch

        return torch.cat([pattern(self.count // self.ranks, other, self.device) for other in range(self.ranks)])


class ReduceScatter(Operation):
    def __init__(self, *arguments):
        import torch

        super().__init__(*arguments)
        self.source = pattern(self.count, self.rank, self.device)
        self.out = torch.zeros(self.count // self.ranks, dtype=torch.int32, device=self.device)
        self.bus = (self.ranks - 1) / self.ranks

    def run(self, distributed):
        distributed.reduce_scatter_tensor(self.out, self.source)

    def expected(self):
        share = self.count // self.ranks
        whole = sum(pattern(self.count, other, self.device) for other in range(self.ranks))
        return whole[self.rank * share : (self.rank + 1) * share]


class AllToAll(Operation):
    def __init__(self, *arguments):
        import torch

        super().__init__(*arguments)
        self.source = pattern(self.count, self.rank, self.device)
        self.out = torch.zeros(self.count, dtype=torch.int32, device=self.device)
        self.bus = (self.ranks - 1) / self.ranks

    def run(self, distributed):
        distributed.all_to_all_single(self.out, self.source)

    def expected(self):
        import torch

        share = self.count // self.ranks
        mine = slice(self.rank * share, (self.rank + 1) * share)
        return torch.cat([pattern(self.count, other, self.device)[mine] for other in range(self.ranks)])


class SendRecv(Operation):
    """Each to the next, round a ring."""

    def __init__(self, *arguments):
        import torch

        super().__init__(*arguments)
        self.source = pattern(self.count, self.rank, self.device)
        self.out = torch.zeros(self.count, dtype=torch.int32, device=self.device)
        self.bus = 1.0

    def run(self, distributed):
        to, of = (self.rank + 1) % self.ranks, (self.rank - 1) % self.ranks
        work = [
            distributed.P2POp(distributed.isend, self.source, to),
            distributed.P2POp(distributed.irecv, self.out, of),
        ]
        for request in distributed.batch_isend_irecv(work):
            request.wait()

    def expected(self):
        return pattern(self.count, (self.rank - 1) % self.ranks, self.device)


OPERATIONS = {
    "all-reduce": AllReduce,
    "all-gather": AllGather,
    "reduce-scatter": ReduceScatter,
    "all-to-all": AllToAll,
    "send/recv": SendRecv,
}


def agree(distributed, value, device, how):
    """The same word from every rank: the least or the most of theirs."""
    import torch

    word = torch.tensor([value], dtype=torch.float64, device=device)
    distributed.all_reduce(word, op=how)
    return word.item()


def time_of(operation, distributed, iterations):
    import torch

    operation.run(distributed)
    torch.cuda.synchronize()
    distributed.barrier()
    torch.cuda.synchronize()
    began = time.monotonic()
    for _ in range(iterations):
        operation.run(distributed)
    torch.cuda.synchronize()
    return (time.monotonic() - began) / iterations


def measure(distributed, rank, ranks, device):
    rows = []
    largest = int(os.environ.get("LARGEST", SIZES[-1]))
    for name, kind in OPERATIONS.items():
        for size in [size for size in SIZES if size <= largest]:
            operation = kind(rank, ranks, size, device)
            iterations = 20 if size <= 1 << 20 else 5 if size <= 64 << 20 else 2
            seconds = time_of(operation, distributed, iterations)
            right = agree(distributed, float(operation.check()), device, distributed.ReduceOp.MIN) == 1.0
            seconds = agree(distributed, seconds, device, distributed.ReduceOp.MAX)
            rows.append({"operation": name, "bytes": operation.count * 4, "seconds": seconds,
                         "bus_bytes_per_second": operation.count * 4 * operation.bus / seconds, "right": right})
            if rank == 0:
                print(f"  {name:15} {size:>10} B  {seconds * 1e3:10.3f} ms  {rows[-1]['bus_bytes_per_second'] / 1e9:7.3f} GB/s  "
                      f"{'right' if right else 'WRONG'}", flush=True)
            del operation
    return rows


def endure(distributed, rank, ranks, device):
    """For ENDURE_S seconds."""
    operation = AllReduce(rank, ranks, ENDURE_BYTES, device)
    rows = []
    began = time.monotonic()
    goes_on = 1.0
    while goes_on:
        started = time.monotonic()
        operation.run(distributed)
        right = operation.check()
        ended = time.monotonic()
        goes_on = agree(distributed, float(ended - began < float(os.environ["ENDURE_S"])), device,
                        distributed.ReduceOp.MIN)
        right = agree(distributed, float(right), device, distributed.ReduceOp.MIN) == 1.0
        rows.append({"at": started - began, "seconds": ended - started, "right": right,
                     "bus_bytes": operation.count * 4 * operation.bus})
    return rows


def rank_main(task, path):
    import torch
    import torch.distributed as distributed

    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = torch.device("cuda", 0)
    torch.cuda.set_device(device)
    distributed.init_process_group("nccl", rank=rank, world_size=ranks)
    time_of(AllReduce(rank, ranks, 1 << 20, device), distributed, 2)
    if rank == 0:
        open(os.environ["READY"], "w").close()
    rows = (measure if task == "measure" else endure)(distributed, rank, ranks, device)
    if rank == 0:
        with open(path, "w") as file:
            json.dump({"ranks": ranks, "nccl": list(torch.cuda.nccl.version()), "torch": torch.__version__,
                       "gpu": torch.cuda.get_device_name(0), "rows": rows}, file)
    distributed.barrier()
    distributed.destroy_process_group()
    if not all(row["right"] for row in rows):
        sys.exit("wrong data")


def size_word(size):
    for unit, letter in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {letter}"
    return f"{size} B"


def read(path):
    with open(path) as file:
        return json.load(file)


def table(mrc_path, socket_path, broken_path, endured_path):
    mrc, socket, broken, endured = map(read, (mrc_path, socket_path, broken_path, endured_path))
    print(f"{mrc['ranks']} ranks on one {mrc['gpu']}, NCCL {'.'.join(map(str, mrc['nccl']))}, PyTorch {mrc['torch']}\n")
    print("| operation | size | MRC ms | MRC bus GB/s | socket ms | socket bus GB/s | MRC / socket | "
          "MRC ms while things fail | data |")
    print("|---|---|---|---|---|---|---|---|---|")
    for ours, theirs, failing in zip(mrc["rows"], socket["rows"], broken["rows"]):
        ratio = ours["bus_bytes_per_second"] / theirs["bus_bytes_per_second"]
        right = ours["right"] and theirs["right"] and failing["right"]
        print(f"| {ours['operation']} | {size_word(ours['bytes'])} | {ours['seconds'] * 1e3:.2f} | "
              f"{ours['bus_bytes_per_second'] / 1e9:.2f} | {theirs['seconds'] * 1e3:.2f} | "
              f"{theirs['bus_bytes_per_second'] / 1e9:.2f} | {ratio:.2f} | {failing['seconds'] * 1e3:.2f} | "
              f"{'right' if right else 'WRONG'} |")
    buckets = {}
    for row in endured["rows"]:
        bytes_and_seconds = buckets.setdefault(int(row["at"] / BUCKET_S), [0.0, 0.0])
        bytes_and_seconds[0] += row["bus_bytes"]
        bytes_and_seconds[1] += row["seconds"]
    rates = [moved / seconds / 1e9 for moved, seconds in buckets.values()]
    wrong = sum(not row["right"] for row in endured["rows"])
    longest = max(row["seconds"] for row in endured["rows"])
    print(f"\nall-reduce of {size_word(ENDURE_BYTES)} while a T1, a NIC port and a plane fail and return: "
          f"{len(endured['rows'])} of them, {wrong} wrong, longest {longest * 1e3:.1f} ms; "
          f"bus GB/s every {BUCKET_S} s: " + " ".join(f"{rate:.2f}" for rate in rates))


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] == "table":
        table(*sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] in ("measure", "endure"):
        rank_main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
