"""Heads with roles: which head finds the word before, the article's noun, the verb's subject?

A head of MiniLM finds a word if that word has the largest weight of all words, special tokens
left out. The head is chosen on one half of the sentences and scored on the other, against chance
and against the fixed distance that is right most often. The folder all-MiniLM-L6-v2 must be in
the current one.
"""

import random
from pathlib import Path

import torch
from command import Numbers, run
from torch import Tensor

import regard

FOLDER, SENTENCES = "all-MiniLM-L6-v2", 80
NOUNS = ("dog", "teacher", "river", "book", "city", "child", "garden", "window", "king", "train")
ADJECTIVES, VERBS = ("old", "red", "small", "quiet"), ("sees", "finds", "wants", "leaves", "knows")
ROLES = ("the word before", "an article's noun", "a verb's subject")
Pairs = dict[str, list[tuple[int, int]]]  # a word's place, that of what it should find
Cases = dict[str, list[tuple[Tensor, int, float]]]


def sentence() -> tuple[list[str], Pairs]:
    """Up to two adjectives before a noun; often a second noun between subject and verb."""
    words: list[str] = []
    pairs: Pairs = {role: [] for role in ROLES}

    def noun() -> int:
        article = len(words)
        words.extend(["the", *random.sample(ADJECTIVES, random.randrange(3)), random.choice(NOUNS)])
        pairs[ROLES[1]].append((article, len(words) - 1))
        return len(words) - 1

    subject = noun()
    if random.random() < 0.5:
        words.append("near")
        noun()
    pairs[ROLES[2]].append((len(words), subject))
    words.append(random.choice(VERBS))
    noun()
    pairs[ROLES[0]] = [(place, place - 1) for place in range(1, len(words))]
    return words, pairs


def main(_output: Path | None = None) -> Numbers:
    random.seed(0)
    encoder = regard.load(FOLDER)
    # Of each role: whether each head found the word, its distance, and chance.
    halves: list[Cases] = [{role: [] for role in ROLES} for _ in range(2)]
    for number in range(SENTENCES):
        words, pairs = sentence()
        maps = torch.cat([tap.weights() for tap in encoder.trace(" ".join(words)).values()])
        found = maps[:, 1:-1, 1:-1].argmax(-1)  # (heads of all layers, words); each is one token
        for role, places in pairs.items():
            for start, end in places:
                case = (found[:, start] == end).float(), end - start, 1 / len(words)
                halves[number % 2][role].append(case)
    numbers: Numbers = {}
    for role in ROLES:
        hits, distances, _ = zip(*halves[0][role], strict=True)
        best = int(torch.stack(hits).mean(0).argmax())
        usual = max(distances, key=distances.count)
        hits, distances, chances = zip(*halves[1][role], strict=True)
        right, chance = torch.stack(hits)[:, best].mean().item(), sum(chances) / len(chances)
        fixed = distances.count(usual) / len(distances)
        print(
            f"{role:18} layer {best // 12}, head {best % 12:2}: {right:4.0%}"
            f"   always {usual:+d} places: {fixed:4.0%}   chance {chance:4.0%}"
        )
        numbers |= {role: right, f"{role}, fixed": fixed, f"{role}, chance": chance}
    return numbers


if __name__ == "__main__":
    run(main)
