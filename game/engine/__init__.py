"""The rules, in plain Python: no framework, no clock, no chance."""
