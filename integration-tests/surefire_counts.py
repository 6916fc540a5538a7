"""Adds up Maven's test reports: surefire_counts.py TARGET prints "passed failed skipped"."""

import glob
import os
import sys
import xml.etree.ElementTree as ElementTree

REPORTS = ("surefire-reports", "failsafe-reports")


def counts(target):
    tests = failed = skipped = 0
    for reports in REPORTS:
        for path in glob.glob(os.path.join(target, reports, "TEST-*.xml")):
            suite = ElementTree.parse(path).getroot()
            tests += int(suite.get("tests", 0))
            failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            skipped += int(suite.get("skipped", 0))
    return tests - failed - skipped, failed, skipped


if __name__ == "__main__":
    print(*counts(sys.argv[1]))
