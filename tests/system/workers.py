"""Threads that send requests until they are stopped"""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor


class Workers:
    """As a context manager: calls `work` on threads, which ends once `stopped` is set."""

    def __init__(self, threads):
        self.threads, self.stopped = threads, threading.Event()

    def __enter__(self):
        self.pool = ThreadPoolExecutor(self.threads)
        self.working = [self.pool.submit(self.work) for _ in range(self.threads)]
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.pool.shutdown()
        for thread in self.working:
            thread.result()


class Readers(Workers):
    """As a context manager: clients that read these paths, of which no read may fail."""

    def __init__(self, server, paths, *, threads=4, pause=0.01):
        super().__init__(threads)
        self.server, self.paths, self.pause = server, paths, pause
        self.seconds, self.failures = [], []

    def work(self):
        while not self.stopped.is_set():
            begun = time.monotonic()
            try:
                status = self.server.request("GET", random.choice(self.paths)).status
            except OSError as error:
                status = repr(error)
            self.seconds.append(time.monotonic() - begun)
            if status != 200:
                self.failures.append(status)
            time.sleep(random.uniform(0, self.pause))
