from django.apps import AppConfig


class GameConfig(AppConfig):
    name = "game"

    def ready(self) -> None:
        from game import checks, elsewhere  # noqa: F401  (importing checks registers them)

        elsewhere.load()
