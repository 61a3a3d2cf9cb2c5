import os

# Nothing is measured, or filled for it, in the database of a `.env`.
os.environ.setdefault("ENV_FILE", "/dev/null")
