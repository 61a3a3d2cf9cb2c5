"""Keyset pagination: as fast at the end of a list as at its start, and each row exactly once."""

import hashlib
import re
from urllib.parse import urlencode

from django.core import signing
from rest_framework.pagination import BasePagination
from rest_framework.response import Response

from marketplace.api.exceptions import BadRequest, InvalidCursor
from marketplace.api.links import base_url
from marketplace.api.lists import Cut

# Signed without a timestamp, so the same page always has the same cursors.
SIGNER = signing.Signer(salt="marketplace.api.pagination")


class KeysetPagination(BasePagination):
    """Pages of Rows, used like DRF's CursorPagination on a queryset.

    The filter set of the Rows has `params`, of which this reads `limit` and `cursor`; the `query`
    that the links repeat; and a `binding`, everything that a cursor depends on.
    """

    default_limit, max_limit = 20, 100
    limit_refusal = f"limit must be a whole number from 1 to {max_limit}"

    def paginate_queryset(self, queryset, request, view=None):
        filterset = queryset.filterset
        self.request, self.query = request, filterset.query
        self.binding = hashlib.sha256(filterset.binding.encode()).hexdigest()[:16]
        limit = self.get_limit(filterset.params)
        cursor = filterset.params.get("cursor")
        self.has_cursor = cursor is not None
        self.backwards, position = self.decode(cursor) if self.has_cursor else (False, None)
        self.rows = queryset.fetch(Cut(limit + 1, position, self.backwards))
        self.has_more = len(self.rows.rows) > limit
        self.page = self.rows.rows[:limit][:: -1 if self.backwards else 1]
        return self.page

    def get_paginated_response(self, data):
        return Response(
            {
                "results": data,
                "count": self.rows.count,
                "next": self.get_next_link(),
                "previous": self.get_previous_link(),
            }
        )

    def get_next_link(self):
        has_next = self.has_more or self.backwards
        return self.link(self.page[-1], backwards=False) if self.page and has_next else None

    def get_previous_link(self):
        has_previous = self.has_more if self.backwards else self.has_cursor
        return self.link(self.page[0], backwards=True) if self.page and has_previous else None

    def get_limit(self, params):
        text = params.get("limit", str(self.default_limit))
        if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= self.max_limit:
            raise BadRequest(self.limit_refusal)
        return int(text)

    def link(self, row, *, backwards):
        key = self.rows.key_of(row)
        position = [key.isoformat() if hasattr(key, "isoformat") else str(key), row.pk]
        cursor = SIGNER.sign_object([self.binding, int(backwards), *position])
        query = urlencode({**self.query, "cursor": [cursor]}, doseq=True)
        return f"{base_url(self.request)}{self.request.path}?{query}"

    def decode(self, cursor):
        """Its direction and position; a cursor of another filter set is refused."""
        try:
            binding, backwards, *position = SIGNER.unsign_object(cursor)
        except (signing.BadSignature, ValueError) as error:
            raise InvalidCursor from error
        if binding != self.binding:
            raise InvalidCursor
        return bool(backwards), position

    def get_schema_operation_parameters(self, view):
        limit = {"type": "integer", "minimum": 1, "maximum": self.max_limit}
        return [
            {
                "name": "limit",
                "in": "query",
                "description": "The maximum number of entries on one page.",
                "schema": limit | {"default": self.default_limit},
            },
            {
                "name": "cursor",
                "in": "query",
                "description": "Where the page starts. The `next` and `previous` URLs of a "
                "response contain it.",
                "schema": {"type": "string"},
            },
        ]
