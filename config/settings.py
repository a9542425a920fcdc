"""The one settings file. Everything that differs between sites comes from the environment;
with no environment at all it runs a local site whose files lie in var/.
"""

from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF

from config.secret_key import read_or_make
from tables.conf import DEFAULTS as TABLES_DEFAULTS

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = BASE_DIR / "var"

# The site: who it answers to, and whether it faces the public.
PRODUCTION = env.bool("PRODUCTION", default=False)
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=[] if PRODUCTION else ["localhost", "127.0.0.1", "[::1]"]
)
# Explicit scheme://host[:port] of the pages that may post forms and open sockets.
ORIGINS = env.list(
    "ORIGINS", default=[] if PRODUCTION else ["http://localhost:8000", "http://127.0.0.1:8000"]
)
CSRF_TRUSTED_ORIGINS = ORIGINS

SECRET_KEY = env.str("SECRET_KEY", default="")
SECRET_KEY_FROM_FILE = not SECRET_KEY
if SECRET_KEY_FROM_FILE:
    SECRET_KEY = read_or_make(VAR / "secret.key")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

# What it is made of.
INSTALLED_APPS = [
    "daphne",
    "servestatic",
    "django.contrib.sessions",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.sitemaps",
    "channels",
    "csp",
    "game",
    "bots",
    "tables",
    # The moderators' part, which a site may do without.
    "moderation.apps.SiteConfig",
    "moderation",
    "axes",
    "operating",
    "notices",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "game.language.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "tables.headers.no_microphone",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "notices.context.notices",
            ],
        },
    },
]

# Data.
DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR / 'db.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        # Without IMMEDIATE, transactions that read before they write fail as locked.
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # A pool, because connections that outlive a request cannot be kept under ASGI.
    DATABASES["default"] |= {
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            # Nobody waits for a server that the network has lost.
            **{"connect_timeout": 5, "keepalives_idle": 10, "tcp_user_timeout": 15000},
            **DATABASES["default"].get("OPTIONS", {}),
            # The pool tries anew ever more seldom while the database is away; starting over
            # whenever a request has waited in vain, it is found within two seconds of being back.
            "pool": {"min_size": 0, "max_size": 8, "timeout": 5, "reconnect_timeout": 5},
            "options": "-c statement_timeout=5000 -c lock_timeout=4000",
        },
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Between processes: one process needs nothing, several need Redis.
REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
        }
    }
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.core.RedisChannelLayer",
            # Longer than the five seconds for which a process asks Redis for the next ring: else
            # every quiet wait would look like a broken connection.
            "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": 15}]},
        }
    }
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

# Language and time.
LANGUAGE_CODE = "en"
# Each by its own name, so that it is found by those who read no other.
LANGUAGES = [("en", "English"), ("fi", "Suomi"), ("pt-br", "Português (Brasil)")]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 60 * 60
LANGUAGE_COOKIE_HTTPONLY = True
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Static files: hashed names, so that they may be cached for good.
STATIC_URL = "static/"
STATIC_ROOT = env.str("STATIC_ROOT", default=str(VAR / "static"))
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.storage.StaticStorage"},
}

# Shared tables: what the environment changes of their defaults (tables/conf.py).
for _name, _default in TABLES_DEFAULTS.items():
    globals()[_name] = env(_name, cast=type(_default), default=_default)

# Moderators: where they log in (nowhere when empty), how long that lasts, and how it is guarded.
ADMIN_PATH = env.str("ADMIN_PATH", default="admin").strip("/")
MODERATION_HOURS = env.int("MODERATION_HOURS", default=12)
# With a second factor django-otp must be installed; its devices are made with its own commands.
MODERATION_SECOND_FACTOR = env.bool("MODERATION_SECOND_FACTOR", default=False)
if MODERATION_SECOND_FACTOR:
    INSTALLED_APPS += ["django_otp", "django_otp.plugins.otp_totp", "django_otp.plugins.otp_static"]
    MIDDLEWARE.insert(
        MIDDLEWARE.index("django.contrib.messages.middleware.MessageMiddleware"),
        "django_otp.middleware.OTPMiddleware",
    )
    OTP_TOTP_ISSUER = "Korttipöytä"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
# Failed logins are counted in the cache, where an address is a hash and gone after a while.
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_CLIENT_IP_CALLABLE = "tables.limits.address_of"
AXES_LOCKOUT_PARAMETERS = ["ip_address"]
AXES_FAILURE_LIMIT = env.int("LOGIN_TRIES", default=6)
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
AXES_LOCKOUT_TEMPLATE = "korttipoyta/moderation/locked.html"
AXES_HTTP_RESPONSE_CODE = 429
# Without Redis there is one process, whose own memory counts well enough.
SILENCED_SYSTEM_CHECKS = [] if REDIS_URL else ["axes.W001"]

# Mail, for the daily word to the moderators: EMAIL_URL=smtp://user:password@host:587
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", default="korttipoyta@localhost")
MODERATION_MAIL = env.list("MODERATION_MAIL", default=[])
MODERATION_LANGUAGE = env.str("MODERATION_LANGUAGE", default=LANGUAGE_CODE)

# What browsers are told.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "connect-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
# Not "no-referrer": Chromium then sends "Origin: null" and every form is refused.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

if PRODUCTION:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    # The proxy's own neighbours ask these, without TLS.
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    LANGUAGE_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    # The host's other subdomains are not this site's to decide about.
    SILENCED_SYSTEM_CHECKS += ["security.W005", "security.W021"]

# Operating: who may read the metrics, and where errors are told (neither, when empty).
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
SENTRY_DSN = env.str("SENTRY_DSN", default="")

# The log goes to the console. It holds no secrets: no cookies, bodies or query strings, and no
# addresses of refused requests, which may be invites.
LOG_LEVEL = env.str("LOG_LEVEL", default="WARNING")
# One JSON object a line for machines ("json"), or a line for people ("line").
LOG_FORMAT = env.str("LOG_FORMAT", default="json" if PRODUCTION else "line")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "operating.logs.JsonFormatter"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": LOG_LEVEL},
        "django.request": {"level": "ERROR"},
        "django.security.csrf": {"level": "ERROR"},
        # It names addresses and users.
        "axes": {"level": "ERROR"},
        # Scanners ask for other hosts all day, and each would leave a traceback.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
    },
}
