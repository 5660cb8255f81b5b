"""Bulk work: a task over whole files, in shards that are written as they are done."""

from regard.bulk.job import Job, Summary
from regard.bulk.settings import Settings

__all__ = ["Job", "Settings", "Summary"]
