"""SQL of the website, put together of constants."""

# How many ids a part of the sitemap spans: it has as many URLs at most, 1.2 MB.
IDS_PER_PART = 10_000


def parts_of(table):
    """The numbers of the parts that have published entries.

    A look into the index of ids for each, and none for a gap between them, however wide.
    """
    first = f"SELECT min(id) / {IDS_PER_PART} FROM {table} WHERE status = 'published'"
    return f"""
    WITH RECURSIVE part (number) AS (
        {first}
        UNION ALL
        SELECT ({first} AND id >= (number + 1) * {IDS_PER_PART}) FROM part WHERE number IS NOT NULL
    )
    SELECT number FROM part WHERE number IS NOT NULL
    """
