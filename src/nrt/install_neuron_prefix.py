#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""After an install: copies the facade's libraries to where Neuron clients look for them.

    install_neuron_prefix.py LIBDIR NEURON_PREFIX
"""
import os
import shutil
import sys
from pathlib import Path

libdir, prefix = sys.argv[1:]
installed = Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], libdir)
# An absolute prefix stays below DESTDIR.
target = Path(os.environ.get("DESTDIR", "") + os.path.join(os.environ["MESON_INSTALL_PREFIX"], prefix), "lib")
target.mkdir(parents=True, exist_ok=True)
for library in sorted([*installed.glob("libnrt.so*"), *installed.glob("libxtc.so.*")]):
    copy = target / library.name
    copy.unlink(missing_ok=True)
    shutil.copy2(library, copy, follow_symlinks=False)
    if not os.environ.get("MESON_INSTALL_QUIET"):
        print(f"Installing {library.name} to {target}")
