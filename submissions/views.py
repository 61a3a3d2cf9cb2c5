"""The calling agent's submissions (contract 29)."""

import re
from contextlib import closing, suppress

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status

from audit.models import AuditEvent
from audit.views import AuditedMixin
from catalogue.models import Kind
from marketplace import access
from marketplace.api.exceptions import BadRequest
from marketplace.api.query_params import query_parameters
from marketplace.api.scopes import Scope
from marketplace.api.viewsets import ApiViewSet, shared_serializer
from marketplace.features import has_submissions
from marketplace.ratelimits.decorators import ratelimit
from submissions import reads
from submissions.authors import Author
from submissions.exceptions import (
    AlreadyDecided,
    NothingHasChanged,
    OnlyClaimedAgents,
    PersonaFromRepository,
    PersonaHasMaintainer,
    SkillFromRepository,
    SkillHasMaintainer,
    SubmissionNotFound,
    TooManyPending,
    UnsupportedSubmission,
)
from submissions.list_queries import OwnSubmissionQuery
from submissions.models import Submission
from submissions.parsers import SubmissionParser
from submissions.proposals import Proposal, unzipped, written
from submissions.publishing import publish_at_once
from submissions.serializers import (
    AboutSubmissionSerializer,
    DecidedSubmissionSerializer,
    SubmissionDetailSerializer,
    SubmissionPageSerializer,
    SubmitSerializer,
    SubmittedSerializer,
    WithdrawnSerializer,
)

NUMBER = re.compile("[0-9]{1,10}")
WITH_ZIP = [
    OpenApiParameter(
        name,
        AboutSubmissionSerializer().fields[name].schema,
        description=f"With a zip: the same as `{name}` in JSON.",
    )
    for name in ("baseNumber", "note")
]


@extend_schema(tags=["Submissions"])
class SubmissionViewSet(AuditedMixin, ApiViewSet):
    """An agent's submissions. With SUBMISSIONS=off, these paths do not exist."""

    lookup_url_kwarg = "submissionId"
    lookup_value_regex = "[^/]+"
    query_class = OwnSubmissionQuery
    serializer_class = SubmitSerializer
    required_scope = Scope.SUBMIT
    is_slow = True  # inspecting 30 MiB takes a minute

    @property
    def scopes(self):
        reads_own = self.action in {"list", "retrieve"}
        return [Scope.READ, Scope.SUBMIT] if reads_own else [self.required_scope]

    @classmethod
    def exists(cls):
        return has_submissions()

    def get_parsers(self):
        return [SubmissionParser()]

    def initial(self, request, *args, **kwargs):
        super().initial(request, *args, **kwargs)
        if self.action == "create":
            # Its answers tell what the catalogue has.
            access.check_reader(request, request.auth)
            check_mode(request.user)

    @extend_schema(
        operation_id="submit",
        summary="Submit a skill or a persona",
        description="Propose a new skill or persona, or a change to one. The staff read it, and "
        "publish exactly these bytes or reject them with a reason. Submit an existing entry with "
        "the `number` of the version that you changed as `baseNumber`. The JSON has at most 1 MiB. "
        "A skill can also be a zip of at most 10 MiB: send it as `application/zip`, with "
        "`baseNumber` and `note` in the query. A newer submission of the same entry replaces your "
        "pending one. Sending the same again is a 200.",
        parameters=WITH_ZIP,
        responses={
            200: SubmittedSerializer,
            201: SubmittedSerializer,
            403: OnlyClaimedAgents,
            409: (
                *(SkillHasMaintainer, PersonaHasMaintainer),
                *(SkillFromRepository, PersonaFromRepository),
                *(NothingHasChanged, TooManyPending),
            ),
            415: UnsupportedSubmission,
        },
    )
    @ratelimit("submit")
    def create(self, request):
        body, (query, faults) = request.data, query_of(request)
        if isinstance(body, dict):
            text = {name: body.get(name) for name in ("kind", "content")}
            fields = read(SubmitSerializer, body, text, faults)
            if fields["kind"] == Kind.PERSONA and body.get("files"):
                faults.append("files must be empty for a persona")
            sent = written(fields["kind"], fields["content"], fields["files"], faults)
            return self.submit(request, fields, fields["kind"], sent, faults)
        with closing(body):
            fields = read(AboutSubmissionSerializer, about(query, faults), {}, faults)
            return self.submit(request, fields, "skill", unzipped(body, faults), faults)

    def submit(self, request, fields, kind, sent, faults):
        with sent as path:
            proposal = Proposal(kind, path, faults)
            author = Author(request.user, proposal)
            author.check()
            proposal.check(author.base, fields["base_number"])
            submission, is_new = Submission.objects.submit(
                proposal,
                agent=request.user,
                is_maintainer=author.is_maintainer,
                note=fields["note"],
                provenance=request.auth.provenance,
            )
        if is_new and author.is_maintainer:
            publish_at_once(submission)
        code = status.HTTP_201_CREATED if is_new else status.HTTP_200_OK
        return self.respond(SubmittedSerializer, submission, code)

    @extend_schema(
        operation_id="list_submissions",
        summary="List your submissions",
        description="Your submissions with their `state`, newest first. Follow `next` until it is "
        "null.",
        responses={200: SubmissionPageSerializer},
    )
    def list(self, request):
        page = reads.own.page(OwnSubmissionQuery(self.query, agent=request.user.pk))
        rows = DecidedSubmissionSerializer(page.results, many=True).data
        return page.get_paginated_response(rows, request)

    @extend_schema(
        operation_id="get_submission",
        summary="Get one of your submissions",
        description="With its text and the list of its files, until its bytes are deleted.",
        responses={200: SubmissionDetailSerializer, 404: SubmissionNotFound},
    )
    def retrieve(self, request, **path):
        submission = Submission.objects.own(request.user, path["submissionId"])
        return self.respond(SubmissionDetailSerializer, submission)

    @extend_schema(
        operation_id="withdraw_submission",
        summary="Withdraw a submission",
        description="Take a pending submission back. Its bytes are deleted. Withdrawing it again "
        "is a 200, too.",
        responses={
            200: WithdrawnSerializer,
            404: SubmissionNotFound,
            409: AlreadyDecided,
        },
    )
    @ratelimit("manage")
    def destroy(self, request, **path):
        query_parameters(request)
        submission = Submission.objects.own(request.user, path["submissionId"])
        with transaction.atomic():
            if submission.withdraw():
                submission.agent = request.user
                by = ("agent", submission.agent.handle)
                AuditEvent.objects.record("withdraw_submission", submission, by=by)
        return self.respond(WithdrawnSerializer, submission)


def check_mode(agent):
    """Raises OnlyClaimedAgents if only agents with a confirmed operator may submit."""
    if not agent.may_submit:
        raise OnlyClaimedAgents


def read(serializer_class, body, core, faults):
    """The fields of a body, or those of its core; adds what refuses the others to `faults`.

    So the text is read whatever else is wrong. Raises BadRequest if the core has faults, too.
    """
    serializer = shared_serializer(serializer_class)
    try:
        return serializer.read(body)
    except BadRequest as error:
        faults.append(str(error))
        with suppress(BadRequest):
            return serializer.read(core)
        raise BadRequest("; ".join(faults)) from error


def query_of(request):
    """The parameters of the query, and the faults of one that cannot be read."""
    try:
        return query_parameters(request), []
    except BadRequest as error:
        return {}, [str(error)]


def about(query, faults):
    """The query of a zip, in the types of JSON. Other parameters are ignored."""
    given = {name: query[name] for name in ("baseNumber", "note") if name in query}
    faults += [f"{name} must be given at most once" for name in given if len(given[name]) > 1]
    values = {name: texts[0] for name, texts in given.items()}
    if NUMBER.fullmatch(values.get("baseNumber", "")):
        values["baseNumber"] = int(values["baseNumber"])
    return values
