"""The graphs of each class of `regard.models`, in files of the same names."""
