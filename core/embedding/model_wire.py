"""ModelWire: the messages between this process and a model's own: a JSON head, then raw numbers. Nothing is unpickled.

A message is the head's length (4 bytes), the head (an object; `bytes` says how many follow), and those bytes.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">I")
_MOST_HEAD = 64 << 20
_MOST_DATA = 1 << 30


class WireBroken(Exception):
    """What came is no message."""


def put(file: BinaryIO, head: dict[str, Any], data: bytes = b"") -> None:
    """Write one message. Raises OSError, ValueError where the file is closed."""
    text = json.dumps({**head, "bytes": len(data)}).encode()
    file.write(_LENGTH.pack(len(text)) + text + data)
    file.flush()


def get(file: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next message; None at the end, also in the middle of one. Raises WireBroken, OSError, ValueError."""
    length = file.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(length)
    if size > _MOST_HEAD:
        raise WireBroken(f"a head of {size} bytes")
    text = file.read(size)
    if len(text) < size:
        return None
    try:
        head = json.loads(text)
        count = int(head["bytes"])
    except (ValueError, TypeError, KeyError) as error:
        raise WireBroken(str(error)) from error
    if not 0 <= count <= _MOST_DATA:
        raise WireBroken(f"{count} bytes of data")
    data = file.read(count)
    return (head, data) if len(data) == count else None
