"""The bridge to a real NPU: the backend ``npu``, arrays that stay on the device, and streams.

Nothing of CANN is loaded before something here is used.
"""

from __future__ import annotations

from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.session import shutdown
from aclspec.runtime.npu.streams import Context, Event, Stream

__all__ = ["Context", "DeviceArray", "Event", "Stream", "shutdown"]
