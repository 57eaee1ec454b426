"""Runs the cases of a module on one device, since a process of MindSpore has one: DEVICE MODULE FILE."""

from __future__ import annotations

import importlib
import pickle
import sys
from pathlib import Path

import mindspore as ms

if __name__ == "__main__":
    device, module, file = sys.argv[1:]
    ms.set_device(device)
    ms.set_seed(0)
    Path(file).write_bytes(pickle.dumps(importlib.import_module(module).run(device)))
