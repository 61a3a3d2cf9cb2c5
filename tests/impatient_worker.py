"""The project's worker, with bounds that a test can reach."""

from marketplace.server import worker

worker.READ_SECONDS = 1
worker.MAX_UNSENT = 1024**2
Worker = worker.Worker
