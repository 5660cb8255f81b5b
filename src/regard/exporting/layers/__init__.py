"""The operators of each class of `regard.layers`, in files of the same names."""
