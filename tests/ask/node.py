"""A process of Node that runs the scripts of the page."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aclspec.codegen.render.javascript.files import LIBRARY
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import Mode

Place = tuple[str, Mode]
Decision = tuple[str | None, Status]
"""The rule that decides a call, by its short id, and the status."""


class Node:
    """Answers questions about calls, given by the texts of their arguments."""

    def __init__(
        self,
        program: str,
        tables: Path,
        scripts: Iterable[Path],
        library: Path | None = None,
        script: Callable[[str], Path] | None = None,
    ) -> None:
        """Run these scripts; ``script`` makes the one of an operator at the first question about it."""
        self.script, self.asked = script, set[str]()
        words = [program, str(Path(__file__).parent / "driver.js")]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._write(
            {"library": str(library or LIBRARY), "tables": str(tables), "scripts": [str(script) for script in scripts]}
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def ask(self, operator: str, texts: dict[str, str], places: Sequence[Place]) -> dict[str, Any]:
        """What the scripts say about one call in these places."""
        answer: dict[str, Any] = self._answered({"operator": operator, "texts": texts, "places": places})
        return answer

    def decide(self, operator: str, calls: Sequence[tuple[dict[str, str], str, Mode]]) -> list[Decision]:
        """What decides each of several calls on its product and in its mode."""
        found = self._answered({"operator": operator, "decide": calls})
        return [(rule, Status[status]) for rule, status in found]

    def told(self, operator: str, texts: dict[str, str], lang: str) -> list[tuple[str, str, list[list[str]]]]:
        """What the cards say: each product, its answer, and the rules that fail with their sentences."""
        answer = self._answered({"operator": operator, "texts": texts, "lang": lang})
        return [(product, text, reasons) for product, text, reasons in answer]

    def fixes(self, operator: str, texts: dict[str, str], product: str) -> tuple[list[tuple[str, str]], int]:
        """The sentences of the fixes that the scripts find on a product, in both languages, and the number of steps."""
        answer = self._answered({"operator": operator, "texts": texts, "fixesOn": product})
        return [(english, chinese) for english, chinese in answer["sentences"]], answer["steps"]

    def pasted(self, operator: str, text: str) -> dict[str, Any]:
        """What the scripts read out of a pasted text: texts by parameter, unread ones, a product; or a refusal."""
        answer: dict[str, Any] = self._answered({"operator": operator, "pasted": text})
        return answer

    def program(self, operator: str, texts: dict[str, str]) -> dict[str, str]:
        """The call as a C++ program, its ``code``; or why it is ``refused``."""
        answer: dict[str, str] = self._answered({"operator": operator, "cpp": texts})
        return answer

    def product(self, text: str) -> dict[str, Any]:
        """The product that a name means, and the other one that has a SoC of that name; or a refusal."""
        answer: dict[str, Any] = self._answered({"product": text})
        return answer

    def tensors(self, texts: Sequence[str]) -> list[str | None]:
        """The descriptions of the tensors that texts stand for; None for a text that is refused."""
        answer: list[str | None] = self._answered({"tensors": texts})
        return answer

    def _answered(self, question: dict[str, Any]) -> Any:
        name = question.get("operator")
        if self.script is not None and name is not None and name not in self.asked:
            self.asked.add(name)
            question = question | {"script": str(self.script(name))}
        self._write(question)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"Node ended at the question {question}"
        return json.loads(line)

    def _write(self, question: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(question, ensure_ascii=False) + "\n")
        self.process.stdin.flush()
