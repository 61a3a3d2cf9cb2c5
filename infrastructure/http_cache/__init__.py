"""Responses that each process caches and revalidates on every request.

`validators` tell whether a response is still fresh, `responses` defines what is stored, `store`
holds it, and `middleware` fills it.
"""
