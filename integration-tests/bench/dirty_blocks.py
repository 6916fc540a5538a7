"""Writes blocks of a file in random order and syncs it: dirty_blocks.py FILE BLOCK_BYTES RUNS RUN_BLOCKS SEED

The runs lie at random in the whole file, at multiples of their length; neighbours make one run. Prints how many
blocks were written and how many runs they are.
"""

import os
import random
import sys


def choose(blocks_in_file, runs, run_blocks, generator):
    starts = generator.sample(range(blocks_in_file // run_blocks), runs)
    return sorted(start * run_blocks + i for start in starts for i in range(run_blocks))


def count_runs(blocks):
    return sum(1 for i, block in enumerate(blocks) if i == 0 or blocks[i - 1] != block - 1)


def write(path, block_bytes, runs, run_blocks, seed):
    generator = random.Random(seed)
    target = os.open(path, os.O_RDWR)
    blocks = choose(os.fstat(target).st_size // block_bytes, runs, run_blocks, generator)
    for block in generator.sample(blocks, len(blocks)):
        os.pwrite(target, generator.randbytes(block_bytes), block * block_bytes)
    os.fsync(target)
    os.close(target)
    return len(blocks), count_runs(blocks)


if __name__ == "__main__":
    print(*write(sys.argv[1], *map(int, sys.argv[2:])))
