"""How many small faults of the product do the tests notice?

    python -m tests.bench.mutants plant CLONE              # a clone with an environment: plant 150 faults
    cd CLONE; SQF_REACH=DIR PYTEST_ADDOPTS="-p faults_plugin" python3 manage.py selftest --only sqlite --only servers
    python -m tests.bench.mutants judge CLONE DIR OUT      # in another shell: switch on one after the other

`plant --like FAULTS` plants the faults of another clone's faults.json, to compare two states of the tests. For coverage
in the same run, install `coverage` into the clone and set SQF_COVERAGE to a path for its data.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from tests.bench.mutants.judge import judge
from tests.bench.mutants.plant import choose, plant


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    planting = verbs.add_parser("plant")
    planting.add_argument("clone", type=Path)
    planting.add_argument("--count", type=int, default=150)
    planting.add_argument("--seed", type=int, default=34)
    planting.add_argument("--like", type=Path)
    judging = verbs.add_parser("judge")
    judging.add_argument("clone", type=Path)
    judging.add_argument("reach", type=Path)
    judging.add_argument("out", type=Path)
    judging.add_argument("--limit", type=float, default=300, help="processor seconds of tests for one fault")
    judging.add_argument("--part", default="0/1", help="K/N: only every N-th fault, from K")
    options = parser.parse_args()
    clone = options.clone.resolve()
    if options.verb == "plant":
        faults = json.loads(options.like.read_text()) if options.like else choose(clone, options.count, options.seed)
        plant(clone, faults)
        print(f"{len(faults)} faults planted")
        return
    first, step = map(int, options.part.split("/"))
    judge(clone, options.reach.resolve(), options.out, limit=options.limit, part=(first, step))
    print(Counter(verdict["verdict"] for verdict in json.loads(options.out.read_text()).values()))


main()
