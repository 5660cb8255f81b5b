"""Twenty English sentences, spoken by espeak-ng: sounds for benchmarks and tests of Whisper."""

import subprocess
from pathlib import Path

VOICES = ("en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp")
SENTENCES = (
    "The quick brown fox jumps over the lazy dog.",
    "She sells fresh bread in the market on Saturday mornings.",
    "The train to London leaves from platform nine at half past four.",
    "Could you please close the window before you go to bed?",
    "My brother has worked in a small hospital since last summer.",
    "The old bridge was built by farmers more than two hundred years ago.",
    "No one knew why the lights went out during the concert.",
    "We need three eggs, some butter and a little sugar for the cake.",
    "The children were playing football behind the school.",
    "It has been raining all day, and the river is very high.",
    "I would like to drink a cup of tea with my friends.",
    "The museum is closed on Mondays, but the garden is always open.",
    "He wrote a long letter to his mother and never sent it.",
    "There are seven days in a week and twelve months in a year.",
    "The doctor asked her to take the medicine twice a day.",
    "A black cat was sleeping on the warm roof of the car.",
    "They moved to a quiet village near the sea because they loved the silence.",
    "The price of coffee has gone up again this month.",
    "Please send me the report as soon as you have finished it.",
    "When the sun came out, everybody took off their coats and sat down on the grass.",
)


def speak(folder: Path) -> list[Path]:
    """The sentences as files of sound, which are made where they are not there.

    Raises:
        FileNotFoundError: espeak-ng is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, sentence in enumerate(SENTENCES):
        voice = VOICES[number % len(VOICES)]
        files.append(file := folder / f"{number:02} {voice}.wav")
        if not file.is_file():
            subprocess.run(["espeak-ng", "-v", voice, "-w", str(file), sentence], check=True)
    return files
