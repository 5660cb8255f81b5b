"""Bulk work: a task over whole files, in shards that are written as they are done."""

from regard.cli.jobs.job import Job, Summary
from regard.cli.jobs.settings import Settings

__all__ = ["Job", "Settings", "Summary"]
