/** One of a few: chips or joined buttons where all are in sight, else a list that opens. */
import type { ComponentChildren } from "preact";
import "./weights.css";

interface ChoiceProps<T> {
  name: string;
  label?: string; // before it; "": nothing is
  look?: "chips" | "joined" | "list";
  options: readonly (readonly [value: T, label: ComponentChildren, title?: string])[];
  value: T;
  disabled?: boolean;
  onChoose(value: T): void;
}

export function Choice<T extends string | number>({ name, label = name, look = "chips", options, value, disabled, onChoose }: ChoiceProps<T>) {
  const named = label && <span class="rg-choice__name rg-note">{label}</span>;
  if (look === "list")
    return (
      <label class="rg-choice" title={name}>
        {named}
        <select class="rg-select" aria-label={name} value={value} disabled={disabled} onChange={({ currentTarget }) => onChoose(options[currentTarget.selectedIndex]![0])}>
          {options.map(([each, text]) => <option key={each} value={each} selected={each === value}>{text}</option>)}
        </select>
      </label>
    );
  return (
    <div class={`rg-choice rg-choice--${look}`} role="group" aria-label={name}>
      {named}
      {options.map(([each, text, title]) => (
        <button key={each} type="button" class="rg-choice__one" aria-pressed={each === value} title={title} disabled={disabled} onClick={() => onChoose(each)}>
          {text}
        </button>
      ))}
    </div>
  );
}
