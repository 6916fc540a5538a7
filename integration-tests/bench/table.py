"""Prints measurements and ratios: table.py VALUES UNIT ["label | numerator | denominator | >= 50"]...

VALUES has one line "name<TAB>value" for each round. A ratio is taken round by round, since the sides
are measured interleaved; a side measured less often is used with its median.
"""

import operator
import sys
from statistics import median

COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


def read(path):
    rows = {}
    with open(path, encoding="utf-8") as source:
        for line in source:
            name, value = line.rstrip("\n").split("\t")
            rows.setdefault(name, []).append(float(value))
    return rows


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def line(label, values, note=""):
    print(f"  {label:<44} {number(median(values)):>10} {number(min(values)):>10} {number(max(values)):>10} "
          f"{len(values):>6}  {note}")


def ratios(rows, numerator, denominator):
    above, below = rows[numerator], rows[denominator]
    if len(above) == len(below):
        return [a / b for a, b in zip(above, below)]
    return [a / median(below) for a in above]


def verdict(value, goal):
    if not goal:
        return ""
    comparison, limit = goal.split()
    reached = COMPARISONS[comparison](value, float(limit))
    return f"goal {goal}: {'reached' if reached else 'MISSED'}"


def main(path, unit, specifications):
    rows = read(path)
    print(f"  {unit:<44} {'median':>10} {'lowest':>10} {'highest':>10} {'rounds':>6}")
    for name, values in rows.items():
        line(name, values)
    for specification in specifications:
        label, numerator, denominator, goal = (part.strip() for part in (specification + " |  |  |").split("|")[:4])
        # Without a denominator the goal is on the figure itself.
        values = ratios(rows, numerator, denominator) if denominator else rows[numerator]
        line(label, values, verdict(median(values), goal))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
