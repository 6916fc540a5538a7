"""Makes a program of another version out of one: renamed_jars.py DIRECTORY.

DIRECTORY has ssdcache.jar and lib/. Every jar of lib/ gets another name, as it does when its own version
changes, and the manifest names them so. An upgrade to this removes every jar that was there.
"""

import pathlib
import sys
import zipfile

MANIFEST = "META-INF/MANIFEST.MF"
LINE_BYTES = 70


def renamed(name):
    return name.removesuffix(".jar") + "-next.jar"


def next_manifest(text):
    """The lines of a manifest are folded at 72 bytes; what is folded begins with a blank."""
    lines = text.replace("\r\n ", "").split("\r\n")
    for number, line in enumerate(lines):
        if line.startswith("Class-Path: "):
            jars = " ".join(renamed(jar) for jar in line.split(" ")[1:])
            folded = "Class-Path: " + jars
            parts = [folded[i : i + LINE_BYTES] for i in range(0, len(folded), LINE_BYTES)]
            lines[number] = "\r\n ".join(parts)
    return "\r\n".join(lines)


def main(directory):
    for jar in sorted((directory / "lib").glob("*.jar")):
        jar.rename(jar.with_name(renamed(jar.name)))
    program = directory / "ssdcache.jar"
    old = zipfile.ZipFile(program)
    with zipfile.ZipFile(directory / "next.jar", "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename == MANIFEST:
                data = next_manifest(data.decode()).encode()
            new.writestr(entry, data)
    (directory / "next.jar").rename(program)


main(pathlib.Path(sys.argv[1]))
