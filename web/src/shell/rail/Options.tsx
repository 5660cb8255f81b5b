/** How the model writes: what is left empty is as the model has it. */
import type { ModelInfo, TraceRequest } from "../../source";

/** What can be chosen of a request, as it stands in the fields. */
export type Chosen = Partial<Record<Field["name"] | "target", string>>;

interface Field {
  name: "num_beams" | "generate" | "temperature" | "top_k" | "seed";
  label: string;
  least: number;
  step: number | "any";
  means: string;
  tasks: ModelInfo["task"][];
  draws?: boolean; // with it, tokens are drawn
}

const WRITERS: ModelInfo["task"][] = ["translation", "generation"];
const FIELDS: Field[] = [
  { name: "num_beams", label: "beams", least: 1, step: 1, means: "hypotheses that the search keeps at each step", tasks: WRITERS },
  { name: "generate", label: "new tokens", least: 0, step: 1, means: "how many tokens the model adds; 0 only reads the text", tasks: ["generation"] },
  { name: "temperature", label: "temperature", least: 0, step: "any", means: "draws tokens; below 1 the likely ones more often", tasks: WRITERS, draws: true },
  { name: "top_k", label: "top-k", least: 0, step: 1, means: "draws tokens, among this many likeliest", tasks: WRITERS, draws: true },
  { name: "seed", label: "seed", least: 0, step: 1, means: "draws tokens; the same seed draws the same ones", tasks: WRITERS, draws: true },
];

/** The fields that a model of this task takes here. */
export function fieldsOf(task: ModelInfo["task"], draws: boolean): Field[] {
  return FIELDS.filter((each) => each.tasks.includes(task) && (draws || !each.draws));
}

/** The fields of a request, as they are written. */
export function written(request: TraceRequest): Chosen {
  const chosen: Chosen = {};
  for (const { name } of FIELDS) if (request[name] !== undefined && request[name] !== null) chosen[name] = String(request[name]);
  if (request.target) chosen.target = request.target;
  return chosen;
}

/** What the fields ask for; those that the task does not take are left out. */
export function requested(chosen: Chosen, fields: readonly Field[], takesTarget: boolean): Partial<TraceRequest> {
  const asked: Partial<TraceRequest> = {};
  const target = takesTarget ? chosen.target?.trim() : "";
  if (target) return { target };
  for (const { name } of fields) {
    const text = chosen[name]?.trim();
    if (text && Number.isFinite(Number(text))) asked[name] = Number(text);
  }
  return asked;
}

interface OptionsProps {
  id: string;
  task: ModelInfo["task"];
  draws: boolean;
  chosen: Chosen;
  onChange(chosen: Chosen): void;
}

export function Options({ id, task, draws, chosen, onChange }: OptionsProps) {
  const fields = fieldsOf(task, draws);
  if (!fields.length) return null;
  const asked = requested(chosen, fields, true);
  const set = Object.keys(asked).length;
  return (
    <details class="rg-options" open={set > 0 || undefined}>
      <summary class="rg-options__name">options{set > 0 && <span class="rg-options__set"> {set} set</span>}</summary>
      <label class="rg-label" for={`${id}-target`}>target: an output to look at instead of the model's own</label>
      <textarea
        id={`${id}-target`}
        class="rg-ask__text rg-options__target"
        rows={1}
        spellcheck={false}
        value={chosen.target ?? ""}
        onInput={(event) => onChange({ ...chosen, target: event.currentTarget.value })}
      />
      <div class="rg-options__fields">
        {fields.map(({ name, label, least, step, means }) => (
          <label key={name} class="rg-options__field" title={means}>
            <span>{label}</span>
            <input
              class="rg-options__number rg-number"
              type="number"
              min={least}
              step={step}
              placeholder="model's"
              disabled={!!asked.target}
              value={chosen[name] ?? ""}
              onInput={(event) => onChange({ ...chosen, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      {set > 0 && (
        <button type="button" class="rg-button rg-button--bare" onClick={() => onChange({})}>as the model has it</button>
      )}
    </details>
  );
}
