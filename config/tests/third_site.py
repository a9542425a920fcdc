"""The site's settings with a game from another app in it."""

from config.settings import *  # noqa: F403  (all but what stands here is as on the site)
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "config.tests.third"]
CARD_GAMES = [("config.tests.third.engine.Third", "config.tests.third.policy")]
