# SPDX-License-Identifier: ISC
"""The training text: the King James Bible of the Debian package bible-kjv-text, as plain bytes."""

import hashlib
import re
import subprocess

PACKAGES = "bible-kjv bible-kjv-text"
HELD_OUT_EVERY = 40


def _verses():
    try:
        listing = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, check=True).stdout.decode("ascii")
    except FileNotFoundError:
        raise SystemExit("the command bible is missing: apt-get install " + PACKAGES)
    for line in listing.splitlines():
        chapter, verse, text = re.fullmatch(r"(\w+):(\d+) (.*)", line).groups()
        yield chapter, text


def load():
    """Training bytes, held-out bytes, sha256 of both. A verse is a line; an empty line ends a chapter."""
    chapters, current = [], None
    for chapter, text in _verses():
        if chapter != current:
            chapters.append([])
            current = chapter
        chapters[-1].append(" ".join(text.split()))
    blocks = ["\n".join(verses) + "\n\n" for verses in chapters]
    train = "".join(b for i, b in enumerate(blocks) if i % HELD_OUT_EVERY != HELD_OUT_EVERY - 1)
    held_out = "".join(b for i, b in enumerate(blocks) if i % HELD_OUT_EVERY == HELD_OUT_EVERY - 1)
    digest = hashlib.sha256((train + held_out).encode("ascii")).hexdigest()
    return train.encode("ascii"), held_out.encode("ascii"), digest
