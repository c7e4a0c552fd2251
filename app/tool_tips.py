"""Tool tips that show foreign text as it is: Qt would take "<b>…" in a plain one for markup."""

from __future__ import annotations

import html


def plain_tip(text: str) -> str:
    """Markup, made here, in which every sign of `text` stands for itself. "" stays ""."""
    return f'<p style="white-space: pre-wrap">{html.escape(text)}</p>' if text else ""
