#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Counts the test cases in a Meson junit file.

    count.py FILE    prints "passed failed skipped", then a line for each failure
"""
import sys
import xml.etree.ElementTree as ElementTree


def main():
    passed, skipped, failures = 0, 0, []
    for suite in ElementTree.parse(sys.argv[1]).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            kinds = {child.tag for child in case}
            if kinds & {"failure", "error"}:
                failures.append(f"{suite.get('name', '').split(':', 1)[-1]}: {case.get('name')}")
            elif "skipped" in kinds:
                skipped += 1
            else:
                passed += 1
    print(passed, len(failures), skipped)
    print("\n".join(failures))


if __name__ == "__main__":
    main()
