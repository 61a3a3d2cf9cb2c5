"""The settings of django-unfold, the theme of the admin (theme.py)."""

UNFOLD = {
    "SITE_TITLE": "Agent Marketplace",
    "SITE_HEADER": "Agent Marketplace",
    "SITE_SUBHEADER": "Staff admin",
    "SITE_ICON": "/static/icon.svg",
    "SITE_URL": None,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "/static/icon.svg"}],
    "STYLES": ["/static/admin.css"],
    "SCRIPTS": ["/static/admin.js"],
    "ACCOUNT": {"navigation": "marketplace.adminsite.site.account_links"},
}
