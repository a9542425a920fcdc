from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "config.tests.host.accounts"
    label = "accounts"
