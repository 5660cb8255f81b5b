/** All lessons in order, to see how far one is and to go anywhere. */
import { LESSONS, type LessonName } from "./lessons";

export function Road({ lesson, onTurn }: { lesson: LessonName; onTurn(lesson: LessonName): void }) {
  return (
    <nav class="rg-road" aria-label="lessons">
      <ol>
        {LESSONS.map(({ name, title }, i) => (
          <li key={name}>
            <button
              type="button"
              class="rg-road__lesson"
              aria-current={name === lesson ? "step" : undefined}
              title={title}
              onClick={() => onTurn(name)}
            >
              <span class="rg-road__number rg-number">{i + 1}</span>
              <span class="rg-road__title">{title}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
