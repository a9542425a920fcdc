"""The secret key of a site that is given none: made once, in a file only its owner reads."""

import os
import secrets
from pathlib import Path


def read_or_make(file: Path) -> str:
    """The key in the file, which is written whole and with mode 0600 when it is not there yet."""
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(secrets.token_urlsafe(48) + "\n")
            out.flush()
            os.fsync(out.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            pass  # another process was first, and its key is the one
        finally:
            draft.unlink()
    return file.read_text(encoding="ascii").strip()
