"""The shipped models' BLEU and chrF on sets of sentences, beam 5, by `regard evaluate`.

    python benchmarks/shipped.py
    python benchmarks/shipped.py --data ../shared/data

The models were chosen on the sets called dev.tsv, so those figures are of development, not of a
test. PUD is newspaper and encyclopaedia, newstest newspaper, Multi30k captions of pictures; en-de
was trained on none of these, and neither was de-en, for which the columns are exchanged.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).parents[2] / "shared" / "data"
REGARD = str(Path(sys.executable).with_name("regard"))
SETS = [
    ("en-de", "tatoeba_en_de/dev.tsv"),
    ("en-de", "parallel/dev/en-de/pud.tsv.gz"),
    ("en-de", "parallel/dev/en-de/newstest2018.tsv.gz"),
    ("en-de", "multi30k/test_2016_flickr.en-de.tsv"),
    ("de-en", "tatoeba_en_de/dev.tsv"),
    ("de-en", "parallel/dev/en-de/pud.tsv.gz"),
    ("de-en", "parallel/dev/en-de/newstest2018.tsv.gz"),
    ("de-en", "multi30k/test_2016_flickr.en-de.tsv"),
    ("en-hi", "tatoeba_en_hi/dev.tsv"),
    ("en-hi", "parallel/dev/en-hi/pud.tsv.gz"),
    ("en-hi", "hindi_visual_genome/dev.tsv"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the sets' folders")
    arguments = parser.parse_args()
    missing = [name for _, name in SETS if not (arguments.data / name).is_file()]
    if missing:
        parser.exit(0, f"{parser.prog} needs {', '.join(missing)} in {arguments.data}.\n")

    from regard.checkpoints import find_folder

    there = [(model, name) for model, name in SETS if (find_folder(model) / "config.json").exists()]
    if not there:
        parser.exit(0, f"{parser.prog} needs the shipped models; this checkout has none.\n")
    for model, name in there:
        print(f"$ regard evaluate {model} {name} --num-beams 5", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            pairs = arguments.data / name
            if model == "de-en":
                pairs = Path(folder) / "reversed.toml"
                pairs.write_text(f'[[source]]\npairs = "{arguments.data / name}"\nreverse = true\n')
            subprocess.run([REGARD, "evaluate", model, str(pairs), "--num-beams", "5"], check=True)
        print(flush=True)
    for model in {model for model, _ in SETS} - {model for model, _ in there}:
        print(f"{model} was not measured: it is not in this checkout.")


if __name__ == "__main__":
    main()
