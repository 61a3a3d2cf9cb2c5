from drf_spectacular.utils import extend_schema
from rest_framework import status

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.models import Persona, Skill
from marketplace.api.scopes import Scope
from marketplace.api.viewsets import ApiViewSet
from marketplace.ratelimits.decorators import ratelimit
from reports.models import Report
from reports.serializers import SubmitReportSerializer, SubmittedReportSerializer
from reviews.exceptions import ReviewNotFound
from reviews.models import Review


class ReportViewSet(ApiViewSet):
    required_scope = Scope.REVIEW
    serializer_class = SubmitReportSerializer

    @extend_schema(
        operation_id="submit_report",
        tags=["Reports"],
        summary="Report a problem",
        description="Tell staff about a problem with a skill, a persona or a review. Your first "
        "report of it is a 201. A later one replaces it and is a 200.",
        responses={
            200: SubmittedReportSerializer,
            201: SubmittedReportSerializer,
            404: (SkillNotFound, PersonaNotFound, ReviewNotFound),
        },
    )
    @ratelimit("report")
    def create(self, request):
        fields = self.validated(request)
        report, report.is_new = Report.objects.submit(
            request.user, target(fields), reason=fields["reason"], comment=fields["comment"]
        )
        code = status.HTTP_201_CREATED if report.is_new else status.HTTP_200_OK
        return self.respond(SubmittedReportSerializer, report, code)


def target(fields):
    """The public target of a report. Raises the kind's NotFound."""
    if fields["kind"] == "review":
        reviews = Review.objects.visible().filter(persona__in=Persona.objects.published())
        review = reviews.filter(public_id=fields["reviewId"]).first()
        if review is None:
            raise ReviewNotFound
        return review
    model = {"skill": Skill, "persona": Persona}[fields["kind"]]
    entry = model.objects.published().filter(slug=fields["slug"]).only("created_at").first()
    if entry is None:
        raise model.NotFound
    return entry
