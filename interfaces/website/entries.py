"""The page of one entry, and of one file of a skill."""

from urllib.parse import quote

from catalogue.file_tree import file_tree
from catalogue.highlighting import highlight, language_of
from catalogue.markdown import contents
from catalogue.markdown import render as render_markdown
from catalogue.search.near_slugs import near_slugs
from catalogue.serializers import files_address
from catalogue.views import PersonaViewSet, SkillViewSet
from interfaces.website.pages import Page, paginated
from interfaces.website.pictures import Face, draw
from interfaces.website.related import related_to
from marketplace.api.pagination import KeysetPagination
from marketplace.api.query_params import query_parameters
from marketplace.db.replicas import on_replica
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import Validator
from reviews.filters import PersonaReviewFilterSet


class EntryPage(Page):
    section = None
    viewset = None

    def advice(self, slug):
        model = self.viewset.queryset.model
        return {"section": self.section, "near": on_replica(near_slugs, model, slug)}

    def render_entry(self, entry, validators, text, folder="", **context):
        """The page of the entry with its `text`, of which relative links lead into the folder."""
        related = related_to(entry)
        return self.render(
            Validator.of_all([*validators, related.validator]),
            section=self.section,
            entry=entry,
            related=related,
            content=render_markdown(text, folder),
            contents=contents(text, folder),
            **context,
        )


class SkillPage(EntryPage):
    template_name = "skill.html"
    section = "skills"
    viewset = SkillViewSet

    def get(self, request, slug):
        skill, validator = SkillViewSet.get_published(slug)
        address = f"/skills/{skill.slug}/files"
        return self.render_entry(
            skill,
            [validator],
            skill.content,
            address if skill.files else "",
            files=file_tree(skill.files),
            address=address,
        )


class FilePage(Page):
    """One file of a skill: a text to read, escaped; anything else to download."""

    template_name = "file.html"

    def get(self, request, slug, path):
        skill, _ = SkillViewSet.get_published(slug)
        file = skill.file_at(path)
        text = skill.bytes_of(file).decode() if file["is_text"] else None
        code = None if text is None else highlight(text, language_of(path))
        url = f"{files_address(skill)}/{quote(path)}"
        # Without a validator: no cache of this process holds the files.
        return self.render(None, section="skills", entry=skill, file=file, code=code, url=url)


class ReviewPagination(KeysetPagination):
    default_limit = 10


class PersonaPage(EntryPage):
    """A persona with a page of its reviews, of which `cursor` tells where it begins."""

    template_name = "persona.html"
    section = "personas"
    viewset = PersonaViewSet

    def get(self, request, slug):
        persona, validator = PersonaViewSet.get_published(slug)
        ratings = sorted(persona.rating_distribution().items(), reverse=True)
        query = {name: each for name, each in query_parameters(request).items() if name == "cursor"}
        filterset = PersonaReviewFilterSet(query, slug=slug)
        paginator = paginated(request, filterset, ReviewPagination)
        return self.render_entry(
            persona,
            [validator, paginator.rows.validator],
            # The content of a priced persona is not public (contract 6).
            persona.content if persona.is_free else "",
            ratings=ratings,
            reviews=paginator.get_paginated_response(paginator.page).data,
        )


class PicturePage(EntryPage):
    """What others show beside a link to an entry: a PNG of 1200 x 630 (Open Graph)."""

    kind = None

    def get(self, request, slug):
        entry, validator = self.viewset.get_published(slug)
        shown = {name: getattr(entry, name) for name in Face._fields if name != "kind"}
        content = draw(Face(self.kind, **shown))
        return public_response(content, validator, content_type="image/png")


class SkillPicture(PicturePage):
    kind = "skill"
    section = "skills"
    viewset = SkillViewSet


class PersonaPicture(PicturePage):
    kind = "persona"
    section = "personas"
    viewset = PersonaViewSet
