"""How far calls are from plain: what a search prefers among calls that are as near to its goal."""

from __future__ import annotations

from aclspec.codegen.derive.call import Call, TensorMeta, Value, tensors

LARGE = 512


class Plain:
    """How far calls are from plain: from the base call, where there is one, and from small tensors."""

    def __init__(self, base: Call | None) -> None:
        """Nothing measured yet."""
        self.base = base
        self._costs: list[dict[Value, int]] = []

    def cost(self, call: Call) -> int:
        """The sum over all parameters."""
        if not self._costs:
            self._costs = [{} for _ in call]
        total = 0
        for place, (value, costs) in enumerate(zip(call, self._costs, strict=True)):
            cost = costs.get(value)
            if cost is None:
                cost = costs[value] = self._measured(value, value if self.base is None else self.base[place])
            total += cost
        return total

    def _measured(self, value: Value, plain: Value) -> int:
        cost = 10 * (value != plain)
        usual = len(plain.shape) if isinstance(plain, TensorMeta) else 2
        for tensor in tensors(value):
            odd = tensor.numel > LARGE or tensor.is_negative
            cost += abs(len(tensor.shape) - usual) + 50 * odd + (tensor.strides is not None)
        return cost
