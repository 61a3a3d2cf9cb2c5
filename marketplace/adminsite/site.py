from django.http import Http404
from django.template.response import TemplateResponse

from marketplace.adminsite.dashboard import Number, bars, bounded_counts, per_day, sizes
from marketplace.adminsite.theme import AdminSite
from marketplace.ratelimits.client_address import client_address
from marketplace.ratelimits.decorators import count

MAX_ATTENTION = 99


class MarketplaceAdminSite(AdminSite):
    site_header = site_title = "Marketplace"
    site_url = None
    index_title = "Start"
    index_template = "admin/dashboard.html"
    # The menu: groups of models, each with its icon; a person sees what he or she may open.
    menu = {
        "Catalogue": {"skill": "extension", "persona": "theater_comedy", "importrun": "upload"},
        "Agents": {"agent": "smart_toy", "agenttoken": "key", "operatorclaim": "badge"},
        "Activity": {
            "review": "reviews",
            "skillinstall": "download",
            "personainstall": "person_add",
        },
        "Staff": {"user": "group", "group": "shield_person"},
    }

    def login(self, request, extra_context=None):
        """Django's log-in, with its attempts limited by user name and address together.

        Every attempt counts, before the password is looked at, so that a parallel guess is
        counted too.
        """
        if request.method == "POST":
            user = request.POST.get("username", "").strip().lower()[:150]
            usage = count(request, "login", caller=f"{client_address(request)} {user}")
            if usage.is_exceeded:
                return TemplateResponse(
                    request,
                    "admin/too_many_logins.html",
                    {**self.each_context(request), "minutes": -(-usage.seconds // 60)},
                    status=429,
                    headers={"Retry-After": str(usage.seconds)},
                )
        return super().login(request, extra_context)

    def search(self, request, extra_context=None):
        """The theme's search over all models, which would look through whole tables."""
        raise Http404

    def each_context(self, request):
        # The theme writes its colours into the page; ours stand in admin.css, as the
        # Content-Security-Policy wants it.
        return super().each_context(request) | {"colors": {}}

    def get_sidebar_list(self, request):
        models = {
            model["model"]._meta.model_name: model  # noqa: SLF001
            for app in self.get_app_list(request)
            for model in app["models"]
            if model["admin_url"]
        }
        if not models:
            return []
        start = {"title": "Start", "icon": "home", "link": f"/{self.name}/"}
        groups = [{"items": [start]}]
        groups += [
            {
                "title": title,
                "items": [
                    {
                        "title": models[name]["name"],
                        "icon": icon,
                        "link": models[name]["admin_url"],
                    }
                    for name, icon in icons.items()
                    if name in models
                ],
            }
            for title, icons in self.menu.items()
        ]
        return [
            {**group, "items": self._get_navigation_items(request, group["items"])}
            for group in groups
        ]

    def index(self, request, extra_context=None):
        """Figures of what this person may see; every model's admin says what it has to show."""
        admins = [
            model_admin
            for model_admin in self._registry.values()
            if hasattr(model_admin, "attention") and model_admin.has_view_permission(request)
        ]
        context = {
            "charts": self.charts(admins),
            "totals": self.totals(admins),
            "attention": self.attention(admins),
            "rankings": [ranking for each in admins for ranking in each.rankings(request)],
        }
        return super().index(request, context | (extra_context or {}))

    def charts(self, admins):
        """Rows by day, those of one title together: installs are of skills and of personas."""
        counted = [each for each in admins if each.counted_by_day]
        days = per_day(
            {each.model._meta.model_name: (each.model, each.counted_by_day[1]) for each in counted}  # noqa: SLF001
        )
        charts = {}
        for each in counted:
            title, rows = each.counted_by_day[0], days[each.model._meta.model_name]  # noqa: SLF001
            before = charts.get(title, [(day, 0) for day, _ in rows])
            charts[title] = [
                (day, old + new) for (day, old), (_, new) in zip(before, rows, strict=True)
            ]
        return [{"title": title, **bars(days)} for title, days in charts.items()]

    def totals(self, admins):
        counted = [each for each in admins if each.in_totals]
        numbers = sizes([each.model for each in counted])
        return [
            {"name": each.opts.verbose_name_plural, "number": number, "url": each.list_url()}
            for each, number in zip(counted, numbers, strict=True)
        ]

    def attention(self, admins):
        items = [(each, *item) for each in admins for item in each.attention()]
        counts = bounded_counts([rows for _, _, rows, _ in items], most=MAX_ATTENTION)
        return [
            {
                "text": text,
                "number": f"{MAX_ATTENTION}+" if found > MAX_ATTENTION else Number(found),
                "url": each.list_url() + query,
            }
            for (each, text, _, query), found in zip(items, counts, strict=True)
            if found
        ]
