"""Where the work of `train`, `count` and `encode` is done: in this process, or on a Dask cluster."""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokenizer_core.counting.cluster import local_cluster, running_cluster
from tokenizer_core.counting.on_cluster import CountedFiles, count_on_cluster
from tokenizer_core.counting.reading import Listener, Reading
from tokenizer_core.counting.streaming import CountingRules

if TYPE_CHECKING:
    from distributed import Client

ENGINES = ("local", "dask")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the choice of where the work is done to a parser."""
    group = parser.add_argument_group(
        "on a cluster",
        "FILES may be addresses such as s3://bucket/*.txt, which every worker must be able to open. Large texts"
        " are shared out, and Parquet files by their row groups; each gz, CSV or JSON Lines file is read by one"
        " worker. The result is the same as that of one process.",
    )
    group.add_argument(
        "--engine", choices=ENGINES, default="local", help="this process (by default), or a cluster of Dask"
    )
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="the scheduler of a cluster that runs, such as tcp://10.0.0.1:8786"
    )
    group.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="without --scheduler: so many workers on this machine; by default one for each core",
    )


def wrong_choice(said: argparse.Namespace) -> str | None:
    """Say which choices do not go together; None if all do."""
    if said.engine != "dask" and (said.scheduler or said.workers is not None):
        return f"{'--scheduler' if said.scheduler else '--workers'} needs --engine dask"
    if said.workers is not None and said.workers < 1:
        return "--workers must be at least 1"
    if said.scheduler and said.workers:
        return "either --scheduler or --workers may come, not both"
    return None


@contextmanager
def cluster_for(said: argparse.Namespace, pattern: str) -> Iterator["Client"]:
    """Connect to the cluster that was named, or make one for the time of the work."""
    if said.scheduler is not None:
        with running_cluster(said.scheduler) as client:
            yield client
    else:
        with local_cluster(said.workers or os.cpu_count() or 1, pattern) as client:
            yield client


def counted_there(
    said: argparse.Namespace, names: Sequence[str], rules: CountingRules, reading: Reading, listener: Listener
) -> CountedFiles:
    """Count on the cluster."""
    with cluster_for(said, rules.pattern) as client:
        return count_on_cluster(
            client, names, rules, reading, skip_unreadable=said.skip_unreadable, listener=listener
        )
