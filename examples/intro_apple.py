# python examples/intro_apple.py
"""The average meaning: apple is 9,000 times a fruit and 1,000 times a phone, and context decides.

Here one vector for every occurrence is the mean of the senses, weighted by how often each occurs.
Attention then mixes in the words of the sentence: in a sentence about a phone, apple loses taste
and gains technology, although *orange* stands in it too. All vectors are made up; the two
dimensions are (taste, technology).
"""

import numpy as np
import typer

from regard import attend, attention_weights

SENSES = np.array([[1.0, 0.0], [0.0, 1.0]])  # fruit, phone
OCCURRENCES = np.array([9000, 1000])
WORDS = {
    "apple": [0.9, 0.3],  # as the introduction has it
    "launched": [0.1, 0.7],
    "phone": [0.1, 1.0],
    "orange": [1.0, 0.1],
}


def main() -> dict[str, float]:
    weights = OCCURRENCES / OCCURRENCES.sum()
    average = weights @ SENSES
    print(f"mean of 9,000 × [1, 0] and 1,000 × [0, 1]: [{average[0]:.1f}, {average[1]:.1f}]")

    words = np.array(list(WORDS.values()))
    row = attention_weights(words[:1], words)[0]
    contextual = attend(words[:1], words, words)[0]
    terms = [f"{w:.2f} {name}" for w, name in zip(row.tolist(), WORDS, strict=True)]
    print("apple =", " + ".join(terms))
    print(f"      = [{contextual[0]:.2f}, {contextual[1]:.2f}], and was {WORDS['apple']}")
    return {
        "average_taste": average[0].item(),
        "average_technology": average[1].item(),
        "taste": contextual[0].item(),
        "technology": contextual[1].item(),
        "row_sum": row.sum().item(),
    }


if __name__ == "__main__":
    typer.run(main)
