"""A stack's document → `Loaded[Stack]`: merging, shape, building, each as far as it can, to report all in one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.stack import Stack
from .build_stack import build_stack
from .defaults import apply_defaults, values_added
from .document import Document
from .extends import read_family
from .findings import finding
from .links import Family
from .loaded import Loaded, has_errors, in_order, nothing
from .overlay import FILE, Overlay, lay_over, text_of
from .shape import Shape, check_shape
from .tree import Node, plain, positions
from .yaml_text import EXPANSION_MAX


def read_stack(document: Document, overlay: Overlay = ()) -> Loaded[Stack]:
    """Merge a stack's document with all it extends, lay `overlay` over it, and build what is left."""
    tree, family = read_family(document)
    if tree is None:
        return nothing(document, "stack", family)
    if overlay:
        tree = lay_over(tree, overlay)
        family.sources[FILE] = text_of(overlay)
    complete = _with_defaults(tree, family)
    shape = check_shape("stack", complete)
    where = positions(complete)
    diagnostics = in_order([*family.diagnostics, *shape.diagnostics], where)
    data = data_of(shape)
    draft = build_stack(data) if shape.is_complete else None
    failed = has_errors(diagnostics)
    return Loaded(
        file=document.file,
        kind="stack",
        value=None if failed else draft,
        diagnostics=diagnostics,
        positions=where,
        sources=family.sources,
        draft=draft if family.is_complete else None,
        broken=shape.broken,
        ignores=family.ignores,
        data=data,
    )


def _with_defaults(tree: Node, family: Family) -> Node:
    """Lay the stack's own defaults under its resources, unless they would swell to millions of values."""
    if values_added(tree) <= EXPANSION_MAX:
        return apply_defaults(tree)
    message = f"tags and quota_share_defaults of this stack add more than {EXPANSION_MAX:,} values to its resources"
    family.diagnostics.append(finding("QE111", message, span=tree.span, fix="divide the stack"))
    family.is_complete = False
    return tree


def data_of(shape: Shape) -> Mapping[str, Any]:
    """Return the plain data that is left of a document."""
    data = plain(shape.tree)
    return data if isinstance(data, dict) else {}
