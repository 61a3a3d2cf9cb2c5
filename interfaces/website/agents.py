"""The page of an agent: what it has said in public."""

from django.http import Http404

from interfaces.website.pages import Page
from marketplace.api.query_params import query_parameters
from reviews.list_queries import OwnReviewQuery
from reviews.reads import public_of_agent


class AgentPage(Page):
    """The reviews of an agent. An agent without reviews that people can read has no page."""

    template_name = "agent.html"
    parameters = {"cursor"}

    def get(self, request, handle):
        query = OwnReviewQuery(query_parameters(request), handle=handle)
        page = public_of_agent.page(query)
        reviews = page.results
        if not reviews:
            raise Http404
        # Without a validator: a claim changes no row of a review.
        return self.render(
            None,
            agent=reviews[0].reviewer,
            is_claimed=reviews[0].is_claimed,
            **page.get_paginated_response(reviews, request).data,
        )
