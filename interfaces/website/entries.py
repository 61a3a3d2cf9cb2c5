"""The parts of an entry's page, and the page of one file of a skill."""

from http import HTTPStatus
from urllib.parse import quote

from django.conf import settings
from django.shortcuts import render

from catalogue import reads
from catalogue.file_tree import file_tree
from catalogue.highlighting import highlight, language_of
from catalogue.markdown import contents, render_markdown
from catalogue.models import SUBMITTED, Persona, Skill
from catalogue.serializers.files import files_address
from interfaces.git.names import persona_marketplace, plugin_name
from interfaces.website.pages import Page
from interfaces.website.reads import authors_of, related_to
from marketplace.access import is_public
from marketplace.api.links import base_url
from marketplace.api.query_params import query_parameters
from marketplace.hidden_text import has_hidden, visible
from reviews.list_queries import PersonaReviewQuery
from reviews.reads import public as public_reviews
from search.reads import near_slugs

REVIEWS_PER_PAGE = 10


class EntryPage(Page):
    """A page of an entry. Its parts have the same head, and an address each."""

    model = None
    part = "text"  # or files, versions, used-by, reviews

    @property
    def template_name(self):
        return f"{self.model.kind}.html"

    @property
    def section(self):
        return f"{self.model.kind}s"

    def error_page(self, error, slug, **_path):
        if not isinstance(error, self.model.NotFound):
            return super().error_page(error, section=self.section)
        entry = reads.recalled(self.model, slug)
        if entry is None:
            near = near_slugs(self.model, slug)
            return super().error_page(error, section=self.section, near=near)
        context = {"section": self.section, "kind": self.model.kind, "entry": entry}
        return render(self.request, "410.html", context, status=HTTPStatus.GONE)

    def npx_address(self, entry, base):
        """What `npx skills` adds: it updates only what came from the repository of a skill."""
        path = f"{self.section}/{entry.slug}"
        has_repository = settings.GIT and self.model is Skill
        return f"{base}/git/{path}.git" if has_repository else f"{base}/{path}"

    def git_base(self, base):
        """Where repositories are. If they need a token, it is the password."""
        return base if is_public() else base.replace("://", "://x:$CLONE@")

    def render_entry(self, entry, validators, text="", folder="", **context):
        """A part of the entry's page. The relative links of its `text` lead into the folder."""
        neighbours = related_to(entry)
        related, base = neighbours.value, base_url(self.request)
        # No other entry costs a statement more.
        is_submitted = entry.source.startswith(SUBMITTED)
        authors = authors_of(entry.kind, entry.pk, [entry.number] if is_submitted else [])
        return self.render(
            *validators,
            *(neighbours.validator, authors.validator),
            section=self.section,
            kind=self.model.kind,
            part=self.part,
            entry=entry,
            author=authors.value.get(entry.number),
            related=related,
            has_git=settings.GIT,
            plugin=plugin_name(self.model.kind, entry.slug, related.taken),
            persona_marketplace=persona_marketplace(related.marketplace, entry.slug),
            git_base=self.git_base(base),
            npx_address=self.npx_address(entry, base),
            own_repository=base.replace("://", "://x:$CLONE@") + "/git/me.git",
            content=render_markdown(text, folder),
            contents=contents(text, folder),
            **context,
        )


class SkillPage(EntryPage):
    model = Skill

    def get(self, request, slug):
        skill, validator, _ = reads.skill(slug)
        address = f"/skills/{skill.slug}/files"
        return self.render_entry(
            skill,
            [validator],
            skill.content if self.part == "text" else "",
            address if skill.files else "",
            files=file_tree(skill.files),
            address=address,
        )


class FilePage(EntryPage):
    """One file of a skill: a text to read, escaped; anything else to download."""

    template_name = "file.html"
    model = Skill

    def get(self, request, slug, path):
        def read(skill):
            file = skill.file_at(path)
            return skill, file, skill.shown_text(file)

        skill, file, text = reads.with_skill(slug, read)
        code = None if text is None else highlight(visible(text), language_of(path))
        url = f"{files_address(skill)}/{quote(path)}"
        # No validator: the cache of this process does not hold files.
        return self.render(
            None,
            section="skills",
            entry=skill,
            file=file,
            code=code,
            has_hidden=text is not None and has_hidden(text),
            url=url,
        )


class PersonaPage(EntryPage):
    model = Persona

    def get(self, request, slug):
        persona, validator, _ = reads.persona(slug)
        # The content of a priced persona is not public (contract 8.13).
        is_shown = persona.is_free and self.part == "text"
        return self.render_entry(persona, [validator], persona.content if is_shown else "")


class ReviewsPage(EntryPage):
    """A page of a persona's reviews, of all or of one `rating`, which begins at `cursor`."""

    model = Persona
    part = "reviews"
    parameters = {"cursor", "rating"}

    def get(self, request, slug):
        persona, validator, _ = reads.rated_persona(slug)
        params = query_parameters(request)
        query = PersonaReviewQuery(params, default_limit=REVIEWS_PER_PAGE, slug=slug)
        page = public_reviews.page(query)
        return self.render_entry(
            persona,
            [validator, page.validator],
            ratings=sorted(persona.ratings.items(), reverse=True),
            rating=query.values.get("rating"),
            reviews=page.get_paginated_response(page.results, request).data,
        )
