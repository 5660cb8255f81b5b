"""Recipes: how each task is learnt from a user's files. The loop they share is `training`."""
