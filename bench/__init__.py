import os

# Keep the bench from using the database of a `.env`.
os.environ.setdefault("ENV_FILE", "/dev/null")
