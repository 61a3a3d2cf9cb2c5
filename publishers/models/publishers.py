from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed

from agents.models import Agent, AgentToken
from marketplace import access, addresses
from marketplace.api.scopes import Scope
from marketplace.issuers import PublishedKeys
from marketplace.models import violates
from publishers.exceptions import TokenNotAccepted
from publishers.runs import is_of_pull_request, name_of, provenance_of

LIFETIME = timedelta(minutes=15)
MAX_CLAIM = 255  # characters
KEPT_FOR = timedelta(hours=1)  # more than the clocks of two hosts differ
SPENT = "it was exchanged before"


class Issuer(PublishedKeys):
    """An issuer whose tokens CI exchanges."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["url"], name="unique_issuer_url")]


class ExchangedTokenQuerySet(models.QuerySet):
    def check_unspent(self, id_token):
        """Raises TokenNotAccepted."""
        if self.filter(digest=id_token.digest).exists():
            raise TokenNotAccepted(SPENT)

    def spend(self, id_token):
        """Record the one use of a token. Raises IntegrityError for a second caller, which waits."""
        expires_at = datetime.fromtimestamp(id_token.expires_at, UTC)
        self.create(digest=id_token.digest, expires_at=expires_at)

    def expired(self):
        return self.filter(expires_at__lt=timezone.now() - KEPT_FOR)


class ExchangedToken(models.Model):
    """A token of CI that was exchanged; kept at least until it has expired."""

    digest = models.CharField(max_length=64)
    expires_at = models.DateTimeField(db_index=True)

    objects = ExchangedTokenQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="unique_exchanged_token"),
        ]

    def __str__(self):
        return self.digest


class PublisherQuerySet(models.QuerySet):
    def allowing(self, id_token):
        """The publisher that allows the run of a token; first, the one for its environment.

        Raises TokenNotAccepted.
        """
        claims = id_token.claims
        projects = [claims.get(name) for name in Publisher.ProjectClaim.values]
        candidates = self.filter(
            issuer=id_token.issuer,
            project__in=[project for project in projects if isinstance(project, str)],
        )
        reasons = []
        for publisher in candidates.order_by("-environment", "pk"):
            reason = publisher.refusal(id_token)
            if reason is None:
                return publisher
            reasons.append(f"{publisher}: {reason}")
        raise TokenNotAccepted("; ".join(reasons) or "no publisher has its issuer and project")


class Publisher(models.Model):
    """A project whose runs of CI may submit for an agent, without a stored secret (contract 31).

    The claims of a run's token are compared with it as texts, exactly.
    """

    class ProjectClaim(models.TextChoices):
        REPOSITORY_ID = "repository_id", "repository_id (GitHub)"
        PROJECT_ID = "project_id", "project_id (GitLab)"
        SUB = "sub", "sub"

    class RefType(models.TextChoices):
        BRANCH = "branch"
        TAG = "tag"

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="publishers")
    issuer = models.CharField(
        max_length=MAX_CLAIM,
        help_text="As its tokens have it: https://token.actions.githubusercontent.com, "
        "https://gitlab.com or the address of your own GitLab.",
    )
    audience = models.CharField(
        max_length=MAX_CLAIM,
        help_text="The one audience of its tokens: the address of this marketplace.",
    )
    project_claim = models.CharField("project's claim", max_length=13, choices=ProjectClaim)
    project = models.CharField(
        max_length=MAX_CLAIM,
        help_text="The value of that claim: the number of the repository or project, which stays "
        "when it is renamed, and does not pass to others.",
    )
    any_branch = models.BooleanField(
        default=False, help_text="Everybody who may push to the project may then submit."
    )
    ref = models.CharField(
        max_length=MAX_CLAIM, blank=True, help_text="refs/heads/main at GitHub, main at GitLab."
    )
    ref_type = models.CharField("type of ref", max_length=6, choices=RefType, blank=True)
    protected_only = models.BooleanField(
        "protected refs only",
        default=False,
        help_text="The issuer must call the branch or tag protected.",
    )
    environment = models.CharField(
        max_length=MAX_CLAIM,
        blank=True,
        help_text="The job's environment, whose rules say who may start it.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, editable=False)

    objects = PublisherQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "issuer", "environment"],
                name="unique_publisher",
                violation_error_message="A publisher has this issuer, project and environment.",
            ),
            models.CheckConstraint(
                condition=Q(issuer__regex=addresses.IN_SQL),
                name="publisher_issuer_is_safe",
                violation_error_message="Write https or http, and localhost, in small letters.",
            ),
            models.CheckConstraint(
                condition=Q(any_branch=True, ref="")
                | (Q(any_branch=False) & ~Q(ref="", environment="")),
                name="publisher_names_runs",
                violation_error_message="Name a ref or an environment, or tick any branch, which "
                "needs no ref.",
            ),
            models.CheckConstraint(
                condition=~Q(any_branch=True, ref_type="tag"),
                name="publisher_any_branch_is_no_tag",
                violation_error_message="A tag is no branch: choose the type branch, or none.",
            ),
            models.CheckConstraint(
                condition=Q(ref="")
                | Q(project_claim="sub")
                | ~Q(ref_type="", protected_only=False),
                name="publisher_names_kind_of_ref",
                violation_error_message="A tag may have the name of a branch: choose the type of "
                "the ref, or allow protected ones only.",
            ),
        ]

    def __str__(self):
        environment = f", {self.environment}" if self.environment else ""
        return f"{self.project} at {self.issuer}{environment}"

    @property
    def claims(self):
        """The claims that a token must have."""
        claims = {
            "iss": self.issuer,
            self.project_claim: self.project,
            "ref": self.ref,
            "ref_type": self.RefType.BRANCH if self.any_branch else self.ref_type,
            "ref_protected": "true" if self.protected_only else "",
            "environment": self.environment,
        }
        return {name: value for name, value in claims.items() if value}

    def refusal(self, id_token):
        """The reason why a token is not one of this publisher, or None."""
        claims = id_token.claims
        if id_token.audience != self.audience:
            return "its audience is another one"
        if is_of_pull_request(claims):
            return "its run is one of a pull request"
        if self.any_branch and str(claims.get("ref")).startswith("refs/tags/"):
            return "its ref is a tag"
        # Of these, "any branch" asks only issuers that tell branches and tags apart.
        may_lack = {"ref_type"} if self.any_branch else set()
        for name, value in self.claims.items():
            if claims.get(name) != value and not (name in may_lack and name not in claims):
                return f"{name} is another one"
        return None

    def key_of(self, id_token):
        """The issuer's key that a token names. Raises as `PublishedKeys.key_of` does."""
        issuer, _ = Issuer.objects.get_or_create(url=self.issuer)
        return issuer.key_of(id_token)

    def issue(self, id_token):
        """The marketplace's own token for the run of a verified one, which is spent.

        Raises TokenNotAccepted.
        """
        try:
            with transaction.atomic():
                # Staff may have changed it since it was read.
                rows = Publisher.objects.select_for_update(no_key=True)
                publisher = rows.filter(pk=self.pk).first()
                if publisher is None or publisher.refusal(id_token):
                    raise TokenNotAccepted("its publisher has just been changed")
                publisher.check_agent()
                ExchangedToken.objects.spend(id_token)
                return publisher.token_for(provenance_of(id_token.claims))
        except IntegrityError as error:
            if not violates(error, "unique_exchanged_token"):
                raise
            raise TokenNotAccepted(SPENT) from error

    def check_agent(self):
        """Lock the agent. Raises TokenNotAccepted if it may not submit now."""
        try:
            self.agent.lock_active()
        except AuthenticationFailed as error:
            raise TokenNotAccepted(f"{self.agent} is suspended or paused") from error
        if not self.agent.may_submit:
            mode = settings.SUBMISSIONS
            raise TokenNotAccepted(f"SUBMISSIONS={mode} does not allow {self.agent}")

    def token_for(self, provenance):
        self.last_used_at = timezone.now()
        self.save(update_fields=["last_used_at"])
        token = AgentToken.objects.issue(
            self.agent,
            [Scope.SUBMIT] if access.is_public() else [Scope.READ, Scope.SUBMIT],
            name=name_of(provenance),
            expires_at=self.last_used_at + LIFETIME,
            provenance=provenance,
        )
        token.record("exchange_token", message=f"For a run of {self}.")
        return token
