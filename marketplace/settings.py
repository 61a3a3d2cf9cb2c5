"""One settings file: the environment decides (docs/deploy/variables.md)."""

import tomllib
import warnings
from pathlib import Path

from marketplace import environment, logging, oidc, sentry
from marketplace.adminsite import look
from marketplace.databases import databases
from marketplace.ratelimits.rates import DEFAULTS

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]

environment.read_file()
DEBUG = environment.boolean("DEBUG", default=False)
SECRET_KEY = environment.secret("SECRET_KEY", min_length=1 if DEBUG else 32)
ALLOWED_HOSTS = environment.words(
    "ALLOWED_HOSTS",
    "localhost,127.0.0.1,[::1]",
    pattern=r"\*|\.?[\w.-]+|\[[0-9a-fA-F:.]+\]",
    meaning="host names without scheme and port",
)
CSRF_TRUSTED_ORIGINS = environment.words(
    "CSRF_TRUSTED_ORIGINS",
    pattern=r"https?://[\w.*-]+(:\d+)?",
    meaning="origins such as https://marketplace.example.com",
)

# Without the infrastructure, on Django's and gunicorn's own parts.
PLAIN = environment.boolean("PLAIN", default=False)

# The marketplace's own settings.
TOKEN_PREFIX = environment.matching(
    "TOKEN_PREFIX",
    r"[A-Za-z][A-Za-z0-9]{0,15}",
    default="mkt",
    meaning="1 to 16 letters and digits, a letter first",
)
RATE_LIMITS = {
    name: environment.rates(f"RATE_LIMIT_{name.replace('-', '_').upper()}", default)
    for name, default in DEFAULTS.items()
}
TRUSTED_PROXY_COUNT = environment.whole_number("TRUSTED_PROXY_COUNT", default=0, low=0, high=10)
# The staff's contact address; the website and /skill.md show it.
STAFF_CONTACT = environment.matching(
    "STAFF_CONTACT",
    r"(https?://[^\s@]+|[^\s@/:]+@[^\s@/:]+)?",
    default="",
    meaning="an e-mail address or a URL",
)
EDGE_SECONDS = environment.whole_number("EDGE_SECONDS", default=0, low=0, high=86_400)
REQUIRE_HTTPS = environment.boolean("REQUIRE_HTTPS", default=True)
PUBLIC_URL = environment.matching(
    "PUBLIC_URL",
    rf"({'https' if REQUIRE_HTTPS else 'https?'}://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{{1,5}})?)?",
    default="",
    meaning="scheme and host alone, such as https://marketplace.example.com",
)
# The modes of registration and of the catalogue (docs/deploy/private.md).
REGISTRATION = environment.choice("REGISTRATION", "open", "invitation", "closed")
CATALOGUE = environment.choice("CATALOGUE", "public", "members")
# The agents that may propose texts: those with a confirmed operator, or all.
SUBMISSIONS = environment.choice("SUBMISSIONS", "off", "claimed", "open")
# Pending submissions of everybody together, besides those of maintainers.
SUBMISSIONS_MAX = environment.whole_number("SUBMISSIONS_MAX", default=1000, low=1, high=100_000)
# Connectors: clients that sign in by OAuth (contract 35).
OAUTH = environment.boolean("OAUTH", default=False)
# Repositories below /git/. A catalogue with more entries than this has no repository of its own.
GIT = environment.boolean("GIT", default=True)
# SPDX identifiers of the licenses that no finding names; none means any.
LICENSES = tuple(
    environment.words("LICENSES", pattern=r"[A-Za-z0-9.+-]+", meaning="SPDX identifiers")
)
# The hosts of git repositories that sources follow, with their ports; none means no sources.
SOURCE_HOSTS = environment.words(
    "SOURCE_HOSTS",
    pattern=r"[A-Za-z0-9.-]+(:[0-9]{1,5})?",
    meaning="hosts with or without a port, such as git.example.com:8443",
)
CLOCK_METRICS_ADDRESS = environment.address("CLOCK_METRICS_ADDRESS")
GIT_MAX_ENTRIES = environment.whole_number("GIT_MAX_ENTRIES", default=1000, low=1, high=10_000)
# Days that the audit trail is kept; 0 keeps it forever.
AUDIT_DAYS = environment.whole_number("AUDIT_DAYS", default=365, low=0, high=36_500)
# Whether the start page shows what agents are doing, for everybody.
SHOW_ACTIVITY = environment.boolean("SHOW_ACTIVITY", default=True)
# The staff who need a second factor, besides those who have set one up.
SECOND_FACTOR = environment.choice("SECOND_FACTOR", "off", "superusers", "staff")
# Sign-in with the company's identity provider; without an issuer there is none.
OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_GROUPS, OIDC_GROUPS_CLAIM, OIDC_ONLY = (
    oidc.variables()
)
AUTHENTICATION_BACKENDS = oidc.backends(OIDC_ISSUER)

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "unfold.contrib.simple_history",
    "marketplace.apps.AdminConfig",
    "people",  # above django.contrib.auth, whose createsuperuser it extends
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_ratelimit",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "rest_framework",
    "marketplace",
    "audit",
    "catalogue",
    "search",
    "changes",
    "importing",
    "agents",
    "installs",
    "reviews",
    "reports",
    "submissions",
    "publishers",
    "sources",
    "operators",
    "connections",
    "interfaces.git",
]

MIDDLEWARE = [
    "marketplace.middleware.conditional.ConditionalMiddleware",
    "marketplace.middleware.pages.PageParametersMiddleware",
    # Outside of the others, because a cached response carries the headers of all of them.
    *([] if PLAIN else ["infrastructure.http_cache.middleware.ResponseCacheMiddleware"]),
    "marketplace.middleware.cors.CorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "marketplace.middleware.security.ContentSecurityPolicyMiddleware",
    "marketplace.middleware.errors.JsonErrorsMiddleware",
    "marketplace.middleware.health.HealthCheckMiddleware",
    "marketplace.middleware.hosts.HostMiddleware",
    "marketplace.middleware.security.RequireHttpsMiddleware",
    "marketplace.middleware.static_files.StaticFilesMiddleware",
    "marketplace.adminsite.middleware.StaffSessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "marketplace.middleware.security.FormCsrfMiddleware",
    "marketplace.adminsite.middleware.StaffAuthenticationMiddleware",
    "people.middleware.LookAgainMiddleware",
    "marketplace.adminsite.middleware.StaffMessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "marketplace.urls"
WSGI_APPLICATION = "marketplace.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {"website": "interfaces.website.tags"},
            "builtins": ["marketplace.text_filters"],
        },
    }
]

DATABASES = databases(is_plain=PLAIN)
# Seconds that a replica may lag behind. Public reads use the replicas.
REPLICA_MAX_LAG = environment.whole_number("REPLICA_MAX_LAG", default=1, low=1, high=60)
DATABASE_ROUTERS = ["infrastructure.replicas.reading.ReplicaRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {"default": environment.cache("CACHE_URL")}
# For responses, in each process.
CACHE_BYTES = environment.whole_number("CACHE_BYTES", default=2**25, low=0, high=999_999_999)
# Python would silently use another folder instead.
environment.writable_folder("TMPDIR")
# Disk space for large downloads, shared by the processes of a host.
DOWNLOAD_BYTES = environment.whole_number(
    "DOWNLOAD_BYTES", default=2**29, low=2**24, high=999_999_999_999
)

# django_ratelimit.W001: the library trusts three cache backends; tests/api/test_rate_counters.py
# tests PostgresCounters. security.W003: FormCsrfMiddleware is a subclass of Django's own.
SILENCED_SYSTEM_CHECKS = [
    *("django_ratelimit.W001", "security.W003"),
    "security.W008",  # RequireHttpsMiddleware redirects pages and refuses requests to the API
]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["agents.authentication.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["marketplace.api.scopes.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["marketplace.api.renderers.FastJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["marketplace.api.parsers.StrictJSONParser"],
    "EXCEPTION_HANDLER": "marketplace.api.exceptions.handle",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "interfaces.openapi.schema.OperationSchema",
}

# The readers of a members-only catalogue (marketplace/access.py): by token, and by session.
READER_AUTHENTICATION = "agents.authentication.reader_authentication"
READER_SESSIONS = [
    f"{kind}.sessions.is_signed_in" for kind in ("operators", "people", "marketplace.adminsite")
]

SPECTACULAR_SETTINGS = {
    "TITLE": "Agent marketplace",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "LICENSE": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
    "DEFAULT_GENERATOR_CLASS": "interfaces.openapi.document.Generator",
    "SERVERS": [{"url": "/", "description": "The host that served this document."}],
    "COMPONENT_SPLIT_PATCH": False,
    "DISABLE_DOCSTRING_DESCRIPTIONS": True,
    "POSTPROCESSING_HOOKS": [],
    "SORT_OPERATIONS": False,
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

LANGUAGE_CODE = "en-gb"
FORMAT_MODULE_PATH = "marketplace.formats"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

# Static files are served from the apps' folders, so a deployment needs no collectstatic. If a build
# ran it, its compressed copies are served. Their names have no hash: an edge may show a page for
# minutes after the next release, which would not have the files that the page names.
STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
# Compressed already, except source maps, which took half of the time and which no browser asks for.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = ["gif", "jpg", "png", "webp", "woff", "woff2", "map"]
WHITENOISE_USE_FINDERS = not (STATIC_ROOT / "pages.css").exists()
warnings.filterwarnings("ignore", message="No directory at")

SECURE_HSTS_SECONDS = 365 * 24 * 3600 if REQUIRE_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = REQUIRE_HTTPS
SECURE_HSTS_PRELOAD = REQUIRE_HTTPS
SECURE_REFERRER_POLICY = "same-origin"
# Only staff and members have Django's sessions. They end 12 hours after the log-in, used or not.
SESSION_COOKIE_AGE = 12 * 3600
# Not Django's name: a browser may have a cookie of that name for all paths from an earlier release.
# In a members-only catalogue the session also opens the pages, so its name and path differ.
SESSION_COOKIE_NAME = "staff" if CATALOGUE == "public" else "staff-member"
SESSION_COOKIE_PATH = "/admin/" if CATALOGUE == "public" else "/"
SESSION_COOKIE_SAMESITE = "Strict"
SESSION_COOKIE_SECURE = REQUIRE_HTTPS
CSRF_COOKIE_SECURE = REQUIRE_HTTPS
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_FAILURE_VIEW = "marketplace.adminsite.site.csrf_failure"
X_FRAME_OPTIONS = "DENY"
if TRUSTED_PROXY_COUNT:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# A folder that staff drop comes file by file. MAX_UPLOAD bounds all of them together.
DATA_UPLOAD_MAX_NUMBER_FILES = 2000

LOGIN_REDIRECT_URL = "/admin/"  # after a log-in that no other page requested

OTP_TOTP_ISSUER = "Marketplace"  # the title of the codes in authenticator apps

SIMPLE_HISTORY_ENABLED = False  # not at each save: marketplace.adminsite.history decides when

UNFOLD = look.UNFOLD

LOGGING = logging.config()
DEFAULT_EXCEPTION_REPORTER = "marketplace.error_reports.MaskedReporter"

if SENTRY_DSN := environment.text("SENTRY_DSN", ""):
    sentry.start(SENTRY_DSN)
