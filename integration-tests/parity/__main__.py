"""parity PLAIN MOUNT [PREFIX]: runs all cases; exit code 1 when one differs."""

import sys

import attributes
import creation
import directories
import errors
import links
import locks
import mapped
import names
import open_files
import permissions
import sizes
import transfers
from harness import CASES, main
from known import KNOWN

MODULES = (attributes, creation, directories, errors, links, locks, mapped, names, open_files, permissions, sizes,
           transfers)

if __name__ == "__main__":
    assert CASES and MODULES
    prefix = sys.argv[3] if len(sys.argv) > 3 else ""
    sys.exit(1 if main(sys.argv[1], sys.argv[2], KNOWN, prefix) else 0)
