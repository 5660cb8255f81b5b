"""Recipes: how each task is learned from a user's files. The loop they share is `training`."""
