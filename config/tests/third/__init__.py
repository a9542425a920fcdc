"""A game in another Django app, made by following ``docs/adding-a-game.md``; for tests alone."""
