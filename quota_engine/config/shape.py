"""A document's shape: empty values, types, keys, fixed choices, durations, and the ranges of a scenario.

`check_shape` reports every fault and returns the tree without the faulty values, so that the rest can still be built
and judged in the same run.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from ..model.diagnostic import Diagnostic
from ..model.durations import EXAMPLES
from ..model.stack import Path
from .conform import RANGES, Schema, conforms
from .findings import FINDINGS_MAX, finding, too_many
from .remedies import MISSING, NOT_IN_THIS_FORMAT, WRONG_TYPES
from .scalars import INTEGER_DIGITS_MAX
from .schema import RANGED, loaded, property_schema
from .similar import did_you_mean, nearest, respelt
from .tree import UNREAD, Member, Node, Numeral, plain, walk
from .wording import decimal, is_numeric, place, seen, short, type_name

if TYPE_CHECKING:
    from .judge import Complaint


@dataclass(frozen=True, slots=True)
class Shape:
    """What is left of a document, what was wrong with it, and where."""

    tree: Node
    diagnostics: tuple[Diagnostic, ...]
    broken: frozenset[Path]
    is_complete: bool = True
    """False when there were too many faults to go on: the tree still holds some."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """One finding and the paths it makes unusable; the first of them is where the finding points."""

    diagnostic: Diagnostic
    paths: tuple[Path, ...]


def check_shape(kind: str, tree: Node) -> Shape:
    """Judge a merged document by the schema of its kind. A root that is no map must have been refused before."""
    faults = list(islice(_empty_values(kind, tree), FINDINGS_MAX + 1))
    gone = {path for path, node in walk(tree) if node.content is UNREAD}
    gone.update(path for fault in faults for path in fault.paths)
    rest = without(tree, gone)
    parents = {path[:-1] for path in gone}
    for error in _complaints(kind, plain(rest)):
        if len(faults) > FINDINGS_MAX:
            break
        if error.keyword in _LACKS and error.path in parents:
            continue
        found = (fault for fault in _faults(kind, rest, error) if not _is_within(gone, fault.paths))
        faults += islice(found, FINDINGS_MAX + 1)
    faults = _without_consequences(faults)
    if len(faults) > FINDINGS_MAX:
        kept = [fault.diagnostic for fault in faults[:FINDINGS_MAX]]
        last = faults[FINDINGS_MAX].paths[0]
        return Shape(tree, (*kept, too_many(path=last)), frozenset(), is_complete=False)
    broken = gone.union(path for fault in faults for path in fault.paths)
    return Shape(without(tree, broken), tuple(fault.diagnostic for fault in faults), frozenset(broken))


_LACKS: Final = ("x-one-of", "minProperties")
"""What a map may be accused of only because an entry of it was taken out."""


def _without_consequences(faults: list[_Fault]) -> list[_Fault]:
    """Leave out what is missing only because it stands under a misspelt key, or in another place."""
    meant = {path for fault in faults if fault.diagnostic.rule == "QE201" for path in fault.paths[1:]}
    return [one for one in faults if one.diagnostic.rule != "QE202" or one.paths[0] not in meant]


def _complaints(kind: str, data: object) -> list[Complaint]:
    """Return what jsonschema has to say; it is loaded only where it has."""
    if conforms(loaded(kind), data, ranges=kind in RANGED):
        return []
    from .judge import complaints

    return complaints(kind, data)


def _is_within(gone: set[Path], paths: tuple[Path, ...]) -> bool:
    """Whether a fault is about a value that was taken out already, or about something in it."""
    return any(path[:length] in gone for path in paths for length in range(1, len(path) + 1))


_NAMED: Final = frozenset({"service_environments", "scheduling_policies", "job_queues", "quota_shares"})
"""Maps of resources: a faulty resource becomes an empty one, so that its name is still known."""


def without(tree: Node, paths: Set[Path], here: Path = ()) -> Node:
    """Return the tree without what stands at `paths`. A list's faulty item becomes null, so that indices stay."""
    if not paths:
        return tree
    match tree.content:
        case dict(members):
            kept = {}
            for key, member in members.items():
                if (*here, key) not in paths:
                    kept[key] = Member(member.key_span, without(member.node, paths, (*here, key)))
                elif here and here[-1] in _NAMED:
                    kept[key] = Member(member.key_span, Node(member.node.span, {}))
            return Node(tree.span, kept)
        case tuple(items):
            left = (
                Node(item.span, None) if (*here, index) in paths else without(item, paths, (*here, index))
                for index, item in enumerate(items)
            )
            return Node(tree.span, tuple(left))
        case _:
            return tree


def _empty_values(kind: str, tree: Node) -> Iterator[_Fault]:
    """Yield a fault for each null that is left after the merge, where it removed nothing."""
    for path, node in walk(tree):
        if node.content is None and path:
            wanted = type_name(property_schema(kind, path).get("type"))
            message = f"{place(path, tree)} is empty" + (f", where {wanted} belongs" if wanted else "")
            why = "null removes a value inherited through extends, and there is none here"
            fix = "give it a value, or remove the key"
            key, colon, rest = str(path[-1]).rpartition(":")
            if colon and rest and not node.written:
                why, fix = "in YAML a colon ends a key only where a blank follows", f"write {key}: {rest}"
            yield _Fault(finding("QE203", message, path=path, why=why, fix=fix), (path,))


def _faults(kind: str, tree: Node, error: Complaint) -> Iterator[_Fault]:
    """Say one disagreement in our words; none for a declaration's ranges, which the rules judge."""
    path = error.path
    match error.keyword:
        case "additionalProperties":
            yield from _unknown_keys(kind, tree, path, error)
        case "x-required":
            yield _missing(tree, path, str(error.detail))
        case "x-one-of":
            yield _not_one(tree, path, error.wanted)
        case "x-duration":
            yield _not_a_duration(tree, path, error.wanted)
        case "x-whole-seconds":
            yield _not_whole_seconds(tree, path)
        case "x-at-least":
            message = f"{place(path, tree)} is {seen(node_at(tree, path))}; it can be at least {error.wanted}"
            yield _Fault(finding(_range_rule(path), message, path=path, fix=f"write at least {error.wanted}"), (path,))
        case "type":
            yield _wrong_type(tree, path, error)
        case "enum" | "const":
            yield _unknown_value(tree, path, error)
        case "anyOf":
            yield _wrong_alternative(tree, path, error)
        case keyword if keyword in RANGES:
            if kind in RANGED:
                yield _out_of_range(tree, path, error)
        case keyword:
            raise AssertionError(f"the schema uses {keyword}, which has no message")


def node_at(tree: Node, path: Path) -> Node | None:
    """Return the node at `path`, None where there is none."""
    node: Node | None = tree
    for part in path:
        if node is None:
            return None
        if isinstance(part, int):
            node = node.content[part] if isinstance(node.content, tuple) and part < len(node.content) else None
        else:
            node = node.at(part)
    return node


def _unknown_keys(kind: str, tree: Node, path: Path, error: Complaint) -> Iterator[_Fault]:
    """Yield one fault for each key that the format does not know."""
    node = node_at(tree, path)
    known = sorted(error.schema.get("properties", {}))
    present = node.members if node else {}
    free = [name for name in known if name not in present]
    for key in present:
        if key not in known:
            yield _unknown_key(tree, (*path, key), free, error.schema.get("properties", {}))


def _unknown_key(tree: Node, path: Path, free: list[str], known: Schema) -> _Fault:
    key = str(path[-1])
    span = (node_at(tree, path[:-1]) or tree).members[key].key_span
    owner = place(path[:-1], tree)
    reason = NOT_IN_THIS_FORMAT.get(key)
    if reason and not respelt(key, free):
        why, fix = reason
        return _Fault(finding("QE214", f"{owner} has the key '{key}'", span=span, path=path, why=why, fix=fix), (path,))
    message = f"{owner} has the unknown key '{key}'"
    inside = [name for name, inner in known.items() if key in inner.get("properties", {})]
    meant = inside[0] if len(inside) == 1 else nearest(key, free)
    fix = did_you_mean(key, free if meant else known)
    if len(inside) == 1:
        fix = f"write it inside: {meant}: {{{key}: …}}"
    claimed = (path, (*path[:-1], meant)) if meant else (path,)
    return _Fault(finding("QE201", message, span=span, path=path, fix=fix, replacement=respelt(key, free)), claimed)


def _missing(tree: Node, path: Path, key: str) -> _Fault:
    message = f"{place(path, tree)} has no {key}"
    span = (node_at(tree, path) or tree).span
    fix = f"add {key}: {MISSING[key]}" if key in MISSING else f"add {key}"
    return _Fault(finding("QE202", message, span=span, path=(*path, key), fix=fix), ((*path, key),))


def _not_one(tree: Node, path: Path, keys: list[str]) -> _Fault:
    node = node_at(tree, path)
    present = [key for key in keys if node and key in node.members]
    choices = ", ".join(keys)
    if present:
        message = f"{place(path, tree)} has {' and '.join(present)}, and only one of them can be"
        return _Fault(finding("QE201", message, path=path, fix=f"keep one of {choices}"), (path,))
    message = f"{place(path, tree)} says nothing of {choices}"
    return _Fault(finding("QE202", message, path=path, fix=f"add one of {choices}"), (path,))


def _not_a_duration(tree: Node, path: Path, words: list[str]) -> _Fault:
    node = node_at(tree, path)
    choices = " or ".join([EXAMPLES, *words])
    message = f"{place(path, tree)} is {seen(node)}, which is no duration"
    fix = f"write it like {choices}, units from large to small"
    if node and is_numeric(node):
        fix = f"add the unit: {decimal(node) or '30'}s for seconds, {decimal(node) or '30'}m for minutes"
    return _Fault(finding("QE207", message, path=path, why="a duration has a unit", fix=fix), (path,))


def _not_whole_seconds(tree: Node, path: Path) -> _Fault:
    message = f"{place(path, tree)} is {seen(node_at(tree, path))}, and the service counts it in whole seconds"
    return _Fault(finding("QE207", message, path=path, fix="leave out the milliseconds"), (path,))


def _wrong_type(tree: Node, path: Path, error: Complaint) -> _Fault:
    """Say which type belongs there; numbers and texts that only need another spelling get it proposed."""
    node = node_at(tree, path) or tree
    schema = error.schema
    wanted = error.wanted
    types = [wanted] if isinstance(wanted, str) else list(wanted)
    if "integer" in types and is_numeric(node):
        return _not_an_integer(tree, path, node)
    if "number" in types and isinstance(node.content, Numeral):
        return _not_a_number(tree, path, node.content)
    if "enum" in schema and not isinstance(node.content, dict | tuple):
        return _not_a_choice(tree, path, node, [value for value in schema["enum"] if value is not None])
    if "x-duration" in schema and is_numeric(node):
        return _not_a_duration(tree, path, schema["x-duration"])
    if "string" in types and not isinstance(node.content, dict | tuple) and node.content is not None:
        message = f"{place(path, tree)} is {seen(node)} without quotes, which is no text"
        why = "YAML reads it as a number or as true or false, and its spelling would be lost"
        return _Fault(
            finding(
                "QE208", message, path=path, why=why, fix=f'write "{node.written}"', replacement=f'"{node.written}"'
            ),
            (path,),
        )
    message = f"{place(path, tree)} is {seen(node)}, where {type_name(types)} belongs"
    why, fix = WRONG_TYPES.get(str(path[-1]) if path else "", ("", f"write {type_name(types)}"))
    return _Fault(finding("QE203", message, path=path, why=why, fix=fix), (path,))


def _not_an_integer(tree: Node, path: Path, node: Node) -> _Fault:
    digits = decimal(node)
    if isinstance(node.content, Numeral) and digits == node.written:
        return _too_large("QE204", tree, path, node.content)
    message = f"{place(path, tree)} is {seen(node)}, which is no integer in decimal digits"
    fix = f"write {digits}" if digits is not None else "write a whole number in digits"
    why = "other spellings are read differently by different tools" if digits is not None else ""
    return _Fault(finding("QE204", message, path=path, why=why, fix=fix, replacement=digits), (path,))


def _not_a_number(tree: Node, path: Path, numeral: Numeral) -> _Fault:
    meant = None if numeral.value is None else str(numeral.value)
    if meant == numeral.written:
        return _too_large("QE203", tree, path, numeral)
    message = f"{place(path, tree)} is {short(numeral.written)}, which is no number in decimal digits"
    fix = f"write {meant}" if meant else "write a number"
    return _Fault(finding("QE203", message, path=path, fix=fix, replacement=meant), (path,))


def _too_large(rule: str, tree: Node, path: Path, numeral: Numeral) -> _Fault:
    message = f"{place(path, tree)} is {short(numeral.written)}, which has more than {INTEGER_DIGITS_MAX} digits"
    return _Fault(finding(rule, message, path=path, fix="write a smaller number"), (path,))


def _unknown_value(tree: Node, path: Path, error: Complaint) -> _Fault:
    node = node_at(tree, path)
    values = [error.wanted] if error.keyword == "const" else error.wanted
    choices = [str(value).lower() if value is True else str(value) for value in values if value is not None]
    rule = "QE209" if path == ("kind",) else "QE210" if path == ("version",) else "QE205"
    message = f"{place(path, tree)} is {seen(node)}; it can be {_either(choices)}"
    match = (nearest(node.written, choices) or _containing(node.written, choices)) if node else None
    fix = f"write {match or _either(choices)}"
    spelling = respelt(node.written, choices) if node and isinstance(node.content, str) else None
    return _Fault(finding(rule, message, path=path, fix=fix, replacement=spelling), (path,))


def _containing(word: str, choices: list[str]) -> str | None:
    """Return the only choice that a word is a part of."""
    matches = [choice for choice in choices if len(word) > 2 and word.casefold() in choice.casefold()]
    return matches[0] if len(matches) == 1 else None


def _not_a_choice(tree: Node, path: Path, node: Node, choices: list[str]) -> _Fault:
    """Say which words there are where a number, true or false stands; true means ENABLED to whoever writes it."""
    word = {True: "ENABLED", False: "DISABLED"}[node.content] if isinstance(node.content, bool) else ""
    meant = word if word in choices else None
    message = f"{place(path, tree)} is {seen(node)}; it can be {_either(choices)}"
    fix = f"write {meant or _either(choices)}"
    return _Fault(finding("QE205", message, path=path, fix=fix, replacement=meant), (path,))


def _either(choices: list[str]) -> str:
    return choices[0] if len(choices) == 1 else ", ".join(choices[:-1]) + " or " + choices[-1]


def _wrong_alternative(tree: Node, path: Path, error: Complaint) -> _Fault:
    alternatives = [branch.get("type") for branch in error.wanted]
    types = [kind for item in alternatives for kind in ([item] if isinstance(item, str) else item or [])]
    message = f"{place(path, tree)} is {seen(node_at(tree, path))}, where {type_name(types)} belongs"
    return _Fault(finding("QE203", message, path=path, fix=f"write {type_name(types)}"), (path,))


def _range_rule(path: Path) -> str:
    """Return the finding about a value out of its range: of what is submitted, or of anything else."""
    is_drawn = path[:1] == ("workloads",) and path[2:3] in (("arrivals",), ("duration",))
    return "QE507" if path[:1] in (("jobs",), ("events",), ("workloads",)) and not is_drawn else "QE206"


def _out_of_range(tree: Node, path: Path, error: Complaint) -> _Fault:
    """Say which bound a value of a scenario leaves."""
    rule = _range_rule(path)
    bound = error.wanted
    problem = {
        "minimum": f"at least {bound}",
        "maximum": f"at most {bound}",
        "minLength": "at least one character",
        "maxLength": f"at most {bound} characters",
        "minItems": f"at least {bound} entries",
        "maxItems": f"at most {bound} entries",
        "minProperties": f"at least {bound} entry",
        "maxProperties": f"at most {bound} entries",
    }.get(error.keyword)
    node = node_at(tree, path)
    if problem is None:
        name = str(error.detail)
        where = (*path, name) if node and name in node.members else path
        return _Fault(_bad_name(tree, where, name), (where,))
    message = f"{place(path, tree)} is {seen(node)}; it can have {problem}"
    if error.keyword in ("minimum", "maximum"):
        message = f"{place(path, tree)} is {seen(node)}; it can be {problem}"
    return _Fault(finding(rule, message, path=path, fix=f"write {problem}"), (path,))


_FORMS: Final = {
    "instances": ("instance type", "ml.<family>.<size>"),
    "set_capacity": ("instance type", "ml.<family>.<size>"),
    "profile": ("hour", "8 or 8-18, from 0 to 24"),
    "parameters": ("name", "letters, digits, '-' or '_', the first a letter or '_'"),
}
"""Key of a map → what its own keys are called, and how they are written."""


def _bad_name(tree: Node, path: Path, name: str) -> Diagnostic:
    owner = next((part for part in path if part in _FORMS), "")
    noun, form = _FORMS.get(str(owner), ("name", "1 to 128 letters, digits, '-' or '_'"))
    message = f"the {noun} '{name}' in {place(path[:-1], tree)} is not of the form {form}"
    parent = node_at(tree, path[:-1])
    span = parent.members[name].key_span if parent and name in parent.members else None
    return finding(_range_rule(path), message, span=span, path=path, fix=f"write it as {form}")
