"""The guest's disks: files of the host with an ext4 each, made without mounting anything."""

import os
import shutil
import subprocess

MEGABYTE = 1 << 20
SECTOR_BYTES = 512


def make_disk(path, megabytes):
    with open(path, "wb") as image:
        image.truncate(megabytes * MEGABYTE)


def make_filesystem(path, megabytes, offset_megabytes=0, content=None):
    """On a part of the image; content: a directory of the host that is copied into it."""
    extended = f"lazy_itable_init=0,lazy_journal_init=0,nodiscard,offset={offset_megabytes * MEGABYTE}"
    command = ["mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-E", extended]
    if content:
        command += ["-d", content]
    result = subprocess.run([*command, path, f"{megabytes}M"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=120, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"mke2fs {path}: {result.stdout.decode(errors='replace')}")


def copy_sparse(source, target):
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", source, target], timeout=120, check=True)


def remove(directory):
    if os.path.exists(directory):
        shutil.rmtree(directory)
