"""The site's settings. Whatever differs between installations comes from the environment (docs/operations.md)."""

from pathlib import Path

import environ

from tournaments.secret_key import secret_key_of

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# --- where things are -----------------------------------------------------------------------
# Everything the site writes when nothing else is set: database, archives, sockets.
VAR_DIR = Path(env("SQUAREFIELD_VAR", default=str(BASE_DIR / "var")))
SITE_NAME = env("SQUAREFIELD_SITE_NAME", default="Squarefield")

# --- security -------------------------------------------------------------------------------
DEBUG = env.bool("SQUAREFIELD_DEBUG", default=False)
# An installation with a database of its own must bring its key; the embedded default makes one for itself.
SECRET_KEY = env("SQUAREFIELD_SECRET_KEY", default="") or secret_key_of(
    VAR_DIR, embedded="DATABASE_URL" not in env.ENVIRON)
ALLOWED_HOSTS = env.list("SQUAREFIELD_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("SQUAREFIELD_ORIGINS", default=[])
BEHIND_TLS = env.bool("SQUAREFIELD_TLS", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
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
]

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
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "lucide",
    "tournaments",
    "ratings",
    "frontend",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "frontend.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "tournaments.urls"
WSGI_APPLICATION = "tournaments.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
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

# --- files ----------------------------------------------------------------------------------
STORAGES = {
    # Bots' archives. Never served: what is below it is strangers' code.
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": env("SQUAREFIELD_ARCHIVES", default=str(VAR_DIR / "archives"))},
    },
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2**20
FILE_UPLOAD_PERMISSIONS = 0o640

# --- API ------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        # The first decides: who is not signed in gets 401, and is told to bring a token.
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "tournaments.api.pagination.ByNewest",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "tournaments.api.errors.answer",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Squarefield API",
    "DESCRIPTION": "Bots, ladders, events and games of a Squarefield site.",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # A component that comes in two lengths has no name of its own for its status.
    "ENUM_NAME_OVERRIDES": {"SubmissionStatusEnum": "tournaments.lifecycle.SubmissionStatus"},
}

# --- broker ---------------------------------------------------------------------------------
# Redis carries ids of matches and nothing else; losing it loses nothing.
REDIS_URL = env("REDIS_URL", default="redis://127.0.0.1:6379/0")

# --- competition policy ---------------------------------------------------------------------
LEASE_SECONDS = env.int("SQUAREFIELD_LEASE_SECONDS", default=60)
MAX_ATTEMPTS = 5
# Ids published and not yet claimed are published again after this long.
REPUBLISH_SECONDS = env.int("SQUAREFIELD_REPUBLISH_SECONDS", default=8)
DISPATCH_WINDOW = env.int("SQUAREFIELD_DISPATCH_WINDOW", default=64)
MAX_ARCHIVE_BYTES = env.int("SQUAREFIELD_MAX_ARCHIVE_BYTES", default=32 * 2**20)
# What remote control calls a worker on its host; its process id makes the name when none is given.
WORKER_NAME = env("SQUAREFIELD_WORKER_NAME", default="")
UNSAFE_LOCAL = env.bool("SQUAREFIELD_UNSAFE_LOCAL", default=False)

# --- notices --------------------------------------------------------------------------------
# What webhooks and mail tell of, and to whom.
NOTICES = {
    "submission.accepted": "A submission of yours has qualified and is a version now.",
    "submission.refused": "A submission of yours was refused.",
    "event.started": "An event that a bot of yours is entered in has started.",
    "event.finished": "An event that a bot of yours is entered in is over, or was cancelled.",
    "version.rested": "A version of yours was rested after faults.",
    "version.well": "A version of yours plays again after a probe.",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env("SQUAREFIELD_LOG_LEVEL", default="INFO")},
}
