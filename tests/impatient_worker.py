"""The project's worker, with limits that a test can reach."""

from infrastructure.server import worker

worker.FIRST_SECONDS = worker.UPLOAD_SECONDS = 1
worker.MAX_UNSENT = worker.MAX_STORED = worker.MAX_UPLOADS = 1024**2
Worker = worker.Worker
