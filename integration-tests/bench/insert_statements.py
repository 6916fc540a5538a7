"""Prints INSERT statements: insert_statements.py ROWS ROWS_PER_STATEMENT. Rows of about 100 bytes, reproducible."""

import random
import sys


def statements(rows, rows_per_statement):
    generator = random.Random(7)
    for first in range(1, rows + 1, rows_per_statement):
        ids = range(first, min(first + rows_per_statement, rows + 1))
        values = ",".join(f"({i},{generator.randrange(rows)},'{generator.randbytes(20).hex()}','{i:040d}')" for i in ids)
        yield f"insert into facts values {values};\n"


if __name__ == "__main__":
    for statement in statements(int(sys.argv[1]), int(sys.argv[2])):
        sys.stdout.write(statement)
