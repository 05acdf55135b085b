"""The site's settings.

Everything that differs between installations comes from the environment (docs/reference/settings.md).

Settings that belong to one domain, such as quotas and leases, are in `tournaments.policy`, one module per domain.
"""

from pathlib import Path

from engines.version import VERSION as RELEASE
from tournaments.platform.cache import cache_for
from tournaments.platform.database import connecting_by
from tournaments.platform.logs import logging_for
from tournaments.platform.secret_key import push_key_of, secret_key_of
from tournaments.platform.storage import storage_for
from tournaments.policy import env
from tournaments.policy.accounts import *
from tournaments.policy.bots import *
from tournaments.policy.casual import *
from tournaments.policy.ladders import *
from tournaments.policy.matches import *
from tournaments.policy.requests import *
from tournaments.policy.retention import *

BASE_DIR = Path(__file__).resolve().parent.parent
# Set before numpy is loaded to compute ratings: its threads would take CPU time from bots whose clocks are
# running, and are six times slower on two cores.
env.ENVIRON.setdefault("OPENBLAS_NUM_THREADS", "1")

# --- locations ------------------------------------------------------------------------------
# Default location of everything that the site writes: database, archives, sockets.
VAR_DIR = Path(env("SQUAREFIELD_VAR", default=str(BASE_DIR / "var")))
# Software version; an image may add the commit that it was built from.
VERSION = env("SQUAREFIELD_VERSION", default=RELEASE)
SITE_NAME = env("SQUAREFIELD_SITE_NAME", default="Squarefield")

# --- security -------------------------------------------------------------------------------
DEBUG = env.bool("SQUAREFIELD_DEBUG", default=False)
# An installation with its own database must set its key; with the embedded database, a key is generated.
SECRET_KEY = env("SQUAREFIELD_SECRET_KEY", default="") or secret_key_of(
    VAR_DIR, embedded="DATABASE_URL" not in env.ENVIRON)
# Signatures by these older keys remain valid, so that changing the key signs no one out
# (docs/how-to/operator/rotate-secrets.md).
SECRET_KEY_FALLBACKS = env.list("SQUAREFIELD_SECRET_KEY_FALLBACKS", default=[])
# The public host name of a site behind a proxy with TLS; the next settings follow from it.
DOMAIN = env("SQUAREFIELD_DOMAIN", default="")
ALLOWED_HOSTS = env.list("SQUAREFIELD_HOSTS", default=[*filter(None, [DOMAIN]), "localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("SQUAREFIELD_ORIGINS", default=[f"https://{DOMAIN}"] if DOMAIN else [])
BEHIND_TLS = env.bool("SQUAREFIELD_TLS", default=bool(DOMAIN))
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
# The site cannot decide whether other hosts of its domain have TLS, or whether browsers preload it.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SQUAREFIELD_HSTS_SUBDOMAINS", default=False)
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# A cookie with this prefix can be set only by this host, and only over TLS.
_HOST_ONLY = "__Host-" if BEHIND_TLS else ""
SESSION_COOKIE_NAME = f"{_HOST_ONLY}sessionid"
# Sessions end two weeks after the sign-in, or earlier if unused (`policy.accounts`).
SESSION_ENGINE = "tournaments.web.accounts.session_engine"
SESSION_COOKIE_AGE = 14 * 86_400
CSRF_COOKIE_NAME = f"{_HOST_ONLY}csrftoken"
VISITOR_COOKIE_NAME = f"{_HOST_ONLY}visitor"
MESSAGES_COOKIE_NAME = f"{_HOST_ONLY}messages"
# Whether the reader hides results (`frontend.text.spoilers`).
RESULTS_COOKIE_NAME = f"{_HOST_ONLY}results"
MESSAGE_STORAGE = "tournaments.web.messages.Messages"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "tournaments.operations.security_log.refuse_forged"
# Prometheus scrapes from inside without TLS, with a token. API clients are refused instead of redirected to TLS
# (`tournaments.web.encrypted`).
SECURE_REDIRECT_EXEMPT = [r"^metrics$", r"^api/(?!docs(/|$))"]
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator",
                 "CommonPasswordValidator", "NumericPasswordValidator")
] + [{"NAME": "tournaments.web.accounts.passwords.OwnWordsValidator"}]

# --- accounts -------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
# The e-mail address is optional, but without one the password cannot be reset.
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_CHANGE_EMAIL = True
# Changing the address requires the password, unless it was entered within the last five minutes.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"[{SITE_NAME}] "
ACCOUNT_USERNAME_MIN_LENGTH = 2
# In addition to allauth's own limits. Sign-ups: enough for a class that shares one address. Failed sign-ins are counted
# by address, and by account and address together, so that no one can lock another user out.
ACCOUNT_RATE_LIMITS = {"signup": "40/h/ip", "login_failed": "10/m/ip,100/h/ip,5/5m/key"}
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if BEHIND_TLS else "http"
ACCOUNT_ADAPTER = "tournaments.web.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {"login": "frontend.forms.auth_forms.SignInForm", "signup": "frontend.forms.auth_forms.SignUpForm",
                 "reset_password": "frontend.forms.auth_forms.ResetForm",
                 "add_email": "frontend.forms.auth_forms.AddressForm"}
# A second factor: codes of an authenticator app, and recovery codes (tournaments/services/accounts/second_factor.py).
MFA_ADAPTER = "tournaments.web.accounts.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_FORMS = {"authenticate": "frontend.forms.second_factor.SecondStepForm"}
# The e-mail address is optional here, and changing it works the same with a second factor.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Whether staff without a second factor must set one up before they can do anything else.
STAFF_SECOND_FACTOR = env.bool("SQUAREFIELD_STAFF_SECOND_FACTOR", default=False)
SIGN_UP_OPEN = env.bool("SQUAREFIELD_SIGN_UP", default=True)
# Sign-in attempts are counted by client address; behind proxies, the one that the nearest trusted proxy saw.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("SQUAREFIELD_PROXIES", default=1 if BEHIND_TLS else 0)

# --- mail -----------------------------------------------------------------------------------
# Until the installation names a server, mail is written to the log instead.
vars().update(env.email_url("EMAIL_URL", default="consolemail://"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env("SQUAREFIELD_MAIL_FROM", default="squarefield@localhost")

# --- application ----------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_filters",
    "rest_framework",
    "drf_spectacular",
    "tournaments",
    "ratings",
    "frontend",
    # After the frontend, whose templates replace these.
    "allauth",
    "allauth.account",
    "allauth.mfa",
]
MIDDLEWARE = [
    "tournaments.operations.health.HealthMiddleware",
    "tournaments.web.middleware.RequestMiddleware",
    "tournaments.operations.security_log.SecurityLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "frontend.web.csp.ContentSecurityPolicyMiddleware",
    "tournaments.web.encrypted.EncryptedMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "tournaments.web.content_types.ContentTypeMiddleware",
    "tournaments.web.bodies.ReceivingMiddleware",
    # Up to here, neither the database nor the session is read; from here on, a request needs admission.
    "frontend.web.shared_pages.SharedPagesMiddleware",
    "tournaments.web.admission.PlacesMiddleware",
    "tournaments.web.middleware.UnavailableMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "tournaments.web.throttling.RateLimitHeadersMiddleware",
    "tournaments.web.etags.ApiETagMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "frontend.text.languages.LanguageMiddleware",
    "frontend.text.spoilers.SpoilersMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "tournaments.web.accounts.sessions.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "tournaments.web.accounts.staff_gate.StaffGateMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "tournaments.urls"
WSGI_APPLICATION = "tournaments.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [("django.template.loaders.cached.Loader", ["tournaments.web.templates.UnindentedLoader"])],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# The default language, which is also that of everything that programs and operators read. Each language is listed under
# its own name.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "frontend" / "locale"]
LANGUAGE_COOKIE_NAME = f"{_HOST_ONLY}language"
LANGUAGE_COOKIE_AGE = 365 * 86_400
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = BEHIND_TLS
TIME_ZONE = "UTC"
USE_TZ = True

# --- database -------------------------------------------------------------------------------
# SQLite needs these to be shared by web, coordinator and workers: write locks are taken at the start of a
# transaction, and readers never wait for a writer.
SQLITE_OPTIONS = {
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA mmap_size=134217728;"
        "PRAGMA journal_size_limit=27103364; PRAGMA cache_size=-20000;"
    ),
}
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'squarefield.sqlite3'}")}
DATABASES["default"]["CONN_MAX_AGE"] = None
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
    DATABASES["default"].setdefault("TEST", {})["NAME"] = str(VAR_DIR / "test.sqlite3")
else:
    DATABASES["default"] |= connecting_by(env("SQUAREFIELD_DATABASE_POOLER", default=""),
                                          DATABASES["default"].get("OPTIONS", {}))

# --- files ----------------------------------------------------------------------------------
STORAGES = {
    # Bots' archives. Never served, because they contain untrusted code.
    "default": storage_for(env("SQUAREFIELD_STORAGE_URL", default=""),
                           directory=env("SQUAREFIELD_ARCHIVES", default=str(VAR_DIR / "archives"))),
    "staticfiles": {"BACKEND": "tournaments.web.static.HashedStaticFiles"},
}
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [("docs", BASE_DIR / "docs" / "pictures")]
# Directory of a release for download. If empty, `manage.py web` builds the release of this code when it starts.
DOWNLOADS = env("SQUAREFIELD_DOWNLOADS", default="")
DATA_UPLOAD_MAX_MEMORY_SIZE = 2**20
FILE_UPLOAD_PERMISSIONS = 0o640

# --- API ------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        # The first one determines the response for anonymous requests: 401 with a request for a token.
        "tournaments.api.plumbing.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["tournaments.api.plumbing.parsers.ShallowJSONParser"],
    "DEFAULT_PAGINATION_CLASS": "tournaments.api.plumbing.pagination.ByNewest",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "tournaments.api.plumbing.schema_texts.TextsSchema",
    "DEFAULT_THROTTLE_CLASSES": ["tournaments.web.throttling.PerMinute"],
    # The last address in X-Forwarded-For is the client's as the proxy saw it; without a proxy, the header is ignored.
    "NUM_PROXIES": env.int("SQUAREFIELD_PROXIES", default=1 if BEHIND_TLS else 0),
    "EXCEPTION_HANDLER": "tournaments.web.errors.answer",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Squarefield API",
    "DESCRIPTION": "Bots, ladders, events and games of a Squarefield site. A site behind TLS refuses requests without "
                   "TLS with 403.",
    "VERSION": RELEASE,
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums",
                             "tournaments.api.plumbing.schema.add_problems"],
    # Components with a short and a long form need an explicit name for the type of their status.
    "ENUM_NAME_OVERRIDES": {"SubmissionStatusEnum": "tournaments.models.lifecycle.SubmissionStatus",
                            "QuestionStatusEnum": "tournaments.models.lifecycle.QuestionStatus",
                            "CasualStatusEnum": "tournaments.models.lifecycle.CasualStatus",
                            "CandidacyStatusEnum": "tournaments.models.lifecycle.CandidacyStatus",
                            "ContenderStatusEnum": "tournaments.models.lifecycle.ContenderStatus"},
}

# --- broker ---------------------------------------------------------------------------------
# Redis holds only IDs of queued work and caches; losing it loses no data.
REDIS_URL = env("REDIS_URL", default="redis://127.0.0.1:6379/0")

CACHES = {
    "default": cache_for(REDIS_URL),
    # Complete pages for signed-out readers, in each process (`frontend.web.shared_pages`); about 10 KiB each.
    "pages": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "pages",
              "OPTIONS": {"MAX_ENTRIES": 2000}},
}
# --- workers --------------------------------------------------------------------------------
# Name of a worker on its host for remote control; the default is made from its process ID.
WORKER_NAME = env("SQUAREFIELD_WORKER_NAME", default="")
UNSAFE_LOCAL = env.bool("SQUAREFIELD_UNSAFE_LOCAL", default=False)
# Whether a worker may start on the reduced tier, where it plays only bots uploaded by the site's staff.
ALLOW_REDUCED = env.bool("SQUAREFIELD_ALLOW_REDUCED", default=False)

# --- notices --------------------------------------------------------------------------------
# Public address of the site, for links in e-mails.
BASE_URL = env("SQUAREFIELD_BASE_URL",
               default=f"https://{DOMAIN}" if DOMAIN else "http://127.0.0.1:8000").rstrip("/")
# Webhooks are restricted to https and to public addresses, unless the operator trusts everyone who can create them.
WEBHOOK_HTTP = env.bool("SQUAREFIELD_WEBHOOK_HTTP", default=DEBUG)
WEBHOOK_PRIVATE = env.bool("SQUAREFIELD_WEBHOOK_PRIVATE", default=False)
# Private key by which push services recognise the site; without one, there is no web push. Where the secret key is
# generated, this one is, too.
PUSH_KEY = env("SQUAREFIELD_PUSH_KEY", default="") or push_key_of(
    VAR_DIR, embedded=not ({"DATABASE_URL", "SQUAREFIELD_SECRET_KEY"} & set(env.ENVIRON)))
# --- monitoring -----------------------------------------------------------------------------
# Coordinators and workers set its time while they work; for health checks.
HEARTBEAT_FILE = env("SQUAREFIELD_HEARTBEAT_FILE", default="")
# Requests with this token, and staff, may read /metrics; all others get 404.
METRICS_TOKEN = env("SQUAREFIELD_METRICS_TOKEN", default="")
LOGGING = logging_for(env("SQUAREFIELD_LOG_FORMAT", default="console"), env("SQUAREFIELD_LOG_LEVEL", default="INFO"))
