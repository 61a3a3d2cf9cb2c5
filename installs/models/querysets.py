"""What an agent has, and which version of it the agent gets.

An install gives its agent the version to which it is `pinned`, or else the entry's newest text. A
persona brings the newest texts of the skills that it bundles. reads.py puts the two kinds together.
"""

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection, models
from django.db.models import Case, F, Func, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Cast, Coalesce, Now

from catalogue.models import FileContent, Skill, Status, successor_slug
from installs.models import choices
from installs.sql import turn_of


def take_turn(kind, slug):
    """Queue for an entry until the transaction ends, as the hot statements do."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {turn_of(kind)}", {"slug": slug})


class InstallQuerySet(models.QuerySet):
    def present(self):
        """Installs that agents still have; the others are history."""
        return self.filter(removed_at=None)

    def of_published(self):
        return self.filter(**{f"{self.model.kind}__status": Status.PUBLISHED})

    def of_entry(self, slug):
        """The present installs of an entry, with the entry."""
        kind = self.model.kind
        installs = self.present().filter(**{f"{kind}__slug": slug}).select_related(kind)
        return installs.defer(*self.model.Entry.long_columns(f"{kind}__"))

    def own(self, agent, slug):
        """The agent's present install of an entry, with the entry; raises the kind's NotInstalled.

        Every write to an install locks the agent. With the lock, the result is current.
        """
        install = self.of_entry(slug).filter(agent=agent).first()
        if install is None:
            raise self.model.NotInstalled
        return install

    def lock_own(self, agent, slug):
        """`own` for a write that depends on the entry, with the same locks as an install."""
        agent.lock_active()
        take_turn(self.model.kind, slug)
        return self.select_for_update(no_key=True, of=[self.model.kind]).own(agent, slug)

    def uninstall_all(self):
        """`Install.uninstall` for each."""
        self.update(removed_at=Now())

    # The agents of the rows are locked. The entries are not: each of these methods is one statement
    # with one snapshot of all entries, and thousands of locks would fill the lock table.

    def use(self, choice, *, is_pinned=None):
        """Switch each install to the version of the choice; returns how many changed.

        With `is_pinned` they are pinned to it. By default, pinned ones are pinned to it, too.
        """
        chosen = {name: self._chosen(choice, name) for name in ("pk", "digest", "number")}
        if_pinned = Case(When(pinned=None, then=None), default=chosen["pk"])
        return self.to_use(choice, is_pinned=is_pinned).update(
            installed_digest=chosen["digest"],
            number=chosen["number"],
            pinned=chosen["pk"] if is_pinned else if_pinned,
        )

    def to_use(self, choice, *, is_pinned=None):
        """The installs that `use` changes, each with the `chosen_number`.

        An install without a version to choose does not change: the version is recalled, the text is
        older than the first version, or the entry is withdrawn.
        """
        uses_it = Q(number=F("chosen_number"))
        if is_pinned:
            uses_it &= ~Q(pinned=None)
        return self.with_choice(choice).exclude(chosen_number=None).exclude(uses_it)

    def without(self, choice):
        """Installs for which the choice has no version."""
        return self.with_choice(choice).filter(chosen_number=None)

    def with_choice(self, choice):
        return self.annotate(chosen_number=self._chosen(choice, "number"))

    def _chosen(self, choice, name):
        return Subquery(choice(self.model, OuterRef).values(name)[:1])

    def end_pins(self):
        """Give each agent the newest text again; returns how many changed."""
        return self.to_unpin().update(pinned=None)

    def to_unpin(self):
        """The installs that `end_pins` changes; those of withdrawn entries stay."""
        return self.with_choice(choices.newest).exclude(chosen_number=None).exclude(pinned=None)

    def with_entry(self):
        """Annotate what a list shows of the entry, and of the text that the agent gets.

        An install is outdated if its published entry has another text now. It has a recalled pin if
        staff have recalled the version to which it is pinned.
        """
        kind = self.model.kind
        is_other = ~Q(installed_digest=F(f"{kind}__digest"))
        is_published = {f"{kind}__status": Status.PUBLISHED}
        return self.annotate(
            **entry_columns(self.model.Entry, kind, pinned="pinned"),
            is_pinned=Case(When(pinned=None, then=False), default=True),
            is_outdated=Case(When(is_other, **is_published, then=True), default=False),
            has_recalled_pin=Q(pinned__recalled_at__isnull=False),
        )

    def behind(self):
        """Installs, pinned or not, whose published entry has another text now; with entries."""
        kind = self.model.kind
        behind = self.with_entry().filter(is_outdated=True)
        return behind.annotate(kind=Value(kind), changed_at=F(f"{kind}__updated_at"))

    def outdated(self):
        """Those `behind` that an agent is told about. A pin keeps its text."""
        return self.behind().filter(pinned=None)

    def deprecated(self):
        """Installs whose published entry is deprecated."""
        return self.of_published().exclude(**{f"{self.model.kind}__deprecation_message": ""})

    def with_text(self):
        """Add the text that the agent gets to `with_entry`."""
        texts = text_columns(self.model.Entry, self.model.kind, pinned="pinned")
        return self.with_entry().annotate(**texts)

    def loadable(self):
        """Installs whose text their agents can get (contract 25.9)."""
        return self.with_text().filter(status=Status.PUBLISHED, has_recalled_pin=False)

    def loaded(self):
        """What agents load when they start."""
        return self.loadable().annotate(
            own_digest=F("installed_digest"),
            is_installed=Value(value=True),
            is_bundled=Value(value=False),
            install_id=F("pk"),
        )

    def withdrawn(self):
        """Installs whose entry has left the catalogue, as advisories."""
        kind = self.model.kind
        withdrawn = self.exclude(**{f"{kind}__status": Status.PUBLISHED})
        return withdrawn.annotate(**withdrawal_columns(self.model.Entry, kind))

    def with_recalled_text(self):
        """Installs, pinned or not, that have the text of a recalled version, as advisories.

        If several recalled numbers have this text, the number of the install comes first.
        """
        kind = self.model.kind
        place = Case(When(number=OuterRef("number"), then=0), default=1)
        versions = recalled_versions(self.model).annotate(place=place).order_by("place", "-number")
        return self.annotate(
            kind=Value(kind),
            slug=F(f"{kind}__slug"),
            title=F(f"{kind}__title"),
            recalled_number=Subquery(versions.values("number")[:1]),
            withdrawal_reason=Subquery(versions.values("recall_reason")[:1]),
            gone_since=Subquery(versions.values("recalled_at")[:1]),
            successor_slug=Cast(None, models.CharField()),
        ).exclude(recalled_number=None)


class PersonaInstallQuerySet(InstallQuerySet):
    def with_entry(self):
        """Add the slugs of the published skills that come with the persona."""
        bundled = Skill.objects.published().filter(personas=OuterRef("persona_id"))
        slugs = ArraySubquery(bundled.order_by("slug").values("slug"))
        return super().with_entry().annotate(skill_slugs=slugs)

    def uninstall_all(self):
        self.update(removed_at=Now(), is_active=False)

    def loaded(self):
        """Only the active persona."""
        return super().loaded().filter(is_active=True)

    def loaded_skills(self):
        """A row, as of `loaded`, for each published skill that a loaded persona bundles."""
        bundled = self.loaded().annotate(
            **entry_columns(Skill, "persona__skills"),
            **text_columns(Skill, "persona__skills"),
            skill_id=F("persona__skills"),
            is_pinned=Value(value=False),
            own_digest=Cast(None, models.CharField()),
            is_installed=Value(value=False),
            is_bundled=Value(value=True),
            install_id=Cast(None, models.BigIntegerField()),
        )
        return bundled.filter(status=Status.PUBLISHED)

    def withdrawn_skills(self):
        """A row, as of `withdrawn`, for each withdrawn skill that a persona bundles.

        Drafts are left out, because they may never have been published.
        """
        withdrawn = self.filter(persona__skills__status=Status.WITHDRAWN)
        return withdrawn.annotate(**withdrawal_columns(Skill, "persona__skills"))


def recalled_versions(model):
    """The recalled versions of its entry whose text an install has: `OuterRef` leads to it."""
    of_text = {model.kind: OuterRef(model.kind), "digest": OuterRef("installed_digest")}
    return model.Version.objects.exclude(recalled_at=None).filter(**of_text)


# Annotations of installs. `entry` is a relation that leads to an entry, and `pinned` one that leads
# to a version of it, whose text the agent then gets.


def entry_columns(model, entry, *, pinned=None):
    """What lists show."""
    return {
        "public_id": F(f"{entry}__public_id"),
        "slug": F(f"{entry}__slug"),
        "status": F(f"{entry}__status"),
        "deprecation_message": F(f"{entry}__deprecation_message"),
        "successor_slug": successor_slug(model, f"{entry}__"),
        "gone_since": Coalesce(f"{entry}__withdrawn_at", f"{entry}__updated_at"),
        "title": given("title", entry, pinned),
        "version": given("version", entry, pinned),
        "given_digest": given("digest", entry, pinned),
        "given_number": given("number", entry, pinned),
        "latest_digest": F(f"{entry}__digest"),
        "latest_version": F(f"{entry}__version"),
        "latest_number": F(f"{entry}__number"),
    }


def text_columns(model, entry, *, pinned=None):
    """What a manifest shows besides."""
    content = F(f"{entry}__content")
    if pinned:
        content = Case(When(**{pinned: None}, then=content), default=stored_text(pinned))
    is_skill = model is Skill
    return {
        "kind": Value(model.kind),
        "description": given("description", entry, pinned),
        "context_tokens": given("context_tokens", entry, pinned),
        "files": given("files", entry, pinned) if is_skill else Cast(None, models.JSONField()),
        "frontmatter": Value("") if is_skill else given("frontmatter", entry, pinned),
        "content": content,
        "updated_at": F(f"{entry}__updated_at"),
    }


def withdrawal_columns(model, entry):
    """What an advisory shows of a whole entry."""
    return {
        "kind": Value(model.kind),
        "slug": F(f"{entry}__slug"),
        "title": F(f"{entry}__title"),
        "recalled_number": Cast(None, models.IntegerField()),
        "withdrawal_reason": F(f"{entry}__withdrawal_reason"),
        "gone_since": Coalesce(f"{entry}__withdrawn_at", f"{entry}__updated_at"),
        "successor_slug": successor_slug(model, f"{entry}__"),
    }


def given(column, entry, pinned):
    """A column of the text that the agent gets."""
    newest = f"{entry}__{column}"
    return Coalesce(f"{pinned}__{column}", newest) if pinned else F(newest)


def stored_text(version):
    stored = FileContent.objects.filter(digest=OuterRef(f"{version}__content_digest"))
    in_utf8 = {"template": "convert_from(%(expressions)s, 'UTF8')"}
    return Subquery(stored.values(text=Func("data", **in_utf8, output_field=models.TextField())))
