import regard.attention


def test_the_public_names_of_attention_are_frozen():
    assert set(regard.attention.__all__) == {
        "KERNELS",
        "Call",
        "Causal",
        "Dense",
        "Documents",
        "Mask",
        "Padding",
        "Prefix",
        "Score",
        "Window",
        "additive",
        "attend",
        "attention_weights",
        "average",
        "capped",
        "cosine",
        "dot",
        "gaussian",
        "general",
        "listening",
        "scaled",
        "scaled_dot",
    }
    assert all(hasattr(regard.attention, name) for name in regard.attention.__all__)


def test_the_kernels_are_named():
    assert regard.attention.KERNELS[0] == "auto"
    assert set(regard.attention.KERNELS) == {"auto", "plain", "short", "blocked", "fused"}
