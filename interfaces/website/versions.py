"""The versions of an entry: the list, the text of one, and the changes between two."""

from http import HTTPStatus
from itertools import zip_longest

from django.conf import settings
from django.shortcuts import render

from catalogue import reads
from catalogue.exceptions import VersionNotFound
from catalogue.file_tree import file_tree
from catalogue.list_queries import VersionQuery
from catalogue.markdown import contents, render_markdown
from catalogue.models import Persona, Skill
from interfaces.website.entries import EntryPage
from interfaces.website.reads import authors_of
from marketplace.api.links import base_url
from marketplace.api.query_params import query_parameters


class VersionsPage(EntryPage):
    part = "versions"
    parameters = VersionQuery.allowed()
    read_of = {Skill: reads.skill, Persona: reads.persona}
    versions_of = {Skill: reads.skill_versions, Persona: reads.persona_versions}

    @property
    def versions(self):
        return self.versions_of[self.model]

    def get(self, request, slug):
        entry, validator, _ = self.read_of[self.model](slug)
        query = VersionQuery(query_parameters(request), slug=slug)
        page = self.versions.page(query)
        # Beyond a page is the version before its last one, unless the page was read in reverse.
        rows, validators = page.rows, [validator, page.validator]
        if query.reverse and page.results:
            following = VersionQuery({"cursor": [page.next_cursor]}, default_limit=1, slug=slug)
            older = self.versions.page(following)
            rows, validators = [*page.results, *older.results], [*validators, older.validator]
        authors = authors_of(entry.kind, entry.pk, [row.number for row in page.results])
        choices = self.versions.choices(slug)
        return self.render_entry(
            entry,
            [*validators, authors.validator, choices.validator],
            choices=choices.value,
            versions=with_earlier(rows, authors.value)[: len(page.results)],
            count=page.count,
            next=page.get_next_link(request),
            previous=page.get_previous_link(request),
        )


def with_earlier(versions, authors):
    """Each version with the one before it, if both are readable, and with its author."""
    return [
        (
            new,
            old if old and not (new.recalled_at or old.recalled_at) else None,
            authors.get(new.number),
        )
        for new, old in zip_longest(versions, versions[1:])
    ]


class VersionPage(VersionsPage):
    template_name = "version.html"
    parameters = frozenset()

    def get(self, _request, slug, number):
        version, validator, _ = self.versions.one(slug, number, reads.with_content)
        # The content of a priced persona is not public (contract 8.13).
        text = version.content if version.is_free else ""
        files = version.files if self.model is Skill else []
        kind = self.model.kind
        authors = authors_of(kind, getattr(version, f"{kind}_id"), [version.number])
        return self.render(
            *(validator, authors.validator),
            section=self.section,
            kind=kind,
            version=version,
            has_git=settings.GIT,
            git_base=self.git_base(base_url(self.request)),
            author=authors.value.get(version.number),
            content=render_markdown(text, ""),
            contents=contents(text, ""),
            repairs=version.repairs if version.is_free else (),
            files=file_tree(files),
            address=f"/api/v1/{self.section}/{slug}/versions/{number}",
        )

    def error_page(self, error, slug, number):
        is_missing = isinstance(error, VersionNotFound)
        if not (is_missing and (version := self.versions.recalled(slug, number))):
            return super().error_page(error, slug=slug, number=number)
        context = {"section": self.section, "slug": slug, "version": version}
        return render(self.request, "recalled_version.html", context, status=HTTPStatus.GONE)


class ComparisonPage(VersionsPage):
    """What changed between two versions; without `to`, up to the current one."""

    is_slow = True
    template_name = "comparison.html"
    parameters = {"from", "to"}

    def get(self, request, slug):
        entry, validator, _ = self.read_of[self.model](slug)
        numbers = request.GET.get("from", ""), request.GET.get("to", str(entry.number))
        (old, new, changes), compared, _ = self.versions.compared(slug, *numbers)
        choices = self.versions.choices(slug)
        return self.render(
            *(validator, compared, choices.validator),
            section=self.section,
            entry=entry,
            old=old,
            new=new,
            changes=changes,
            choices=with_both(choices.value, old, new),
        )


def with_both(choices, old, new):
    """The versions to choose from, with these two even if they are older than those."""
    by_number = {version.number: version for version in (*choices, old, new)}
    return [by_number[number] for number in sorted(by_number, reverse=True)]
