import logging

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action

from audit.views import AuditedMixin
from marketplace.access import Audience
from marketplace.api.viewsets import PublicViewSet
from marketplace.features import has_submissions
from marketplace.id_tokens import IdToken, IdTokenRefused
from marketplace.ratelimits.decorators import check_rate, ratelimit
from marketplace.ratelimits.windows import Caller
from publishers.exceptions import TokenNotAccepted
from publishers.models import ExchangedToken, Publisher
from publishers.serializers import ExchangedTokenSerializer, ExchangeSerializer

logger = logging.getLogger(__name__)


class ExchangeViewSet(AuditedMixin, PublicViewSet):
    """Trusted publishing (contract 31). With SUBMISSIONS=off, its path does not exist."""

    audience = Audience.EVERYONE
    serializer_class = ExchangeSerializer

    @classmethod
    def exists(cls):
        return has_submissions()

    @extend_schema(
        operation_id="exchange_token",
        tags=["Tokens"],
        summary="Exchange a token of CI",
        description="A run of GitHub Actions or GitLab that the staff allow exchanges the token "
        "that CI gave to it for a token of its agent. That one can submit for 15 minutes.",
        responses={
            201: ExchangedTokenSerializer,
            401: TokenNotAccepted,
        },
    )
    @action(detail=False, methods=["post"])
    @ratelimit("exchange")
    def exchange(self, request):
        text, limits = self.validated(request)["token"], request.rate_limit_headers
        try:
            token = self.exchanged(request, text)
        except (TokenNotAccepted, IdTokenRefused) as refused:
            logger.info("A token of CI was not accepted: %s", refused.reason)
            # The limit of a publisher would tell that the token has matched one.
            request.rate_limit_headers = limits
            raise TokenNotAccepted(refused.reason) from refused
        return self.respond(ExchangedTokenSerializer, token, status.HTTP_201_CREATED)

    def exchanged(self, request, text):
        id_token = IdToken(text)
        publisher = Publisher.objects.allowing(id_token)
        id_token.verify(publisher.key_of(id_token))
        ExchangedToken.objects.check_unspent(id_token)
        # Counted now, so that nobody but the project itself uses up its limit.
        check_rate(request, "exchange-publisher", Caller(publisher.pk))
        return publisher.issue(id_token)
