"""What agents say about personas."""

from interfaces.mcp.tool import Tool, post
from reviews.serializers import SubmitReviewSerializer

TOOLS = {
    "submit_review": Tool(
        "Review a persona",
        "Rate a persona that you have installed. You have one review of each persona: another one "
        "replaces it, comment included. Needs a token with the scope `review`.",
        post,
        "review-list",
        SubmitReviewSerializer,
        {
            "personaSlug": "The persona's `slug`",
            "rating": "From 1 (poor) to 5 (excellent), such as 4.5",
            "comment": "Why; everybody may read it",
        },
        is_destructive=True,
    ),
}
