"""What PyTorch's queue of tasks does at its limits, a case a process: queued.py CASE."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable

import torch

warnings.filterwarnings("ignore")
import torch_npu  # noqa: E402, F401

MANY = 10_000


def counted(steps: int = MANY) -> torch.Tensor:
    """A tensor to which a one was added this number of times, each by an operator of its own that nobody waits for."""
    x = torch.zeros(4, 4).npu()
    for _ in range(steps):
        x.add_(1)
    return x


def ends_with_a_full_queue() -> None:
    counted()


def gives_the_cache_back() -> None:
    x = counted()
    torch.npu.empty_cache()
    assert (x.cpu() == MANY).all()
    del x
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() == 0


def asks_the_stream() -> None:
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        x = counted(400)
        assert stream.npu_stream
        while not stream.query():
            pass
        event = stream.record_event()
    event.synchronize()
    assert event.query()
    assert (x.cpu() == 400).all()


def has_threads() -> None:
    found: list[bool] = []

    def work() -> None:
        torch.npu.set_device(0)
        with torch.npu.stream(torch.npu.Stream()):
            found.append(bool((counted(500).cpu() == 500).all()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4


class Rows(torch.utils.data.Dataset[torch.Tensor]):
    """Rows that a worker makes."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, at: int) -> torch.Tensor:
        return torch.full((3,), float(at))


def loads(context: str) -> None:
    x = counted(400)
    for pinned in (False, True):
        loader = torch.utils.data.DataLoader(
            Rows(), batch_size=4, num_workers=2, multiprocessing_context=context, pin_memory=pinned
        )
        sums = [float(batch.npu().sum().cpu()) for batch in loader]
        assert sums == [18, 66, 114]
    assert (x.cpu() == 400).all()


CASES: dict[str, Callable[[], None]] = {
    "exit": ends_with_a_full_queue,
    "empty_cache": gives_the_cache_back,
    "query": asks_the_stream,
    "threads": has_threads,
    "fork": lambda: loads("fork"),
    "spawn": lambda: loads("spawn"),
}

if __name__ == "__main__":
    CASES[sys.argv[1]]()
    print("done")
