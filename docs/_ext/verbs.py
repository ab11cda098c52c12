"""``{verbs}``: every verb of the command with its options, asked of the program itself."""

from __future__ import annotations

from typing import Any

import typer.main
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from rosenblatt.cli.app import app as command


class Verbs(SphinxDirective):
    """A section for each verb: usage, what it does, arguments, options, example, exit codes."""

    def run(self) -> list[Any]:
        """Called by docutils."""
        group = typer.main.get_command(command)
        context = typer.Context(group, info_name="rosenblatt")  # type: ignore[arg-type]
        return [self._verb(context, name) for name in group.list_commands(context)]  # type: ignore[attr-defined]

    def _verb(self, context: Any, name: str) -> nodes.section:
        verb = context.command.get_command(context, name)
        own = typer.Context(verb, info_name=name, parent=context)
        section = nodes.section(ids=[f"rosenblatt-{name}"], names=[f"rosenblatt {name}"])
        section += nodes.title("", f"rosenblatt {name}")
        self.state.document.note_explicit_target(section)
        pieces = [piece.strip("{}") for piece in verb.collect_usage_pieces(own)]
        usage = " ".join(["$ rosenblatt", name, *pieces])
        section += nodes.literal_block(usage, usage, language="console")
        for paragraph in (verb.help or "").split("\n\n"):
            section += nodes.paragraph("", " ".join(paragraph.split()))
        section += self._options(own, verb)
        for paragraph in (verb.epilog or "").split("\n\n"):
            section += self._closing(" ".join(paragraph.split()))
        return section

    def _options(self, context: Any, verb: Any) -> nodes.definition_list:
        found = nodes.definition_list()
        for parameter in verb.get_params(context):
            record = _record(parameter, context)
            if record is None:
                continue
            term = nodes.term("", "", nodes.literal("", record[0]))
            told = nodes.definition("", nodes.paragraph("", record[1]))
            found += nodes.definition_list_item("", term, told)
        return found

    def _closing(self, paragraph: str) -> nodes.Element:
        example = paragraph.removeprefix("Example: ")
        if example == paragraph:
            return nodes.paragraph("", paragraph)
        text = f"$ {example}"
        return nodes.literal_block(text, text, language="console")


def _record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """How a parameter is written, and what it does."""
    record = parameter.get_help_record(context)
    if record is None or parameter.name == "help":
        return None
    return record[0], " ".join(record[1].removesuffix("[required]").split())


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("verbs", Verbs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
