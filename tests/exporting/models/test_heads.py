"""The likeliest tokens that a graph gives are those of all logits, in order."""

from pathlib import Path

import numpy as np
import pytest
import torch

from fixtures.graphs import Graphs
from regard.exporting.graph import Graph, write_graphs
from regard.exporting.models.heads import next_tokens


@pytest.mark.parametrize("vocab", [3, 63, 64, 65, 191, 1024])
def test_the_likeliest_tokens_and_their_log_probabilities(vocab: int, tmp_path: Path) -> None:
    graph = Graph("fp32")
    x = graph.input("x", np.float32, ("rows", vocab))
    next_tokens(graph, graph.op("Identity", x), vocab)
    write_graphs({"tokens": graph}, tmp_path)
    graphs = Graphs(tmp_path)
    logits = torch.randn(5, vocab, generator=torch.Generator().manual_seed(vocab))
    for count in {1, 3, min(7, vocab)}:
        inputs = {"x": logits.numpy(), "count": np.array([count])}
        found, best = graphs.run("tokens", inputs, ["log_probs", "best"])
        expected = logits.log_softmax(-1).topk(count)
        assert (best == expected.indices.numpy()).all()
        assert found == pytest.approx(expected.values.numpy(), rel=1e-5, abs=1e-6)
