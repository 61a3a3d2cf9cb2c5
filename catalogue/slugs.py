"""Slugs and titles made from the names that people write."""

import re
import unicodedata


def as_slug(name):
    """The nearest slug: lower case, ASCII, hyphens; "" if nothing of the name is left."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_name.replace("'", "")).strip("-")[:64].strip("-")


# Acronyms in slugs. Those that are also words (it, us, add) are left out.
ACRONYMS = {
    *("ai", "api", "aws", "ci", "cd", "cli", "cms", "cpu", "crm", "crud", "css", "csv", "db"),
    *("dns", "dom", "etl", "gcp", "gdpr", "gpu", "hipaa", "hr", "html", "http", "https", "id"),
    *("ide", "io", "ip", "js", "json", "jwt", "kpi", "llm", "mcp", "ml", "nlp", "ocr", "orm"),
    *("pdf", "php", "png", "pr", "prd", "qa", "rag", "rbac", "rss", "sdk", "seo", "sla", "slo"),
    *("sql", "sre", "ssh", "ssl", "ssr", "svg", "tcp", "tdd", "tls", "ts", "tts", "ui", "url"),
    *("ux", "vm", "vpn", "wcag", "xml", "xss", "yaml"),
}


def as_title(slug):
    """The title of an entry whose file has none: `pdf-tables` becomes "PDF Tables"."""
    return " ".join(
        word.upper() if word in ACRONYMS else word.capitalize() for word in slug.split("-")
    )
