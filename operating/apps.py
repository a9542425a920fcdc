from django.apps import AppConfig

from operating import sentry


class OperatingConfig(AppConfig):
    name = "operating"

    def ready(self) -> None:
        from tables import gauges

        gauges.watch_databases()
        sentry.start()
