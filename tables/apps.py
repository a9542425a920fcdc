from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"

    def ready(self) -> None:
        from tables import checks  # noqa: F401  (importing registers the system checks)
