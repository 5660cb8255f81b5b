/** All lessons in order, to see how far one is and to go anywhere. */
import { useEffect, useRef } from "preact/hooks";
import { useWords } from "../words/words";
import { LESSONS, type LessonName } from "./lessons";

export function Road({ lesson, onTurn }: { lesson: LessonName; onTurn(lesson: LessonName): void }) {
  const say = useWords();
  const road = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where the road is a strip that scrolls, or longer than the window, the lesson is kept in sight.
    const here = road.current?.querySelector<HTMLElement>("[aria-current]");
    const rail = road.current?.parentElement;
    if (!here || !road.current || !rail) return;
    road.current.scrollLeft = here.offsetLeft - road.current.clientWidth / 2;
    rail.scrollTop = here.offsetTop - rail.clientHeight / 2;
  }, [lesson]);
  return (
    <nav ref={road} class="rg-road" aria-label={say("lessons")}>
      <ol>
        {LESSONS.map(({ name }, i) => (
          <li key={name}>
            <button
              type="button"
              class="rg-road__lesson"
              aria-label={`${i + 1} ${say(`lesson.${name}.title`)}`}
              aria-current={name === lesson ? "step" : undefined}
              title={say(`lesson.${name}.title`)}
              onClick={() => onTurn(name)}
            >
              <span class="rg-road__number rg-number">{i + 1}</span>
              <span class="rg-road__title">{say(`lesson.${name}.title`)}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
