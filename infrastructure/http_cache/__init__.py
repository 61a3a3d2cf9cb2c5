"""Responses that are cached in each process, and revalidated on every request.

`validators` tell whether a response is still fresh, `responses` are what is stored, `store` holds
them, and `middleware` fills it.
"""
