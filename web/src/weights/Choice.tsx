/** One of a few, all in sight: a row of buttons under a name. */
import "./weights.css";

interface ChoiceProps<T extends string | number> {
  name: string;
  options: readonly { value: T; label: string; title?: string }[];
  value: T;
  onChoose(value: T): void;
}

export function Choice<T extends string | number>({ name, options, value, onChoose }: ChoiceProps<T>) {
  return (
    <div class="rg-choice" role="group" aria-label={name}>
      <span class="rg-choice__name">{name}</span>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          class={`rg-chips__chip${option.value === value ? " rg-chips__chip--on" : ""}`}
          aria-pressed={option.value === value}
          title={option.title}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
