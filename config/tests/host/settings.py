"""Another site, which has our games among its own things under /cards/."""

import os
from pathlib import Path

import environ

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

SECRET_KEY = os.environ["SECRET_KEY"]
ALLOWED_HOSTS = ["127.0.0.1"]
ORIGINS = [os.environ["ORIGINS"]]
CSRF_TRUSTED_ORIGINS = ORIGINS
INSTALLED_APPS = [
    "daphne",
    "servestatic",
    "django.contrib.sessions",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.messages",
    "django.contrib.admin",
    "django.contrib.staticfiles",
    "config.tests.host.accounts",
    "game",
    "bots",
    "tables",
    "moderation",
]
AUTH_USER_MODEL = "accounts.Member"
KORTTIPOYTA_BASE = "host/base.html"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "config.tests.host.urls"
ASGI_APPLICATION = "config.tests.host.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [HERE / "templates", ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "game.context.frame",
            ]
        },
    }
]
DATABASES = {"default": environ.Env().db_url("DATABASE_URL")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
STATIC_URL = "/assets/"
STATIC_ROOT = os.environ["STATIC_ROOT"]
STATICFILES_DIRS = [ROOT / "static"]
SECURE_REFERRER_POLICY = "same-origin"
LANGUAGE_CODE = "en-gb"
LANGUAGES = [("en-gb", "British English")]
USE_TZ = True
