/** Options of writing: an empty field is the model's own value, which it shows. */
import type { ModelInfo, TraceRequest } from "../../source";
import { translated } from "../../words/translated";
import { useWords } from "../../words/words";

/** Options of a request, as they stand in the fields. */
export type Chosen = Partial<Record<Field["name"] | "target", string>>;

interface Field {
  name: "num_beams" | "generate" | "temperature" | "top_k" | "top_p" | "seed" | "sentence";
  least: number;
  most?: number;
  step: number | "any";
  draws?: boolean; // with it, tokens are drawn
}

const FIELDS: Field[] = [
  { name: "sentence", least: 1, step: 1 },
  { name: "num_beams", least: 1, step: 1 },
  { name: "generate", least: 0, step: 1 },
  { name: "temperature", least: 0, step: "any", draws: true },
  { name: "top_k", least: 0, step: 1, draws: true },
  { name: "top_p", least: 0, most: 1, step: "any", draws: true },
  { name: "seed", least: 0, step: 1, draws: true },
];

/** The fields that change something: of those that the model takes, none beside a target, and beams only
 * where no token is drawn. */
export function fieldsOf(own: ModelInfo["options"], chosen: Chosen): Field[] {
  const taken = FIELDS.filter(({ name }) => own?.[name] !== undefined);
  if (chosen.target?.trim()) return [];
  const set = ({ name }: Field) => !!chosen[name]?.trim();
  const draws = taken.some((each) => each.draws && set(each));
  const searches = Number(chosen.num_beams ?? "") > 1;
  return taken.filter((each) => (each.draws ? draws || !searches : each.name !== "num_beams" || !draws));
}

/** The fields of a request, as they are written. */
export function written(request: TraceRequest): Chosen {
  const chosen: Chosen = {};
  for (const { name } of FIELDS) if (request[name] !== undefined && request[name] !== null) chosen[name] = String(request[name]);
  if (request.target) chosen.target = request.target;
  return chosen;
}

/** Options that the fields ask for; empty fields are left out. */
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
  own: ModelInfo["options"]; // the model's own values
  notes: readonly string[]; // what is peculiar to how this page draws
  chosen: Chosen;
  onChange(chosen: Chosen): void;
}

export function Options({ id, own, notes, chosen, onChange }: OptionsProps) {
  const say = useWords();
  if (!own || !Object.keys(own).length) return null;
  const fields = fieldsOf(own, chosen);
  const asked = requested(chosen, fields, true);
  const set = Object.keys(asked).length;
  return (
    <details class="rg-ask__part" open={set > 0 || undefined}>
      <summary class="rg-ask__name rg-note">{say("ask.options")}{set > 0 && <strong> {say("ask.set", { count: set })}</strong>}</summary>
      <label class="rg-note" for={`${id}-target`}>{say("ask.target")}</label>
      <textarea
        id={`${id}-target`}
        class="rg-field"
        rows={1}
        spellcheck={false}
        value={chosen.target ?? ""}
        onInput={(event) => onChange({ ...chosen, target: event.currentTarget.value })}
      />
      <div class="rg-options__fields">
        {fields.map(({ name, least, most, step }) => (
          <label key={name} class="rg-note" title={say(`option.${name}.means`)}>
            <span>{say(`option.${name}`)}</span>
            <input
              class="rg-field rg-number"
              type="number"
              min={least}
              step={step}
              max={most}
              placeholder={String(own[name])}
              value={chosen[name] ?? ""}
              onInput={(event) => onChange({ ...chosen, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      {fields.some((each) => each.draws && chosen[each.name]?.trim()) && notes.map((note) => <p key={note} class="rg-note">{translated(say, note)}</p>)}
      {set > 0 && (
        <button type="button" class="rg-button rg-button--bare" onClick={() => onChange({})}>{say("ask.defaults")}</button>
      )}
    </details>
  );
}
