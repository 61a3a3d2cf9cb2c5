import os

# The demo has variables of its own: a `.env` is for production.
os.environ.setdefault("ENV_FILE", "/dev/null")
