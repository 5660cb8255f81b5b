"""Tokens that llama.cpp writes greedily, for benchmarks/gguf_tokens.py: prompts in, tokens out.

    python benchmarks/peers/llamacpp_tokens.py FILE NEW < PROMPTS

FILE is a GGUF file, NEW a number of tokens, PROMPTS a list of lists of ids in JSON.
"""

import json
import os
import sys
from pathlib import Path

import llama_cpp as llama
import numpy as np
from by_llamacpp import reader_of


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the library prints is no answer
    context, read = reader_of(Path(sys.argv[1]), 1, cache=llama.GGML_TYPE_F32)
    texts = []
    for prompt in json.load(sys.stdin):
        llama.llama_memory_clear(llama.llama_get_memory(context), True)
        tokens = [int(read(np.array([prompt]), 0)[0])]
        while len(tokens) < int(sys.argv[2]):
            place = len(prompt) + len(tokens) - 1
            tokens.append(int(read(np.array([[tokens[-1]]]), place)[0]))
        texts.append(tokens)
    json.dump(texts, answers)


if __name__ == "__main__":
    main()
